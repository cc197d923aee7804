package whatif

import (
	"math"
	"strconv"
	"strings"

	"github.com/paratimer/paratimer/dag"
)

// A Change is a hypothetical change to the run or the cluster. The zero Change changes nothing.
type Change struct {
	Policy Policy
	Slots  []Slots // applied in this order, after Policy
	// Scale is the factor of the input size; 0 means 1. Splits keep their size, so there are more maps of the input,
	// and reduces get larger.
	Scale float64
	// Even spreads the remaining work of each job's reduces evenly over them, so that there is no skew.
	Even bool
	// SlowStart is the ratio of finished maps, 0..1, at which reduces are requested (YARN); nil: unchanged.
	SlowStart *float64
	Pace      []Pace
	Failures  []Failure
	// Unfailing removes the failures of a finished run.
	Unfailing bool
}

// A Policy is the hypothetical scheduler.
type Policy uint8

// The policies. Ideal has a slot for every task, starts it at once and never pauses: no scheduler can be faster.
const (
	AsIs Policy = iota
	FIFO
	YARN
	Ideal
)

var policyNames = [...]string{"as is", "fifo", "yarn", "ideal"}

// String returns the policy's name on the command line.
func (p Policy) String() string { return policyNames[p] }

// A Pace multiplies the time of a unit of work by Factor, in the named job or, if Job is "", in all jobs.
type Pace struct {
	Job    string // Job.Node of the plan
	Factor float64
}

// Which selects the slots to change.
type Which uint8

// The slots of one kind, or of both. In a pool, Maps and Reduces limit how many tasks of that kind the AM of a
// MapReduce job may run at once, and Both means containers, or cores of executors.
const (
	Both Which = iota
	Maps
	Reduces
)

var whichNames = [...]string{"", "map=", "reduce="}

// An Op is an operation on a number of slots.
type Op uint8

// The operations.
const (
	Set   Op = iota // to N; +Inf: one for every task
	Add             // N more, or fewer if N is negative
	Times           // N times as many, rounded, at least one
)

// Slots is a change of the number of slots.
type Slots struct {
	Which Which
	Op    Op
	N     float64
}

// String formats the change as on the command line.
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

// A FailureKind selects what fails.
type FailureKind uint8

// The kinds of failures.
const (
	// FailTask is one task that fails just before its end. If none is named, the one that delays the end most fails.
	FailTask FailureKind = iota
	// FailNode is the loss of a node with its running tasks and its needed map outputs. The worst node fails at the
	// worst moment.
	FailNode
	// FailJob is a job that loses all of its work just before its end, as if its master failed without recovery.
	FailJob
)

// A Failure is one event. Job names the job for FailJob. For FailTask it names the job of the task with index Task of
// Stage, or is empty.
type Failure struct {
	What  FailureKind
	Job   string // Job.Node of the plan; "" for the worst task
	Stage string // its name
	Task  int
}

// String formats the failure as on the command line.
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

// order returns the position of a kind among several failures: tasks, then jobs, then nodes.
func (f Failure) order() int {
	if f.What == FailTask {
		return 0
	}
	return map[FailureKind]int{FailJob: 1, FailNode: 2}[f.What]
}

// None reports whether nothing is changed.
func (c Change) None() bool { return c.String() == "" }

// String lists the changes, such as "slots 2x, scale 3", or returns "" if there are none.
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

// onlyUnfailing reports whether the change only removes the failures of a finished run.
func (c Change) onlyUnfailing() bool {
	c.Unfailing = !c.Unfailing
	return c.None()
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
