package watch

import (
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
)

// changes says why the end that standard predicts moved between two ticks; nil where it did not move enough to be told.
func (p EstimatorSet) changes(before, after dag.Run, was, is frame.Answers) []estimators.Change {
	if p.Model == nil || len(was.Scenarios) == 0 || len(is.Scenarios) == 0 {
		return nil
	}
	a, b := leastRemaining(before, was), leastRemaining(after, is)
	origin := after.Now().Origin()
	if a == nil || b == nil || !origin.Known() {
		return nil
	}
	end := after.Now().At.Add(*b)
	delta := end.Sub(before.Now().At.Add(*a))
	if !estimators.Moved(delta, end.Sub(origin)) {
		return nil
	}
	return estimators.Changes(before, after, delta, p.Model)
}

// leastRemaining is what standard says that remains. An application that may submit more work has a lower bound in its
// place, which moves with what is submitted; other lower bounds rest on assumptions, and their moves mean nothing.
func leastRemaining(run dag.Run, a frame.Answers) *time.Duration {
	standard := a.Scenarios[0]
	if standard.Remaining == nil && len(run.Window) > 0 && run.Now().Plan.Open {
		return standard.Low
	}
	return standard.Remaining
}

// parts are changes as frames have them.
func parts(changes []estimators.Change) []frame.Change {
	var out []frame.Change
	for _, c := range changes {
		out = append(out, frame.Change{
			DeltaSeconds: frame.SecondsOf(c.Delta), Reason: string(c.Reason), Subject: frame.Text(c.Subject),
			Shown: c.Event,
		})
	}
	return out
}
