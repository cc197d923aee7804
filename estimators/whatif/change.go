package whatif

import (
	"math"
	"strconv"
	"strings"

	"github.com/paratimer/paratimer/dag"
)

// A Change is what would be otherwise. The zero Change is none.
type Change struct {
	Policy Policy
	Slots  []Slots // one after the other, after Policy
	// Scale is how many times as large the input is; 0 is 1. Splits keep their size, so maps of the input become more
	// and reduces larger.
	Scale float64
	// Even spreads what is left of each job's reduces evenly over them: no skew.
	Even bool
	// SlowStart is the ratio of maps done before reduces are asked for (YARN), 0..1; nil: as it is.
	SlowStart *float64
	Pace      []Pace
	Failures  []Failure
	// Unfailing leaves out the failures that a finished run has had.
	Unfailing bool
}

// A Policy is the scheduler that is asked about.
type Policy uint8

// The policies. Ideal has a slot for every task, starts it at once and pauses nowhere: no scheduler can be faster.
const (
	AsIs Policy = iota
	FIFO
	YARN
	Ideal
)

var policyNames = [...]string{"as is", "fifo", "yarn", "ideal"}

// String is its name as on a command line.
func (p Policy) String() string { return policyNames[p] }

// A Pace says that a unit of work takes Factor times as long, in the named job or, where Job is "", in all.
type Pace struct {
	Job    string // Job.Node of the plan
	Factor float64
}

// Which says which slots are meant.
type Which uint8

// The slots of a kind, or of both. In a pool those of a kind are what the AM of a MapReduce job may run of it at once,
// those of both are containers, or cores of executors.
const (
	Both Which = iota
	Maps
	Reduces
)

var whichNames = [...]string{"", "map=", "reduce="}

// An Op is how a number of slots is changed.
type Op uint8

// The operations.
const (
	Set   Op = iota // there are N of them; +Inf: one for every task
	Add             // N more, or fewer
	Times           // N times as many, rounded, at least one
)

// Slots is a change of the number of slots.
type Slots struct {
	Which Which
	Op    Op
	N     float64
}

// String is the change as on a command line.
func (s Slots) String() string {
	n := strconv.FormatFloat(s.N, 'f', -1, 64)
	switch {
	case math.IsInf(s.N, 1):
		n = "inf"
	case s.Op == Add && s.N >= 0:
		n = "+" + n
	case s.Op == Times:
		n += "x"
	}
	return whichNames[s.Which] + n
}

// A FailureKind is what fails.
type FailureKind uint8

// The kinds of failures.
const (
	// FailTask is one task, just before its end: the one whose loss delays the end most.
	FailTask FailureKind = iota
	// FailNode is a node and all that ran on it, map outputs that are still wanted among it: the worst one at the worst
	// moment.
	FailNode
	// FailJob is a job that loses all that it has done just before its end, as when its master dies and nothing is
	// recovered.
	FailJob
)

// A Failure is what goes wrong, once. Job names the job of FailJob, and of FailTask where one task is meant: that with
// index Task of Stage.
type Failure struct {
	What  FailureKind
	Job   string // Job.Node of the plan; "" for the worst
	Stage string // its name
	Task  int
}

// String is the failure as on a command line.
func (f Failure) String() string {
	switch {
	case f.What == FailNode:
		return "node"
	case f.What == FailJob:
		return f.Job
	case f.Job == "":
		return "task"
	}
	if f.Stage == dag.MapReduceName(dag.Map) || f.Stage == dag.MapReduceName(dag.Reduce) {
		return f.Job + ":" + f.Stage[:1] + strconv.Itoa(f.Task)
	}
	return f.Job + ":" + f.Stage + ":" + strconv.Itoa(f.Task)
}

// order is in which several failures happen.
func (f Failure) order() int {
	if f.What == FailTask {
		return 0
	}
	return map[FailureKind]int{FailJob: 1, FailNode: 2}[f.What]
}

// None says that no change is asked for.
func (c Change) None() bool { return c.String() == "" }

// String lists what is changed, "" for nothing: "slots 2x, scale 3".
func (c Change) String() string {
	var parts []string
	if c.Policy != AsIs {
		parts = append(parts, "policy "+c.Policy.String())
	}
	for _, s := range c.Slots {
		parts = append(parts, "slots "+s.String())
	}
	if c.Scale != 0 {
		parts = append(parts, "scale "+number(c.Scale))
	}
	if c.Even {
		parts = append(parts, "skew none")
	}
	if c.SlowStart != nil {
		parts = append(parts, "slow start "+number(*c.SlowStart))
	}
	for _, p := range c.Pace {
		name := ""
		if p.Job != "" {
			name = p.Job + "="
		}
		parts = append(parts, "pace "+name+number(p.Factor))
	}
	if c.Unfailing {
		parts = append(parts, "no failures")
	}
	for _, f := range c.Failures {
		parts = append(parts, "fail "+f.String())
	}
	return strings.Join(parts, ", ")
}

// onlyUnfailing says whether the change leaves out the failures of a finished run, and nothing else is otherwise.
func (c Change) onlyUnfailing() bool {
	c.Unfailing = !c.Unfailing
	return c.None()
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
