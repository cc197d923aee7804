package whatif

import (
	"math"
	"strconv"
	"strings"

	"github.com/paratimer/paratimer/dag"
)

// A ParseError reports a part of a change that cannot be parsed.
type ParseError struct {
	What, Text string // the kind of value, and the text
	Want       string // the valid values
}

func (e *ParseError) Error() string {
	return e.What + " " + strconv.Quote(e.Text) + ": it is " + e.Want
}

// wants are the valid values of the kinds of changes.
var wants = map[string]string{
	"slots":      "a number of slots such as 64, +2, 2x or inf, for one kind after map= or reduce=",
	"scale":      "how many times as large the input is, such as 3 or 0.5",
	"fail":       "task, node, the name of a job, or a task of it such as JOB:m3 or JOB:STAGE:3",
	"skew":       "none",
	"policy":     "ideal",
	"slow start": "a ratio of maps from 0 to 1",
	"pace":       "how many times as long a record takes, such as 2 or 0.5, for one job after JOB=",
}

// Parse parses the value of a change of a kind: slots, scale, fail, skew, policy, slow start, or pace. The error is a
// *ParseError.
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
		return Change{}, &ParseError{kind, text, wants[kind]}
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
	for w, name := range whichNames {
		if rest, found := strings.CutPrefix(n, name); found && name != "" {
			s.Which, n = Which(w), rest //nolint:gosec // an index
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

// Limits of factors. Values beyond them are typing errors.
const (
	leastFactor = 1e-6
	mostFactor  = 1e6
)

func parseFactor(text string) (v float64, ok bool) {
	v, ok = plain(strings.TrimSuffix(text, "x"))
	return v, ok && v >= leastFactor && v <= mostFactor
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
