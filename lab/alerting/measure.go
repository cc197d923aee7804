package main

import "math"

// hold is for how many ticks in a row a naive rule must speak: as ParaTimer's default.
const hold = 5

// rules are the naive rules: an engine's own percentage, extrapolated.
var rules = []string{"hadoop", "pig"}

// A firing is when a rule fired against a deadline. Seconds are of the run.
type firing struct {
	deadline float64
	fired    float64 // the first time; NaN: never
	times    int
	late     bool // the truth
}

func (f firing) warned() bool     { return f.fired < f.deadline }
func (f firing) warning() float64 { return f.deadline - f.fired }

// wrong says whether it fired at a run that was not late.
func (f firing) wrong() bool { return !f.late && !math.IsNaN(f.fired) }

// measure finds out when the alerts and the naive rules fired.
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

// alerts is when a bound was at risk or late first.
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

// extrapolated is when elapsed / percentage lay beyond the deadline for so many ticks first, or when the deadline
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
