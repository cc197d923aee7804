package paper

import (
	"testing"

	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/internal/testkit/golden"
	"github.com/paratimer/paratimer/pathfrag"
)

// An extra segment that is less than the one before leaves nothing, and takes nothing from the sum
// (docs/facts/paratimer.md A10).
func TestExtraSegmentsAreNotNegative(t *testing.T) {
	w := estimators.NewReplayContext(runOf(golden.Start(golden.OneJob())), plannedCosts, estimators.Options{})
	left := []float64{5000, 1000, 3000}
	path := &pathfrag.Path{
		Fragments: []pathfrag.Fragment{{ID: 0}, {ID: 1}, {ID: 2}},
		Critical: []pathfrag.Segment{
			{Fragment: 0, End: 5000},
			{Fragment: 1, Extra: true, Start: 5000, End: 6000},
			{Fragment: 2, Extra: true, Start: 500, End: 6000},
		},
	}
	track := func(_ *tracking, f *pathfrag.Fragment) float64 { return left[f.ID] }
	// 5000, nothing of 1000 - 5000, and 3000 - 500 that has not started.
	if got := (&tracking{now: w, plan: w, path: path, track: track}).remaining(); got != 7500 {
		t.Errorf("remaining %v, want 7500", got)
	}
}
