package screen

import (
	"slices"
	"testing"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
)

// TestPredictionOfTheEnd checks that a query that succeeded was as long as it was, and that one that failed has no
// length.
func TestPredictionOfTheEnd(t *testing.T) {
	at, left := frame.Seconds(10), frame.Seconds(5)
	f := frame.Frame{ElapsedSeconds: &at}
	f.Headline.RemainingSeconds = &left
	for state, want := range map[dag.State]float64{dag.Running: 15, dag.Succeeded: 10, dag.Failed: -1} {
		f.Workflow.State = state
		if got := predictedAt(&f); got != want && (want >= 0 || got == got) {
			t.Errorf("%v: %v", state, got)
		}
	}
}

// TestNothingIsDrawnOfLater checks that a replay that has gone back does not show what came later, and that stale
// frames and those without a time add nothing.
func TestNothingIsDrawnOfLater(t *testing.T) {
	then := recorded(t, "failure", 17)
	before := Draw(then)
	all := slices.Collect(recorded(t, "failure", 127).Past)
	stale := *all[3]
	stale.StaleSeconds, stale.Moves = 10, all[len(all)-1].Moves
	then.Past = slices.Values(append([]*frame.Frame{{Moves: stale.Moves}, &stale}, all...))
	for i, l := range Draw(then) {
		if l != before[i] {
			t.Errorf("line %d: %q, without what came later %q", i, l, before[i])
		}
	}
}
