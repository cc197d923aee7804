// Command alerting writes docs/alerts.md: when ParaTimer's alerts would have fired on every recording, with deadlines
// of 0.9, 1.1 and 1.25 times its true length, compared with naive rules. It runs the paratimer command and reads only
// its frames.
package main

import (
	"context"
	"fmt"
	"os"

	"golang.org/x/sync/errgroup"

	"github.com/paratimer/paratimer/internal/testkit/fixtures"
	"github.com/paratimer/paratimer/lab/replaytest"
)

// factors are the deadlines as factors of the true length: one that is missed, one that is met by a tenth, one met by
// a quarter.
var factors = []float64{0.9, 1.1, 1.25}

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "alerting:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	files, err := fixtures.Recordings("recordings", "recordings-busy")
	if err != nil {
		return err
	}
	command, err := replaytest.Build(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = command.Remove() }() // leftovers are in a temporary folder
	t := tool{command}
	runs := make([]*recording, len(files))
	jobs := parallel(ctx)
	for i, f := range files {
		runs[i] = &recording{file: f, name: fixtures.Name(f)}
		jobs.Go(func() error { return t.learn(ctx, runs[i]) })
	}
	if err := jobs.Wait(); err != nil {
		return err
	}
	all, err := t.watchAll(ctx, runs)
	if err != nil {
		return err
	}
	simulated, err := t.simulateAll(ctx)
	if err != nil {
		return err
	}
	write(os.Stdout, all, simulated)
	return nil
}

// watchAll watches each recording without a profile and with the profile of each other run of its script.
func (t tool) watchAll(ctx context.Context, runs []*recording) ([]*watched, error) {
	var all []*watched
	jobs := parallel(ctx)
	for _, r := range runs {
		for _, profile := range append([]*recording{nil}, runs...) {
			if profile == r || profile != nil && profile.script != r.script {
				continue
			}
			w := &watched{run: r, profile: profile}
			all = append(all, w)
			jobs.Go(func() error { return t.watch(ctx, w) })
		}
	}
	return all, jobs.Wait()
}

// parallel returns a group of two goroutines: one for each core of a small machine.
func parallel(ctx context.Context) *errgroup.Group {
	g, _ := errgroup.WithContext(ctx)
	g.SetLimit(2)
	return g
}

// A recording is a finished run.
type recording struct {
	file, name, script, profile string
	total                       float64 // seconds
}

// A watched is the result of a run with the deadlines.
type watched struct {
	run     *recording
	profile *recording // nil: without a profile
	state   string
	alerts  []firing            // ParaTimer's, parallel to factors
	naive   map[string][]firing // of each naive rule, parallel to factors
	drift   drift
}
