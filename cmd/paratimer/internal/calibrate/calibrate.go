// Package calibrate measures the coverage of ranges on simulated runs. Each workflow has its own history, and noise
// that differs from what the sampler assumes. Before a run nothing is known but a profile and the residuals of the
// workflow's earlier runs.
package calibrate

import (
	"context"
	"sync"

	"github.com/paratimer/paratimer/estimators"
)

// Ratios are the points of a run at which its range is tested, as ratios of the run's true length.
var Ratios = [...]float64{0.10, 0.25, 0.50, 0.75, 0.90}

// Options configure Run.
type Options struct {
	Runs int // over all workflows
	Seed uint64
	// Estimator creates an estimator that returns distributions, including Estimate.Raw and Estimate.Runs. Each
	// worker has one of its own.
	Estimator func() estimators.Estimator
	Workers   int // number of workflows simulated at the same time; the result does not depend on it
}

// Run simulates the workflows and measures coverage. It returns ctx's error, or an internal one.
func Run(ctx context.Context, o Options) (*Report, error) {
	var flows []*workflow
	var share []int
	for left := o.Runs; left > 0; {
		w := newWorkflow(o.Seed, len(flows))
		n := min(w.runs, left)
		flows, share, left = append(flows, w), append(share, n), left-n
	}
	results, errs := make([][]watched, len(flows)), make([]error, len(flows))
	next := make(chan int)
	var group sync.WaitGroup
	for range max(1, o.Workers) {
		group.Go(func() {
			estimator := o.Estimator()
			for i := range next {
				results[i], errs[i] = flows[i].watchAll(ctx, share[i], estimator)
			}
		})
	}
	for i := range flows {
		next <- i
	}
	close(next)
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return report(o, results), nil
}
