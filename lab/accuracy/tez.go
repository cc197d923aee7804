package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/paratimer/paratimer/lab/replaytest"
)

// A dagRun is one DAG in a recording of Tez, or one application in a recording of Spark.
type dagRun struct {
	recording
	id   string // of the DAG
	key  string // equal for runs of one script or query
	bare *result
	own  errorsOf // errors of the engine's own progress: the share of known tasks that have succeeded
}

// tezRuns scores the recordings of Tez in a folder and writes a table. They are too large for the project.
func tezRuns(w io.Writer, t tool, dir string) error {
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl.gz"))
	if err != nil {
		return err
	}
	if len(files) == 0 {
		fmt.Fprintln(os.Stderr, "accuracy: no recordings of Tez in", dir)
		return nil
	}
	var runs []*dagRun
	for _, file := range files {
		found, err := t.dags(file)
		if err != nil {
			return err
		}
		runs = append(runs, found...)
	}
	fmt.Fprint(w, tezHead)
	var without, with, own []float64
	for _, r := range runs {
		own = append(own, mean(r.own.points))
		row := fmt.Sprintf("| %s | %.1f | %s |", r.name, r.bare.total, pointsOf(&r.own))
		row += fmt.Sprintf(" %s |", scored(r.bare))
		if len(r.bare.head.points) > 0 {
			without = append(without, mean(r.bare.head.points))
		}
		means, err := t.pairs(w, row, r, runs)
		if err != nil {
			return err
		}
		with = append(with, means...)
	}
	fmt.Fprintf(w, "\nMedian of the means: Tez' own progress %.1f; without a profile %.1f, where a point is given; "+
		"with one %.1f.\n", median(own), median(without), median(with))
	return boughtOn(w, "Tez", tezParts, runs)
}

// pairs writes a row for a run with the profile of each other run of the same script, and returns the mean errors.
func (t tool) pairs(w io.Writer, row string, r *dagRun, runs []*dagRun) (means []float64, err error) {
	for _, o := range runs {
		if o == r || o.key != r.key {
			continue
		}
		got, err := t.dag(r, o.profile)
		if err != nil {
			return nil, err
		}
		means = append(means, mean(got.head.points))
		fmt.Fprintf(w, "%s %s | %s |\n", row, o.name, scored(got))
	}
	if len(means) == 0 {
		fmt.Fprintf(w, "%s none recorded | | | |\n", row)
	}
	return means, nil
}

const tezHead = `
## DAGs of Tez

Runs of Pig and Hive on Tez 0.10.5, with the profile of each other run of the same script or query, and without any.
*Tez* is Tez' own progress, which Hive's console shows: tasks that have succeeded, of those known. Errors are percentage
points as above. *range* is the share of the ticks with an 80 % range, and how often it held the true remaining time.
The true total is from the DAG's submission to its end, as its master wrote them. Runs with a name that ends in 1 were
recorded on an overloaded machine, where the set-up of a task took several times as long.

| run | total s | Tez | without: gives | points | range: on, held | profile of | with: gives | points | range: on, held |
|---|---|---|---|---|---|---|---|---|---|
`

func pointsOf(e *errorsOf) string {
	if len(e.points) == 0 {
		return "– / –"
	}
	return fmt.Sprintf("%.1f / %.1f", mean(e.points), most(e.points))
}

// scored formats a run's accuracy: how often it has a point, its errors, its ranges.
func scored(r *result) string {
	held := "–"
	if r.ranges.ticks > 0 {
		held = fmt.Sprintf("%.0f %%", 100*float64(r.ranges.held[1])/float64(r.ranges.ticks))
	}
	on := 100 * float64(r.ranges.ticks) / float64(max(r.ticks, 1))
	return fmt.Sprintf("%.0f %% | %s | %.0f %%, %s", 100*r.head.share(), pointsOf(&r.head), on, held)
}

// mostDAGs limits the DAGs of one recording.
const mostDAGs = 10

// dags returns the successful DAGs of a recording.
func (t tool) dags(file string) ([]*dagRun, error) {
	var out []*dagRun
	name := strings.TrimSuffix(filepath.Base(file), ".jsonl.gz")
	session := ""
	for n := 1; n <= mostDAGs; n++ {
		r := &dagRun{recording: recording{file: file, name: name}}
		if n > 1 {
			r.id, r.name = fmt.Sprint(session, n), fmt.Sprint(name, " #", n)
		}
		frames, err := t.frames(r, "")
		if err != nil && (n > 1 || strings.Contains(err.Error(), "before the workflow does")) {
			return out, nil // there is no such DAG, or its end is not recorded
		}
		if err != nil {
			return nil, err
		}
		r.id = frames[0].Workflow.ID
		session = r.id[:strings.LastIndexByte(r.id, '_')+1]
		r.bare = measure(frames)
		if r.bare.state != "succeeded" {
			return out, nil
		}
		r.own = ownProgress(frames, r.bare.total)
		r.profile = filepath.Join(t.Tmp, r.id+".yaml")
		learn := exec.CommandContext(context.Background(), t.Exe, "learn", file, "--workflow", r.id, "-o", r.profile)
		if text, err := learn.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("learn %s: %w\n%s", r.name, err, text)
		}
		if err := r.read(); err != nil {
			return nil, err
		}
		r.key = cmp.Or(r.plan.Jobs[0].Alias, r.plan.Name)
		out = append(out, r)
	}
	return out, nil
}

func (t tool) frames(r *dagRun, profile string) ([]frame, error) {
	args := []string{"replay", r.file}
	if r.id != "" {
		args = append(args, "--workflow", r.id)
	}
	if profile != "" {
		args = append(args, "--profile", profile)
	}
	return replaytest.Frames[frame](context.Background(), t.Command, args...)
}

// dag replays a DAG with a profile.
func (t tool) dag(r *dagRun, profile string) (*result, error) {
	frames, err := t.frames(r, profile)
	if err != nil {
		return nil, err
	}
	return measure(frames), nil
}

// ownProgress returns the errors of the engine's own progress.
func ownProgress(frames []frame, total float64) errorsOf {
	var e errorsOf
	for _, f := range frames {
		if f.Elapsed == nil || *f.Elapsed <= 0 || *f.Elapsed >= total || len(f.Jobs) == 0 {
			continue
		}
		done, known := 0, 0
		for _, s := range f.Jobs[0].Stages {
			done += s.Done
			if s.Total != nil {
				known += *s.Total
			}
		}
		progress := float64(done) / float64(max(known, 1))
		e.add(*f.Elapsed, total, nil, &progress)
	}
	return e
}
