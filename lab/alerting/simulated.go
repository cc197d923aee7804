package main

import (
	"context"
	"fmt"
	"path/filepath"
)

// simulatedRuns is the number of simulated runs. They use delivered plans with noise, slow nodes, failures and skew;
// the estimator has a profile.
const simulatedRuns = 40

var (
	plans    = []string{"paper-4.2GB.yaml", "pig-join.yaml"}
	observed = []string{"15s", every} // interval of snapshots: the first plan takes half an hour
	troubles = [][]string{
		{"--noise", "0.05"},
		{"--noise", "0.3"},
		{"--noise", "0.1", "--fail-rate", "0.5"},
		{"--noise", "0.1", "--skew", "0.3"},
		{"--noise", "0.1", "--stall", "5s"},
	}
)

// simulateAll watches simulated runs with deadlines from their own true lengths.
func (t tool) simulateAll(ctx context.Context) ([]*watched, error) {
	all := make([]*watched, 0, simulatedRuns)
	jobs := parallel(ctx)
	for i := range simulatedRuns {
		plan, trouble := plans[i%len(plans)], troubles[i/len(plans)%len(troubles)]
		w := &watched{run: &recording{name: fmt.Sprintf("%s, seed %d", plan, i)}}
		all = append(all, w)
		args := append([]string{
			"simulate", filepath.Join("examples", plan), "--seed", fmt.Sprint(i), "--know",
			"profile", "--every", observed[i%len(plans)],
		}, trouble...)
		jobs.Go(func() error {
			frames, err := t.frames(ctx, args...)
			if err != nil {
				return err
			}
			if e := frames[len(frames)-1].Elapsed; e != nil {
				w.run.total = *e
			}
			if frames, err = t.frames(ctx, append(append(args, "--estimators", "all"), bounds(w.run.total)...)...); err != nil {
				return err
			}
			w.measure(frames)
			return nil
		})
	}
	return all, jobs.Wait()
}
