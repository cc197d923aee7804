package observed

import (
	"math"
	"testing"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/profiles"
)

// TestTookOf holds that a map's work is its length without the start-up that its reports tell, and that of two attempts
// of a task that succeeded the one counts that ended first.
func TestTookOf(t *testing.T) {
	const alpha, n = 20, 600
	s := group(40_000, alpha, n)
	again := s.Jobs[0].Stages[dag.Map].Attempts[3]
	again.Number, again.End = 1, again.End-2000
	attempts := s.Jobs[0].Stages[dag.Map].Attempts
	s.Jobs[0].Stages[dag.Map].Attempts = append(append(append([]dag.Attempt(nil), attempts[:4]...), again),
		attempts[4:]...)
	took := TookOf(runOf(s))[0][dag.Map]
	if len(took) != 8 {
		t.Fatalf("%d tasks, want 8: those that have ended", len(took))
	}
	for i, x := range took {
		length, work := 5000.0+alpha*n, float64(alpha*n)
		if i == 3 {
			length -= 2000
		}
		if x.Task != i || x.Length != length || x.Records != n || i != 3 && math.Abs(x.Work-work) > 600 {
			t.Errorf("task %d: %+v, want %.0f ms of work in %.0f", i, x, work, length)
		}
	}
}

// TestMatch holds that the same jobs are found in a script that was renamed and edited.
func TestMatch(t *testing.T) {
	old := &dag.Plan{Name: "a.pig", Jobs: []dag.Job{
		{
			Node: "scope-1", Feature: "GROUP_BY", Alias: "x",
			Stages: dag.MapReduce(dag.Stage{}, dag.Stage{}),
		},
		{Node: "scope-2", Feature: "HASH_JOIN", Alias: "y", Stages: dag.MapReduce(dag.Stage{}, dag.Stage{})},
	}}
	edited := &dag.Plan{Name: "b.pig", Jobs: []dag.Job{
		{
			Node: "scope-0", Feature: "DISTINCT", Alias: "new",
			Stages: dag.MapReduce(dag.Stage{}, dag.Stage{}),
		},
		{Node: "scope-7", Feature: "GROUP_BY", Alias: "x", Stages: dag.MapReduce(dag.Stage{}, dag.Stage{})},
		{Node: "scope-8", Feature: "HASH_JOIN", Alias: "y", Stages: dag.MapReduce(dag.Stage{}, dag.Stage{})},
	}}
	if jobs, script := profiles.Align(edited, old); jobs[0] != -1 || jobs[1] != 0 || jobs[2] != 1 || !script {
		t.Errorf("%v, %v", jobs, script)
	}
	if old.Name != "a.pig" {
		t.Error("the plan was changed")
	}
}
