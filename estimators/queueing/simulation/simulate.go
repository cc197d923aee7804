package simulation

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/paratimer/paratimer/estimators/queueing"
)

// Simulate runs a Spec's jobs as often as the options say and returns the means. The same Spec, options and seed give
// the same result on any number of processors. Errors: those of Spec.Validate, *OptionError, *SizeError.
func Simulate(s *queueing.Spec, o Options) (*Result, error) {
	o, err := o.check(s)
	if err != nil {
		return nil, err
	}
	limit := min(MaxTasks, MaxWork/o.Runs)
	all := make([]*sample, o.Runs)
	var next atomic.Int64
	var over atomic.Bool // one run is too large, and so the others need not be
	var workers sync.WaitGroup
	for range min(o.Runs, runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < o.Runs && !over.Load(); i = int(next.Add(1)) - 1 {
				if all[i] = simulate(s, o, i, limit); all[i] == nil {
					over.Store(true)
				}
			}
		})
	}
	workers.Wait()
	if over.Load() {
		return nil, &SizeError{float64(limit), float64(o.Runs)}
	}
	return result(s, all), nil
}
