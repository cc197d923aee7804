package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/lab/replaytest"
)

// sparkAlone writes only the part about Spark.
func sparkAlone(dir string) error {
	command, err := replaytest.Build(context.Background())
	if err != nil {
		return err
	}
	defer func() { _ = command.Remove() }() // leftovers are in a temporary folder
	return sparkRuns(os.Stdout, tool{command}, dir)
}

// sparkRuns scores the recordings of Spark applications in a folder and writes a table. They are too large for the
// project.
func sparkRuns(w io.Writer, t tool, dir string) error {
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl.gz"))
	if err != nil {
		return err
	}
	if len(files) == 0 {
		fmt.Fprintln(os.Stderr, "accuracy: no recordings of Spark in", dir)
		return nil
	}
	var runs []*dagRun
	for _, file := range files {
		r, err := t.application(file)
		if err != nil {
			return err
		}
		runs = append(runs, r)
	}
	fmt.Fprint(w, sparkHead)
	var own, first, with []float64
	ranges, held, ticks := 0, 0, 0
	for _, r := range runs {
		own = append(own, mean(r.own.points))
		if len(r.bare.head.points) > 0 {
			first = append(first, mean(r.bare.head.points))
		}
		ranges, held, ticks = ranges+r.bare.ranges.ticks, held+r.bare.ranges.held[1], ticks+r.bare.ticks
		row := fmt.Sprintf("| %s | %.1f | %s | %s |", r.name, r.bare.total, pointsOf(&r.own), scored(r.bare))
		means, err := t.pairs(w, row, r, runs)
		if err != nil {
			return err
		}
		with = append(with, means...)
	}
	fmt.Fprintf(w, "\nMedian of the means: tasks done of known %.1f; without a profile %.1f, where a point is given; with one %.1f. "+
		"Without one there is a range on %.0f %% of the ticks, which held on %.0f %% of these.\n", median(own), median(first),
		median(with), 100*float64(ranges)/float64(max(ticks, 1)),
		100*float64(held)/float64(max(ranges, 1)))
	alone := func(r *dagRun) bool {
		return !slices.ContainsFunc(runs, func(o *dagRun) bool { return o != r && o.key == r.key })
	}
	return boughtOn(w, "Spark", sparkParts, slices.DeleteFunc(slices.Clone(runs), alone))
}

const sparkHead = `
## Applications of Spark

Runs of programs on Spark 3.5.6 and 4.0.5, four cores, with the profile of the other run of the same program and without any.
*Tasks* is the share of tasks that have succeeded, of those known, as Spark's own pages count. Errors are percentage points as
above. Without a profile an application may submit more jobs at any time: the headline counts what such programs submit later.
*range* is the share of the ticks with an 80 % range, and how often it held the true remaining time. The true total is from the
first job's submission to the last job's end. Runs whose name ends in 1 are of an overloaded machine, those that end in 3 of a
quiet one.

| run | total s | tasks | without: gives | points | range: on, held | profile of | with: gives | points | range: on, held |
|---|---|---|---|---|---|---|---|---|---|
`

// application reads the application of a recording and makes its profile.
func (t tool) application(file string) (*dagRun, error) {
	name := strings.TrimSuffix(filepath.Base(file), ".jsonl.gz")
	r := &dagRun{recording: recording{file: file, name: name}}
	r.key = name[:max(0, strings.LastIndexByte(name, '-'))] // names of runs of one program have the same prefix
	frames, err := t.frames(r, "")
	if err != nil {
		return nil, err
	}
	r.id = frames[0].Workflow.ID
	r.bare = measure(frames)
	r.own = ownProgress(frames, r.bare.total)
	r.profile = filepath.Join(t.Tmp, name+".yaml")
	learn := exec.CommandContext(context.Background(), t.Exe, "learn", file, "-o", r.profile)
	if text, err := learn.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("learn %s: %w\n%s", name, err, text)
	}
	return r, nil
}
