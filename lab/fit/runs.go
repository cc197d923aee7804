package fit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/paratimer/paratimer/adapters/engine"
	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/adapters/spark"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/cost"
)

// A run is a finished run with a watcher's snapshots at some instants.
type run struct {
	name, program string
	ticks         []*dag.Snapshot
	first, end    dag.Instant
	profile       *dag.Plan
	history       bool // from the job history of others
}

// sized matches the name of a run of a program of several sizes: pricing-s1-c2-r1.
var sized = regexp.MustCompile(`^(.*)-s(\d+)-c(\d+)-r(\d+)$`)

// programOf returns the program of a recording's name: pricing of pricing-s1-c2-r1, sql of sql-1.
func programOf(name string) string {
	if m := sized.FindStringSubmatch(name); m != nil {
		return m[1]
	}
	return name[:max(0, strings.LastIndexByte(name, '-'))]
}

// readRuns reads the files of runs in folders: event logs of Spark, or recordings. It keeps at most ticks
// snapshots of each run, evenly spaced. It skips runs that did not succeed.
func readRuns(ctx context.Context, folders []string, pattern string, ticks int) ([]*run, error) {
	var all []*run
	for _, dir := range folders {
		files, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			name, _, _ := strings.Cut(filepath.Base(file), ".")
			r, err := readRun(ctx, file, ticks)
			if err != nil {
				fmt.Fprintf(os.Stderr, "fit: %s is left out: %v\n", name, err)
				continue
			}
			r.name, r.program, r.history = name, programOf(name), isImported(file)
			if r.profile.OnlyMapReduce() {
				r.program = path.Base(r.profile.Name)
			}
			all = append(all, r)
		}
	}
	return all, nil
}

// readProfiles reads the profiles in a folder, from runs without recordings.
func readProfiles(dir string) ([]*run, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil || dir == "" {
		return nil, err
	}
	var all []*run
	for _, file := range files {
		plan, err := planfile.ReadFile(file, planfile.Options{Profile: true})
		if err != nil {
			return nil, err
		}
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		all = append(all, &run{name: name, program: path.Base(plan.Name), profile: plan})
	}
	return all, nil
}

// isImported reports whether a file has recorded observations: those of the runs are imported job histories.
func isImported(file string) bool {
	f, err := os.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	kind, _, err := recording.Sniff(f)
	return err == nil && kind == recording.OfObservations
}

// A source returns the next snapshot of a run at each call; see watch.Source.
type source interface {
	Next(ctx context.Context) (*dag.Snapshot, error)
}

func open(file string) (source, error) {
	logs := spark.NewPastReader()
	if has, err := logs.Read(context.Background(), recording.LocalPlace(file)); has {
		if err != nil {
			return nil, err
		}
		runs, _ := logs.Runs()
		return runs[0].Open(recording.Options{}, nil)
	}
	if isImported(file) {
		return recording.Open(file)
	}
	rec, err := recording.OpenAnswers(file)
	if err != nil {
		return nil, err
	}
	return engine.Replay(rec, recording.Options{})
}

func readRun(ctx context.Context, file string, ticks int) (*run, error) {
	src, err := open(file)
	if err != nil {
		return nil, err
	}
	var all []*dag.Snapshot
	for {
		s, err := src.Next(ctx)
		var missed *dag.MissedError
		switch {
		case errors.Is(err, io.EOF):
		case errors.As(err, &missed):
			continue
		case err != nil:
			return nil, err
		default:
			all = append(all, s)
			continue
		}
		break
	}
	if len(all) == 0 {
		return nil, errors.New("no snapshots")
	}
	last := all[len(all)-1]
	if last.State != dag.Succeeded {
		return nil, fmt.Errorf("it ended as %s", last.State)
	}
	r := &run{first: last.Origin(), end: dag.NoInstant, profile: cost.Learn(dag.Run{}.Append(last))}
	for j := range last.Jobs {
		r.end = max(r.end, last.Jobs[j].Finished)
	}
	if !r.end.Known() || r.end <= r.first {
		return nil, errors.New("its end is not known")
	}
	all = slices.DeleteFunc(all, func(s *dag.Snapshot) bool {
		return s.At <= r.first || s.At >= r.end || s.State.Ended()
	})
	every := r.end.Sub(r.first) / time.Duration(ticks+1)
	next := r.first.Add(every)
	for _, s := range all {
		if s.At >= next {
			r.ticks = append(r.ticks, s)
			next = s.At.Add(every)
		}
	}
	return r, nil
}
