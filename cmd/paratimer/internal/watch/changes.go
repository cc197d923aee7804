package watch

import (
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
)

// changes says why the end that standard predicts moved between two ticks; nil where it did not move enough to be told.
func (p EstimatorSet) changes(before, after dag.Run, was, is frame.Answers) []frame.Change {
	if p.Model == nil || len(was.Scenarios) == 0 || len(is.Scenarios) == 0 {
		return nil
	}
	a, b := was.Scenarios[0].Remaining, is.Scenarios[0].Remaining
	origin := after.Now().Origin()
	if a == nil || b == nil || !origin.Known() {
		return nil
	}
	end := after.Now().At.Add(*b)
	delta := end.Sub(before.Now().At.Add(*a))
	if !estimators.Moved(delta, end.Sub(origin)) {
		return nil
	}
	var out []frame.Change
	for _, c := range estimators.Changes(before, after, delta, p.Model) {
		out = append(out, frame.Change{DeltaSeconds: frame.SecondsOf(c.Delta), Reason: string(c.Reason), Subject: frame.Text(c.Subject)})
	}
	return out
}
