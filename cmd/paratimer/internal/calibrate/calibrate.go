// Package calibrate tries whether ranges hold what they promise: on simulated runs of workflows with a history of
// their own, whose noise is not what the sampler assumes. Nothing of a run is known before it: what its watcher has
// is a profile and residuals of the workflow's earlier runs.
package calibrate

import (
	"context"
	"sync"

	"github.com/paratimer/paratimer/estimators"
)

// Ratios are where in a run its range is tried, as ratios of its true length.
var Ratios = [...]float64{0.10, 0.25, 0.50, 0.75, 0.90}

// Options say what is tried.
type Options struct {
	Runs int // of all workflows together
	Seed uint64
	// Estimator makes an estimator that gives distributions, Estimate.Raw and Estimate.Runs included. Each worker has
	// its own.
	Estimator func() estimators.Estimator
	Workers   int // how many workflows are played at once; the result does not depend on it
}

// Run tries. Its errors are ctx's, and faults of the program.
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
