package compare

import (
	"math"
	"testing"

	"github.com/paratimer/paratimer/dag"
)

// TestTook checks that of two attempts that succeeded the one counts that ended first, and that the work of a task is
// unknown if nothing has shown it.
func TestTook(t *testing.T) {
	t.Parallel()
	attempts := []dag.Attempt{{Task: 0}, {Task: 3}, {Task: 3, Number: 1}, {Task: 4}}
	for i := range attempts {
		a := &attempts[i]
		a.State, a.Start, a.End, a.Done[dag.Copy] = dag.AttemptSucceeded, 5000, 22_000, 600
	}
	attempts[2].End -= 2000
	took := phaseOf(&dag.Stage{}, &dag.StageState{Attempts: attempts}, map[int]float64{0: 12_000, 3: 10_000}).Took
	if len(took) != 3 {
		t.Fatalf("%d tasks, want 3", len(took))
	}
	for i, want := range []struct{ task, length, work float64 }{
		{0, 17_000, 12_000}, {3, 15_000, 10_000}, {4, 17_000, 0},
	} {
		x := took[i]
		if x.Task != int(want.task) || x.Length != want.length || x.Records != 600 ||
			x.Work != want.work && !(want.work == 0 && math.IsNaN(x.Work)) {
			t.Errorf("task %d: %+v, want %+v", i, x, want)
		}
	}
}
