package simulation

import (
	"fmt"
	"math"
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

// A Distribution is how the service that one task asks of a centre varies about its mean.
type Distribution int

// The distributions of service.
const (
	Exponential   Distribution = iota
	Deterministic              // each task asks for the mean
)

func (d Distribution) String() string {
	return [...]string{"exponential", "deterministic"}[d]
}

// A Discipline is the order in which a centre serves what is at it.
type Discipline int

// The disciplines of a center.
const (
	ProcessorSharing Discipline = iota // all at once, none by more than one server
	FirstCome                          // one a server, in the order of arrival
)

func (d Discipline) String() string {
	return [...]string{"processor sharing", "first come, first served"}[d]
}

// Slots says whom a node's slots for maps and reduces belong to.
type Slots int

const (
	// Own slots: each copy of a job has the Spec's on every node, so that copies meet at the centres alone. Equation 6
	// sees it so.
	Own Slots = iota
	// Shared slots: a free slot goes to the copy that was submitted first and has a task to start (Hadoop's FIFO).
	Shared
)

func (s Slots) String() string { return [...]string{"own", "shared"}[s] }

// Options of a simulation. The zero Options are 400 runs with seed 0 of exponential tasks under processor sharing.
type Options struct {
	Runs         int // 0: DefaultRuns
	Seed         uint64
	Distribution Distribution
	Discipline   Discipline
	Slots        Slots
	// Visits is how many equal parts a task's demands are cut into. It goes round its centres with a part of each, as
	// often; 0: once.
	Visits int
	// Grouped reduces take the outputs that are there, ShuffleThreads at most, as one task with ShuffleThreads times
	// the demand of one output: what Table 2 of the paper has measured for p_s above 1. Otherwise each output is a task
	// of its own.
	Grouped bool
	// Cycles is how often each copy of a job is submitted again when it has ended, which is when its response counts:
	// the closed system of equation 6. 0: each is submitted once, all at the same time.
	Cycles int
}

// DefaultRuns makes the standard error of the published configurations about half a per cent.
const DefaultRuns = 400

// Bounds on what a simulation may take. A run of MaxTasks takes about ten seconds and a gigabyte.
const (
	MaxTasks = 10_000_000  // of one run, each visit counted
	MaxWork  = 200_000_000 // tasks of all runs
)

// A SizeError says that a simulation would take too long: so many runs of so many tasks, or more.
type SizeError struct {
	Tasks, Runs float64
}

func (e *SizeError) Error() string {
	return fmt.Sprintf("queueing oracle: %.4g runs of %.4g tasks or more: at most %.4g tasks in a run and %.4g in all can be simulated; "+
		"ask for fewer runs or a smaller job, or use a model", e.Runs, e.Tasks, float64(MaxTasks), float64(MaxWork))
}

// An OptionError names an option that cannot be.
type OptionError struct {
	Name  string
	Value int
	Want  string
}

func (e *OptionError) Error() string {
	return fmt.Sprintf("queueing oracle: %s is %d: want %s", e.Name, e.Value, e.Want)
}

func (o Options) check(s *queueing.Spec) (Options, error) {
	for _, v := range []struct {
		name         string
		value, limit int
	}{
		{"Runs", o.Runs, math.MaxInt32},
		{"Visits", o.Visits, 1000},
		{"Cycles", o.Cycles, 1_000_000},
		{"Distribution", int(o.Distribution), int(Deterministic)},
		{"Discipline", int(o.Discipline), int(FirstCome)},
		{"Slots", int(o.Slots), int(Shared)},
	} {
		if v.value < 0 || v.value > v.limit {
			return o, &OptionError{v.name, v.value, fmt.Sprintf("0 to %d", v.limit)}
		}
	}
	if o.Runs == 0 {
		o.Runs = DefaultRuns
	}
	o.Visits = max(o.Visits, 1)
	if err := s.Validate(); err != nil {
		return o, err
	}
	tasks := 0.0
	for _, j := range s.Jobs {
		maps, reduces := float64(j.Maps), float64(j.Reduces)
		tasks += float64(j.Copies) * (maps + maps*reduces + reduces)
	}
	tasks *= float64(o.Visits) * float64(o.Cycles+1)
	if runs := float64(o.Runs); !(tasks <= MaxTasks && tasks*runs <= MaxWork) {
		return o, &SizeError{tasks, runs}
	}
	return o, nil
}

// A Result is what the runs of a simulation have in common. Seconds, but for utilisations.
type Result struct {
	Runs int
	Jobs []Job // as in the Spec
	// Makespan is when the last job ended, in the mean over runs.
	Makespan Mean
	// Utilisation of each kind of centre: the share of the time that its servers are busy, over all nodes and runs,
	// each until its last job ends.
	CPU, Fibre, Disk, Network float64
}

// A Job is the mean over a job's copies and the runs.
type Job struct {
	Name     string
	Response Mean // from submission to the end of the last task
	// Residence of one task at its centres, waiting for them included: in the mean over tasks, and over runs. Zero
	// where the job has no such tasks. A shuffle is one map's output for one reduce, or a group of them where they are
	// grouped.
	Map, Shuffle, Merge Mean
	// LastMap and LastShuffle are when the last map and the last shuffle of a copy end, counted from its submission.
	LastMap, LastShuffle Mean
}

// A Mean over runs has the standard error by which it may be off, NaN for a single run.
type Mean struct {
	Value, StandardError float64
}
