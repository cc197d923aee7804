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

// ParseSlots parses a number of slots: 64, +2, -2, 2x, 0.5x or inf, for all kinds or after "map=" or "reduce=".
func ParseSlots(text string) (Slots, error) {
	var s Slots
	bad := &ParseError{"slots", text, "a number of slots such as 64, +2, 2x or inf, for one kind after map= or reduce="}
	n := strings.TrimSpace(text)
	for w, name := range whichNames {
		if rest, ok := strings.CutPrefix(n, name); ok && name != "" {
			s.Which, n = Which(w), rest
			break
		}
	}
	if n == "inf" {
		s.N = math.Inf(1)
		return s, nil
	}
	switch {
	case strings.HasSuffix(n, "x"):
		s.Op, n = Times, n[:len(n)-1]
	case strings.HasPrefix(n, "+"), strings.HasPrefix(n, "-"):
		s.Op = Add
	}
	v, err := plain(strings.TrimPrefix(n, "+"))
	switch {
	case err != nil, s.Op != Times && v != math.Trunc(v), s.Op != Add && v <= 0, math.Abs(v) > dag.MaxSlots:
		return Slots{}, bad
	}
	s.N = v
	return s, nil
}

// plain reads a finite decimal number.
func plain(text string) (float64, error) {
	if strings.ContainsAny(text, "xXpP_nN") { // hexadecimal, digit groups, Inf and NaN
		return 0, strconv.ErrSyntax
	}
	return strconv.ParseFloat(text, 64)
}

// Limits of factors. Values beyond them are typing errors.
const (
	leastFactor = 1e-6
	mostFactor  = 1e6
)

// ParseScale parses the factor of the input size.
func ParseScale(text string) (float64, error) {
	v, err := plain(strings.TrimSuffix(strings.TrimSpace(text), "x"))
	if err != nil || v < leastFactor || v > mostFactor {
		return 0, &ParseError{"scale", text, "how many times as large the input is, such as 3 or 0.5"}
	}
	return v, nil
}

// ParsePace parses the factor of the time of a unit of work, for all jobs or after "JOB=" for one job.
func ParsePace(text string) (Pace, error) {
	var p Pace
	n := strings.TrimSpace(text)
	if at := strings.LastIndexByte(n, '='); at >= 0 {
		p.Job, n = n[:at], n[at+1:]
	}
	v, err := plain(strings.TrimSuffix(n, "x"))
	if err != nil || v < leastFactor || v > mostFactor || strings.HasPrefix(text, "=") {
		return Pace{}, &ParseError{
			"pace", text,
			"how many times as long a record takes, such as 2 or 0.5, for one job after JOB=",
		}
	}
	p.Factor = v
	return p, nil
}

// ParseSlowStart parses a ratio of maps, from 0 to 1.
func ParseSlowStart(text string) (float64, error) {
	v, err := plain(strings.TrimSpace(text))
	if err != nil || !(v >= 0 && v <= 1) {
		return 0, &ParseError{"slow start", text, "a ratio of maps from 0 to 1"}
	}
	return v, nil
}

// ParsePolicy parses the name of a policy.
func ParsePolicy(text string) (Policy, error) {
	for p := FIFO; int(p) < len(policyNames); p++ {
		if policyNames[p] == text {
			return p, nil
		}
	}
	return AsIs, &ParseError{"policy", text, "one of fifo, yarn, ideal"}
}

// ParseFailure parses a failure: task, node, the name of a job in the plan, or a task of it, with indices from 0:
// JOB:m3 or JOB:r0 for a MapReduce job, JOB:STAGE:3 for any job.
func ParseFailure(text string) (Failure, error) {
	text = strings.TrimSpace(text)
	bad := &ParseError{"failure", text, "task, node, the name of a job, or a task of it such as JOB:m3 or JOB:STAGE:3"}
	switch text {
	case "":
		return Failure{}, bad
	case "task":
		return Failure{What: FailTask}, nil
	case "node":
		return Failure{What: FailNode}, nil
	}
	at := strings.LastIndexByte(text, ':')
	if at < 0 {
		return Failure{What: FailJob, Job: text}, nil
	}
	f := Failure{What: FailTask, Job: text[:at]}
	task := text[at+1:]
	switch {
	case strings.HasPrefix(task, "m"):
		f.Stage, task = dag.MapReduceName(dag.Map), task[1:]
	case strings.HasPrefix(task, "r"):
		f.Stage, task = dag.MapReduceName(dag.Reduce), task[1:]
	default:
		if at = strings.LastIndexByte(f.Job, ':'); at >= 0 {
			f.Job, f.Stage = f.Job[:at], f.Job[at+1:]
		}
	}
	n, err := strconv.ParseUint(task, 10, 31)
	if f.Job == "" || f.Stage == "" || err != nil {
		return Failure{}, bad
	}
	f.Task = int(n)
	return f, nil
}
