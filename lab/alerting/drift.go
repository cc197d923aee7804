package main

// A drift is the result of the alert of --drift on a run. Its bound comes after those of the factors.
type drift struct {
	ranged bool // the alert was at risk at some tick
	warned bool // the run ended after its first stable range
	late   bool // the truth
}

func driftOf(frames []frame) (d drift) {
	for _, f := range frames {
		a := f.Alerts[len(factors)]
		d.ranged = d.ranged || a.Deadline != nil
		d.warned = d.warned || a.State == "at_risk"
		d.late = a.Outcome != nil && *a.Outcome == "missed"
	}
	return d
}

// drifts writes for each set of runs how often the alert of --drift was true, false and missed.
func drifts(p func(string, ...any), sets []set) {
	p("")
	p("## Drift")
	p("")
	p("`--drift` holds a run to its own first stable range, so the truth is whether the run ended after that range. True: warned, and it did.")
	p("Missed: it did without a warning. False: warned, and it did not.")
	p("")
	p("| runs | in all | with a stable range | ended after it | true | missed | false |")
	p("|---|---|---|---|---|---|---|")
	all, wrong := 0, 0
	for _, s := range sets {
		var ranged, late, truly, missed, falsely int
		for _, w := range s.runs {
			d := w.drift
			ranged, late = ranged+one(d.ranged), late+one(d.late)
			truly, missed = truly+one(d.late && d.warned), missed+one(d.late && !d.warned)
			falsely += one(d.warned && !d.late)
		}
		p("| %s | %d | %d | %d | %d | %d | %d |", s.name, len(s.runs), ranged, late, truly, missed, falsely)
		all, wrong = all+len(s.runs), wrong+falsely
	}
	p("")
	p("False in %s of all runs; the goal is under 1 %%: %s.", percent(wrong, all), reached(float64(wrong) < 0.01*float64(all)))
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}
