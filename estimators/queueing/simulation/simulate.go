// Package simulation simulates a queueing.Spec event by event, as a reference for the analytical models. Tasks share
// each centre's service equally (processor sharing). Maps go to any free slot, and a reduce copies each map's output
// after the map has ended. Simulation is much slower than a model. Its results are means over runs with their
// standard errors.
package simulation

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/paratimer/paratimer/estimators/queueing"
)

// Simulate runs a Spec's jobs Options.Runs times and returns the means. The same Spec, options and seed give the same
// result on any number of processors. Errors: *queueing.FieldError of the Spec or an option, ErrTooLarge.
func Simulate(s *queueing.Spec, o Options) (*queueing.Result, error) {
	o, err := o.check(s)
	if err != nil {
		return nil, err
	}
	limit := min(MaxTasks, MaxWork/o.Runs)
	all := make([]*sample, o.Runs)
	var next atomic.Int64
	var over atomic.Bool // one run is too large, so the others can stop
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
		return nil, tooLarge(float64(limit), o.Runs)
	}
	return result(s, o.Cycles, all), nil
}

// A Distribution is the distribution of the service demand of a task at a centre about its mean.
type Distribution int

// The distributions of service.
const (
	Exponential   Distribution = iota
	Deterministic              // each task has exactly the mean demand
)

// Options of a simulation. The zero value is 400 runs with seed 0 of exponential tasks under processor sharing.
type Options struct {
	Runs         int // 0: DefaultRuns
	Seed         uint64
	Distribution Distribution
	// Cycles is how many times each copy of a job is submitted again after its end. The responses of these cycles
	// count: the closed system of equation 6, in which each copy has the Spec's slots on every node. 0: each copy is
	// submitted once, all at the same time.
	Cycles int
}

// DefaultRuns gives the published configurations a standard error of about half a per cent.
const DefaultRuns = 400

// Limits of a simulation. A run of MaxTasks takes about ten seconds and a gigabyte.
const (
	MaxTasks = 10_000_000  // in one run
	MaxWork  = 200_000_000 // tasks of all runs
)

// ErrTooLarge means that a simulation would take too long.
var ErrTooLarge = errors.New("too large to simulate")

func tooLarge(tasks float64, runs int) error {
	return fmt.Errorf("%w: %d runs of %.4g tasks or more: at most %.4g tasks in a run and %.4g in all can be simulated; "+
		"give fewer runs or a smaller job, or use a model", ErrTooLarge, runs, tasks, float64(MaxTasks), float64(MaxWork))
}

func (o Options) check(s *queueing.Spec) (Options, error) {
	for _, v := range []struct {
		name         string
		value, limit int
	}{
		{"Runs", o.Runs, math.MaxInt32},
		{"Cycles", o.Cycles, 1_000_000},
		{"Distribution", int(o.Distribution), int(Deterministic)},
	} {
		if v.value < 0 || v.value > v.limit {
			return o, &queueing.FieldError{
				Field: v.name, Value: float64(v.value), Problem: fmt.Sprintf("it must be from 0 to %d", v.limit),
			}
		}
	}
	if o.Runs == 0 {
		o.Runs = DefaultRuns
	}
	if err := s.Validate(); err != nil {
		return o, err
	}
	tasks := 0.0
	for _, j := range s.Jobs {
		maps, reduces := float64(j.Maps), float64(j.Reduces)
		tasks += float64(j.Copies) * (maps + maps*reduces + reduces)
	}
	tasks *= float64(o.Cycles + 1)
	if !(tasks <= MaxTasks && tasks*float64(o.Runs) <= MaxWork) {
		return o, tooLarge(tasks, o.Runs)
	}
	return o, nil
}
