// Command accuracy writes docs/accuracy.md: ParaTimer's errors on every recording, without a profile and with the
// profile of another run of the same script, compared with other indicators, and the effect of each part of the
// model. It runs the paratimer command and reads only its frames.
package main

import (
	"cmp"
	"context"
	_ "embed" // leftout.md
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/internal/testkit/fixtures"
	"github.com/paratimer/paratimer/lab/replaytest"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "accuracy:", err)
		os.Exit(1)
	}
}

func run() error {
	seeds := flag.Int("users", 60, "simulated runs beside other users, of each kind")
	dags := flag.String("tez", "../shared/recordings-tez", "folder of the recordings of Tez")
	only := flag.Bool("only-tez", false, "write the part about Tez alone")
	apps := flag.String("spark", "../shared/recordings-spark", "folder of the recordings of Spark")
	onlySpark := flag.Bool("only-spark", false, "write the part about Spark alone")
	flag.Parse()
	if *onlySpark {
		return sparkAlone(*apps)
	}
	if *only {
		return tezAlone(*dags)
	}
	files, err := fixtures.Recordings("recordings", "recordings-busy")
	if err != nil {
		return err
	}
	command, err := replaytest.Build(context.Background())
	if err != nil {
		return err
	}
	defer func() { _ = command.Remove() }() // leftovers are in a temporary folder
	t := tool{command}
	recs := make([]*recording, len(files))
	for i, f := range files {
		recs[i] = &recording{file: f, name: fixtures.Name(f)}
		if err := t.learn(recs[i]); err != nil {
			return err
		}
	}
	others, err := profiles()
	if err != nil {
		return err
	}
	others = append(slices.Clone(recs), others...)
	if err := each(recs, func(r *recording) (err error) {
		if r.without, err = t.replay(r, nil, "all"); err != nil {
			return err
		}
		for _, o := range others {
			if o == r || o.script != r.script {
				continue
			}
			with, err := t.replay(r, o, "all")
			if err != nil {
				return err
			}
			r.with = append(r.with, pair{o, with})
		}
		slices.SortStableFunc(r.with,
			func(a, b pair) int { return cmp.Compare(mean(a.head.points), mean(b.head.points)) })
		return nil
	}); err != nil {
		return err
	}
	write(os.Stdout, recs)
	if err := bought(os.Stdout, recs); err != nil {
		return err
	}
	if err := samples(os.Stdout, 3); err != nil {
		return err
	}
	if err := papers(os.Stdout, "examples"); err != nil {
		return err
	}
	if err := monitoring(os.Stdout, "examples", 5); err != nil {
		return err
	}
	if err := users(os.Stdout, *seeds); err != nil {
		return err
	}
	if err := tezRuns(os.Stdout, t, *dags); err != nil {
		return err
	}
	if err := sparkRuns(os.Stdout, t, *apps); err != nil {
		return err
	}
	fmt.Print("\n", leftOut)
	return nil
}

// leftOut is the accuracy on each program with numbers that were fitted without it. lab/fit prints its tables.
//
//go:embed leftout.md
var leftOut string

// tezAlone writes only the part about Tez.
func tezAlone(dir string) error {
	command, err := replaytest.Build(context.Background())
	if err != nil {
		return err
	}
	defer func() { _ = command.Remove() }() // leftovers are in a temporary folder
	return tezRuns(os.Stdout, tool{command}, dir)
}

// each calls do for every recording, in parallel on all processors.
func each(recs []*recording, do func(*recording) error) error {
	var group errgroup.Group
	group.SetLimit(runtime.NumCPU())
	for _, r := range recs {
		group.Go(func() error { return do(r) })
	}
	return group.Wait()
}

// A recording is a run with its results. file is empty if only its profile is used.
type recording struct {
	file, name, script, profile string
	plan                        *dag.Plan // plan of its profile
	without                     *result
	with                        []pair // results with the profile of each other run of the script, best first
}

// A pair is a recording's result with the profile of another recording.
type pair struct {
	other *recording
	*result
}

// middle returns the pair with the median mean error.
func (r *recording) middle() pair { return r.with[len(r.with)/2] }
