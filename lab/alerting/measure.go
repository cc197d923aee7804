package main

import "math"

// hold is the number of consecutive ticks before a naive rule fires, as in ParaTimer's default.
const hold = 5

// rules are the naive rules, which extrapolate an engine's own percentage.
var rules = []string{"hadoop", "pig"}

// A firing is the result of a rule for a deadline. Times are seconds of the run.
type firing struct {
	deadline float64
	fired    float64 // time of the first alert; NaN: never
	times    int
	late     bool // the run missed the deadline
}

func (f firing) warned() bool     { return f.fired < f.deadline }
func (f firing) warning() float64 { return f.deadline - f.fired }

// wrong reports whether the rule fired although the run was not late.
func (f firing) wrong() bool { return !f.late && !math.IsNaN(f.fired) }

// measure computes when the alerts and the naive rules fired.
func (w *watched) measure(frames []frame) {
	w.state = frames[len(frames)-1].Workflow.State
	w.naive, w.drift = map[string][]firing{}, driftOf(frames)
	for i, f := range factors {
		empty := firing{deadline: f * w.run.total, fired: math.NaN(), late: f < 1}
		w.alerts = append(w.alerts, alerts(frames, i, empty))
		for _, rule := range rules {
			w.naive[rule] = append(w.naive[rule], extrapolated(frames, rule, empty))
		}
	}
}

// alerts returns when a bound was first at risk or late.
func alerts(frames []frame, bound int, out firing) firing {
	firing := false
	for _, f := range frames {
		a := f.Alerts[bound]
		now := a.State == "at_risk" || a.State == "late"
		if now && !firing && f.Elapsed != nil {
			out.add(*f.Elapsed)
		}
		if a.State != "blind" {
			firing = now
		}
	}
	return out
}

// extrapolated returns when elapsed / percentage was first beyond the deadline for hold ticks, or when the deadline
// passed.
func extrapolated(frames []frame, name string, out firing) firing {
	row, firing := 0, false
	for _, f := range frames {
		if f.Elapsed == nil || f.Stale > 0 {
			continue
		}
		p := math.NaN()
		for _, o := range f.Others {
			if o.Name == name && o.Progress != nil {
				p = *o.Progress
			}
		}
		switch {
		case p > 0 && *f.Elapsed/p > out.deadline:
			row++
		case p > 0:
			row = 0
		}
		now := row >= hold || *f.Elapsed > out.deadline
		if now && !firing {
			out.add(*f.Elapsed)
		}
		firing = now
	}
	return out
}

func (f *firing) add(at float64) {
	if f.times++; f.times == 1 {
		f.fired = at
	}
}
