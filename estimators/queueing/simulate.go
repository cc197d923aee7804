package queueing

import (
	"cmp"
	"fmt"
	"math"
	"runtime"
	"sync/atomic"

	"github.com/paratimer/paratimer/dag"
	"golang.org/x/sync/errgroup"
	"gonum.org/v1/gonum/stat"
)

// Simulate simulates a Spec event by event, as a reference for the models: much slower, with standard errors. Tasks
// share each centre's service equally (processor sharing). Maps go to any free slot, and a reduce copies each map's
// output after the map has ended.
//
// Simulate runs the jobs SimulationOptions.Runs times and returns the means. The same Spec, options and seed give the
// same result on any number of processors. Errors: *FieldError of the Spec or an option, ErrTooLarge.
func Simulate(s *Spec, o SimulationOptions) (*Result, error) {
	o, err := o.check(s)
	if err != nil {
		return nil, err
	}
	limit := min(maxSimulatedTasks, maxSimulatedWork/o.Runs)
	all := make([]*sample, o.Runs)
	var workers errgroup.Group
	var over atomic.Bool // one run is too large, so the others need not start
	workers.SetLimit(runtime.GOMAXPROCS(0))
	for i := 0; i < o.Runs && !over.Load(); i++ {
		workers.Go(func() error {
			if all[i] = simulate(s, o, i, limit); all[i] == nil {
				over.Store(true)
				return tooLarge(float64(limit), o.Runs)
			}
			return nil
		})
	}
	if err := workers.Wait(); err != nil {
		return nil, err
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

// SimulationOptions of a simulation. The zero value is 400 runs with seed 0 of exponential tasks under processor
// sharing.
type SimulationOptions struct {
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
	maxSimulatedTasks = 10_000_000  // in one run
	maxSimulatedWork  = 200_000_000 // tasks of all runs
)

func tooLarge(tasks float64, runs int) error {
	return fmt.Errorf("%w to simulate: %d runs of %.4g tasks or more: at most %.4g tasks in a run and %.4g in all can be simulated; "+
		"give fewer runs or a smaller job, or use a model", ErrTooLarge, runs, tasks, float64(maxSimulatedTasks), float64(maxSimulatedWork))
}

func (o SimulationOptions) check(s *Spec) (SimulationOptions, error) {
	if err := within(
		bound{"Runs", o.Runs, 0, math.MaxInt32},
		bound{"Cycles", o.Cycles, 0, 1_000_000},
		bound{"Distribution", int(o.Distribution), 0, int(Deterministic)},
	); err != nil {
		return o, err
	}
	o.Runs = cmp.Or(o.Runs, DefaultRuns)
	if err := s.Validate(); err != nil {
		return o, err
	}
	tasks := 0.0
	for _, j := range s.Jobs {
		maps, reduces := float64(j.Maps), float64(j.Reduces)
		tasks += float64(j.Copies) * (maps + maps*reduces + reduces)
	}
	tasks *= float64(o.Cycles + 1)
	if !(tasks <= maxSimulatedTasks && tasks*float64(o.Runs) <= maxSimulatedWork) {
		return o, tooLarge(tasks, o.Runs)
	}
	return o, nil
}

// classes sum up the residences of the tasks of each kind.
type classes [Merge + 1]class

type class struct {
	tasks     float64
	residence float64
}

func (c *classes) add(t *simulatedTask, now float64) {
	k := &c[t.kind]
	k.tasks++
	k.residence += now - t.start
}

func (c *classes) addAll(o *classes) {
	for k := range c {
		c[k].tasks += o[k].tasks
		c[k].residence += o[k].residence
	}
}

// A record is the sum of a copy's results over the cycles that count.
type record struct {
	responses, cycles float64
	classes           classes
}

// A sample is the result of one run.
type sample struct {
	makespan float64
	busy     vector // busy seconds of a server, mean over the servers of a kind
	jobs     []record
}

func (r *simulationRun) sample() *sample {
	s := &sample{makespan: r.now, jobs: make([]record, len(r.spec.Jobs))}
	for _, c := range r.copies {
		j := &s.jobs[c.job]
		j.responses += c.took.responses
		j.cycles += c.took.cycles
		j.classes.addAll(&c.took.classes)
	}
	var servers vector
	for i := range r.centres {
		c := &r.centres[i]
		c.pass(r.now)
		k := r.kindOf(i)
		s.busy[k] += c.busy
		servers[k] += c.servers
	}
	for k := range s.busy {
		s.busy[k] /= servers[k]
	}
	return s
}

// mean returns the mean of a figure over samples, and its standard error, NaN for a single one.
func mean(all []*sample, of func(*sample) float64) (value, standardError float64) {
	figures := make([]float64, len(all))
	for i, s := range all {
		figures[i] = of(s)
	}
	value, deviation := stat.MeanStdDev(figures, nil)
	return value, stat.StdErr(deviation, float64(len(all)))
}

// submittedOnce is the warning of several jobs without cycles.
var submittedOnce = dag.Warning{
	Code: "submitted_once",
	Text: "each job is submitted once, all at the same time, and the last ones run alone: " +
		"models answer for jobs that begin again as they end, which --cycles 4 simulates",
}

func result(s *Spec, cycles int, all []*sample) *Result {
	r := &Result{
		Model: Simulation, Fixpoint: Fixpoint{Converged: true},
		Sampling: &Sampling{Runs: len(all), Cycles: cycles}, Warnings: []dag.Warning{},
	}
	r.Makespan, _ = mean(all, func(s *sample) float64 { return s.makespan })
	if cycles == 0 && s.Several() {
		r.Warnings = append(r.Warnings, submittedOnce)
	}
	var busy vector
	for k := range busy {
		if r.Makespan > 0 {
			busy[k], _ = mean(all, func(s *sample) float64 { return s.busy[k] })
			busy[k] /= r.Makespan
		}
	}
	r.Centres = CentresOf(s, busy, busy)
	for i := range s.Jobs {
		j := &s.Jobs[i]
		response, off := mean(all, func(s *sample) float64 { return s.jobs[i].responses / s.jobs[i].cycles })
		one := newJobResult(j, response, off, math.NaN())
		demands := [...]Demand{j.Map, j.Shuffle, j.Merge}
		for k, tasks := range [...]int{j.Maps, j.Maps * j.Reduces, j.Reduces} {
			if tasks > 0 {
				takes, _ := mean(all, func(s *sample) float64 {
					c := &s.jobs[i].classes[k]
					return c.residence / c.tasks
				})
				one.Classes = append(one.Classes, Class{
					Kind: Kind(k), Tasks: tasks, Takes: takes, Demand: demands[k],
				})
			}
		}
		r.Jobs = append(r.Jobs, one)
	}
	return r
}
