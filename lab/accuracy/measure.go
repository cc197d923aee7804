package main

import (
	"math"
	"slices"
)

// A result is the errors of ParaTimer's headline and of each other indicator on a run.
type result struct {
	state      string
	total      float64 // seconds, from the history server
	ticks      int
	head       errorsOf
	after      *errorsOf // of the headline from the first tick that shows a disruption; nil if there is none
	disruption float64   // time of that tick, in seconds
	failed     bool      // the disruption was one failed task
	worst      float64   // the total under one_failure, median over the ticks before the disruption, seconds
	others     map[string]errorsOf
	ranges     ranges

	answered answered
	steps    steps
}

// errorsOf are absolute errors over the ticks with a number.
type errorsOf struct {
	points  []float64 // percentage points of eq. (2): 100 t/(t+remaining) against 100 t/total
	percent []float64 // of the estimated total, in percent of the true one
	ticks   int
	bias    float64
}

func (e *errorsOf) add(t, total float64, remaining *float64, progress *float64) {
	e.ticks++
	f := math.NaN()
	switch {
	case remaining != nil:
		f = t / (t + *remaining)
		e.percent = append(e.percent, 100*math.Abs(t+*remaining-total)/total)
	case progress != nil:
		f = *progress
	}
	if math.IsNaN(f) {
		return
	}
	d := 100*f - 100*t/total
	e.points = append(e.points, math.Abs(d))
	e.bias += d
}

func (e *errorsOf) share() float64 { return float64(len(e.points)) / float64(max(e.ticks, 1)) }

func mean(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}

func most(v []float64) float64 {
	if len(v) == 0 {
		return math.NaN()
	}
	return slices.Max(v)
}

// measure compares the frames of a run with its end. It uses the ticks strictly inside the run
// (docs/facts/paratimer.md P24).
func measure(frames []frame) *result {
	last := frames[len(frames)-1]
	r := &result{state: last.Workflow.State, others: map[string]errorsOf{}}
	if last.Elapsed == nil {
		return r
	}
	r.total = *last.Elapsed
	var before []float64
	for _, f := range frames {
		if f.Elapsed == nil || *f.Elapsed <= 0 || *f.Elapsed >= r.total {
			continue
		}
		t := *f.Elapsed
		r.ticks++
		if r.after == nil && disrupted(f) {
			r.after, r.disruption = &errorsOf{}, t
			r.failed, r.worst = failure(f) && !warned(f), median(before)
		}
		r.head.add(t, r.total, f.Headline.Remaining, nil)
		r.ranges.add(t, r.total, f, r.after != nil)
		r.answered.add(f)
		r.steps.add(f, r.total)
		if r.after != nil {
			r.after.add(t, r.total, f.Headline.Remaining, nil)
		}
		for _, o := range f.Others {
			e := r.others[o.Name]
			e.add(t, r.total, o.Remaining, o.Progress)
			r.others[o.Name] = e
		}
		for _, e := range f.Estimates {
			if e.Scenario == "one_failure" && e.Total != nil {
				before = append(before, *e.Total)
			}
		}
	}
	return r
}

// disrupted reports whether a frame shows an event that was not predictable.
func disrupted(f frame) bool { return warned(f) || failure(f) }

func warned(f frame) bool {
	for _, w := range f.Warnings {
		switch w.Code {
		case "am_restarted", "node_lost", "other_load":
			return true
		}
	}
	return false
}

func failure(f frame) bool {
	for _, c := range f.Changes {
		if c.Reason == "failure" {
			return true
		}
	}
	return false
}
