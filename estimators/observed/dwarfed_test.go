package observed

import (
	"testing"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/schedule"
)

// Four reduces run. Three that were given 20 bytes took a second each, which is no second for each 20 of the 20,000
// bytes that the last one has.
func TestOverheadIsNoRate(t *testing.T) {
	t.Parallel()
	s := stalledAt(60_000)
	s.Jobs[0].HeldMB = 2560
	s.Plan.Jobs[0].Stages[dag.Map].Tasks = 8
	for i := range int32(4) {
		a := mapAttempt(i, 50_000, 10_000, 1, 1, 0)
		a.CopyEnd, a.SortEnd, a.Bytes, a.Node = 59_000, 59_100, 20, -1
		if i < 3 {
			a.State, a.End = dag.AttemptSucceeded, 60_000
		} else {
			a.Bytes = 20_000
		}
		s.Jobs[0].Stages[dag.Reduce].Attempts = append(s.Jobs[0].Stages[dag.Reduce].Attempts, a)
	}
	m := New(runOf(s), Options{})
	cost := m.Left(schedule.Task{
		Stage: dag.Reduce, Index: 3,
		Running: &m.Snapshot.Jobs[0].Stages[dag.Reduce].Attempts[3],
	})
	if cost.Origin < schedule.Assumed || taskcost.MS(cost.Work) > 60_000 {
		t.Errorf("the last reduce takes %v more, which is %v", cost.Work, cost.Origin)
	}
}
