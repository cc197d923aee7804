// Package whatif predicts the effect of a change before it is made: when would a query end with other slots, more
// data, a failure, even reduces, or an ideal scheduler?
//
// A change applies to a copy of the observed state, never to the state itself. For a running query it affects the
// remaining work, from now on. The package does no I/O and reads no clock; equal questions get equal answers.
//
// # Stability
//
// Young: names may change in a minor version; the changelog lists such changes (CONTRIBUTING.md).
package whatif

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// A Change is a hypothetical change to the run or the cluster. The zero Change changes nothing.
type Change struct {
	// Ideal is a scheduler with a slot for every task that starts it at once and never pauses: none can be faster.
	Ideal bool
	Slots []Slots // applied in this order, after Ideal
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
	Stages    []StageChange
}

// A StageChange changes the tasks of a stage, by the indices of the replay's plan.
type StageChange struct {
	Job   int
	Stage dag.StageIndex
	// Tasks is the number of its tasks, if none has begun; 0: unchanged. Each is like one of the stage's own.
	Tasks int
	// Work returns the factor of the work of a task, or of those like it; nil: 1.
	Work func(task int) float64
	// NoPause means that the driver does not pause before it submits the stage (Executors).
	NoPause bool
}

// A Pace multiplies the time of a unit of work by Factor, in the named job or, if Job is "", in all jobs.
type Pace struct {
	Job    string // Job.Node of the plan
	Factor float64
}

// Which selects the slots to change; its text is that before the number on the command line.
type Which string

// The slots of one kind, or of both. In a pool, Maps and Reduces limit how many tasks of that kind the AM of a
// MapReduce job may run at once, and Both means containers, or cores of executors.
const (
	Both    Which = ""
	Maps    Which = "map="
	Reduces Which = "reduce="
)

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
	return string(s.Which) + n
}

// A FailureKind selects what fails.
type FailureKind uint8

// The kinds of failures, in the order in which several happen.
const (
	// FailTask is one task that fails just before its end. If none is named, the one that delays the end most fails.
	FailTask FailureKind = iota
	// FailJob is a job that loses all of its work just before its end, as if its master failed without recovery.
	FailJob
	// FailNode is the loss of a node with its running tasks and its needed map outputs. The worst node fails at the
	// worst moment.
	FailNode
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

// A part is one part of a change. Parts with a key exclude others of their kind with the same key.
type part struct{ kind, key, value string }

func (p part) String() string { return p.kind + " " + p.value }

// The keys of parts that may be together with all others, or with none of their kind.
const (
	besides = ""
	alone   = "alone"
)

// excludes reports whether two parts of different changes are alternatives.
func (p part) excludes(other part) bool {
	return p.kind == other.kind && p.key != besides &&
		(p.key == other.key || p.kind == "slots" && (p.key == alone || other.key == alone))
}

func (c Change) parts() (all []part) {
	add := func(is bool, kind, key, value string) {
		if is {
			all = append(all, part{kind, key, value})
		}
	}
	add(c.Ideal, "policy", besides, "ideal")
	for _, s := range c.Slots {
		add(true, "slots", cmp.Or(string(s.Which), alone), s.String())
	}
	add(c.Scale != 0, "scale", alone, number(c.Scale))
	add(c.Even, "skew", besides, "none")
	if c.SlowStart != nil {
		add(true, "slow start", alone, number(*c.SlowStart))
	}
	for _, p := range c.Pace {
		name := ""
		if p.Job != "" {
			name = p.Job + "="
		}
		add(true, "pace", cmp.Or(name, alone), name+number(p.Factor))
	}
	add(c.Unfailing, "no", besides, "failures")
	for _, f := range c.Failures {
		add(true, "fail", besides, f.String())
	}
	for _, s := range c.Stages {
		add(true, "stage", besides, strconv.Itoa(int(s.Stage)))
	}
	return all
}

// None reports whether nothing is changed.
func (c Change) None() bool { return len(c.parts()) == 0 }

// String lists the changes, such as "slots 2x, scale 3", or returns "" if there are none.
func (c Change) String() string {
	var texts []string
	for _, p := range c.parts() {
		texts = append(texts, p.String())
	}
	return strings.Join(texts, ", ")
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// An Answer is the predicted end of the query. Durations count from now; for a plan or a finished run, from its
// submission.
type Answer struct {
	// Remaining is nil if it is too early for an estimate. Floor is then the lower bound, if one is known.
	Remaining, Floor *time.Duration
	// Low and High are the range that should contain 8 of 10 runs; nil if there is no range.
	Low, High *time.Duration
	// AssumedRatio is the share of Remaining, 0..1, that rests on assumed costs.
	AssumedRatio float64
	// Measured means that assumed costs were measured on other programs, so that Remaining counts nevertheless.
	Measured bool
	// Note describes the effect of the change, e.g. which task's failure is the worst; "" if there is nothing to add.
	Note     string
	Warnings []dag.Warning
}

// The codes of warnings.
const (
	WarnCosts        = "costs"        // a cost behind the answer is assumed or doubtful
	WarnObservation  = "observation"  // a warning of the observations about missing data
	WarnNoEffect     = "no_effect"    // the change has no effect on this plan or model
	WarnBase         = "base"         // the replay of a finished run differs from its duration
	WarnAlternatives = "alternatives" // the changes exclude each other
	WarnUnsupported  = "unsupported"  // the replay does not support a change
)

// An UnsupportedError means that a replay does not support a change.
type UnsupportedError struct {
	Change string // the unsupported part of the change
	Why    string
}

func (e *UnsupportedError) Error() string { return "whatif: " + e.Change + ": " + e.Why }

// Together combines all changes into one. It returns an error if they exclude each other: two scales, two numbers of
// the same slots, or two paces.
func Together(changes []Change) (Change, error) {
	var all Change
	for _, c := range changes {
		for _, a := range all.parts() {
			for _, b := range c.parts() {
				if a.excludes(b) {
					return Change{}, fmt.Errorf("%v and %v are alternatives: there is no answer for both together", a, b)
				}
			}
		}
		all.Scale = max(all.Scale, c.Scale)
		all.Ideal, all.Even, all.Unfailing = all.Ideal || c.Ideal, all.Even || c.Even, all.Unfailing || c.Unfailing
		all.SlowStart = cmp.Or(all.SlowStart, c.SlowStart)
		all.Slots = append(all.Slots, c.Slots...)
		all.Pace = append(all.Pace, c.Pace...)
		all.Stages = append(all.Stages, c.Stages...)
		all.Failures = append(all.Failures, c.Failures...)
	}
	// Tasks fail before jobs, and jobs before nodes, because the loss of a job or node includes its tasks.
	slices.SortStableFunc(all.Failures, func(a, b Failure) int { return cmp.Compare(a.What, b.What) })
	return all, nil
}

// wants has the valid values of each kind of change.
var wants = map[string]string{
	"slots":      "a number of slots such as 64, +2, 2x or inf, for one kind after map= or reduce=",
	"scale":      "how many times as large the input is, such as 3 or 0.5",
	"fail":       "task, node, the name of a job, or a task of it such as JOB:m3 or JOB:STAGE:3",
	"skew":       "none",
	"policy":     "ideal",
	"slow start": "a ratio of maps from 0 to 1",
	"pace":       "how many times as long a record takes, such as 2 or 0.5, for one job after JOB=",
}

// Parse parses the value of a change of a kind: slots, scale, fail, skew, policy, slow start, or pace.
func Parse(kind, text string) (c Change, err error) {
	ok, value := false, strings.TrimSpace(text)
	switch kind {
	case "slots":
		c.Slots = make([]Slots, 1)
		c.Slots[0], ok = parseSlots(value)
	case "scale":
		c.Scale, ok = parseFactor(value)
	case "fail":
		c.Failures = make([]Failure, 1)
		c.Failures[0], ok = parseFailure(value)
	case "skew":
		c.Even, ok = true, value == "none"
	case "policy":
		c.Ideal, ok = true, value == "ideal"
	case "slow start":
		var v float64
		v, ok = plain(value)
		c.SlowStart, ok = &v, ok && v >= 0 && v <= 1
	case "pace": // of all jobs, or of one before "="
		job, factor, named := cutLast(value, "=")
		c.Pace = []Pace{{Job: job}}
		c.Pace[0].Factor, ok = parseFactor(factor)
		ok = ok && named == (job != "")
	}
	if !ok {
		return Change{}, fmt.Errorf("%s %q: it is %s", kind, text, wants[kind])
	}
	return c, nil
}

// cutLast cuts text at the last sep; before is "" without one.
func cutLast(text, sep string) (before, after string, found bool) {
	at := strings.LastIndex(text, sep)
	if at < 0 {
		return "", text, false
	}
	return text[:at], text[at+len(sep):], true
}

// parseSlots parses 64, +2, -2, 2x, 0.5x or inf, for all kinds or after "map=" or "reduce=".
func parseSlots(n string) (s Slots, ok bool) {
	for _, w := range []Which{Maps, Reduces} {
		if rest, found := strings.CutPrefix(n, string(w)); found {
			s.Which, n = w, rest
			break
		}
	}
	if n == "inf" {
		s.N = math.Inf(1)
		return s, true
	}
	switch {
	case strings.HasSuffix(n, "x"):
		s.Op, n = Times, n[:len(n)-1]
	case strings.HasPrefix(n, "+"), strings.HasPrefix(n, "-"):
		s.Op = Add
	}
	s.N, ok = plain(strings.TrimPrefix(n, "+"))
	if s.Op != Times && s.N != math.Trunc(s.N) || s.Op != Add && s.N <= 0 || math.Abs(s.N) > dag.MaxSlots {
		ok = false
	}
	return s, ok
}

// plain reads a finite decimal number.
func plain(text string) (v float64, ok bool) {
	if strings.ContainsAny(text, "xXpP_nN") { // hexadecimal, digit groups, Inf and NaN
		return 0, false
	}
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil
}

// mostFactor is the largest factor. Larger ones, and inverses of larger ones, are typing errors.
const mostFactor = 1e6

func parseFactor(text string) (v float64, ok bool) {
	v, ok = plain(strings.TrimSuffix(text, "x"))
	return v, ok && v >= 1/mostFactor && v <= mostFactor
}

// parseFailure parses task, node, the name of a job in the plan, or a task of it, with indices from 0: JOB:m3 or
// JOB:r0 for a MapReduce job, JOB:STAGE:3 for any job.
func parseFailure(text string) (f Failure, ok bool) {
	switch text {
	case "task":
		return f, true
	case "node":
		return Failure{What: FailNode}, true
	}
	job, task, named := cutLast(text, ":")
	if !named {
		return Failure{What: FailJob, Job: text}, text != ""
	}
	f.Job = job
	switch {
	case strings.HasPrefix(task, "m"):
		f.Stage, task = dag.MapReduceName(dag.Map), task[1:]
	case strings.HasPrefix(task, "r"):
		f.Stage, task = dag.MapReduceName(dag.Reduce), task[1:]
	default:
		f.Job, f.Stage, _ = cutLast(job, ":")
	}
	n, err := strconv.ParseUint(task, 10, 31)
	f.Task = int(n)
	return f, f.Job != "" && f.Stage != "" && err == nil
}
