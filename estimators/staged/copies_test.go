package staged

import (
	"math"
	"testing"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
)

// TestCopiesOfSlowTasks holds that a task that runs for long is expected to end with its copy, by hand: tasks of 100
// records take 1 s, and the last one has run for longer.
func TestCopiesOfSlowTasks(t *testing.T) {
	t.Parallel()
	spark := dag.Copies{Ratio: 0.75, Times: 1.5}
	for _, c := range []struct {
		name        string
		copies      dag.Copies
		succeeded   int
		cores       int
		age         dag.Instant
		twin        bool
		least, most float64
	}{
		{"none is copied", dag.Copies{}, 7, 4, 60_000, false, 5000, 60_000},
		{"at once", spark, 7, 4, 60_000, false, 1000, 1000},
		// It may have run for 1.5 s before.
		{"before the multiple", dag.Copies{Ratio: 0.75, Times: 61}, 7, 4, 60_000, false, 2000, 2000},
		{"no core is free", spark, 7, 1, 60_000, false, 1500, 1500},
		// Two tasks wait, which takes half a second on four cores, and half a task until a core is free.
		{"tasks wait", spark, 5, 4, 60_000, false, 2000, 2000},
		{"it has a copy", spark, 7, 4, 60_000, true, 5000, 60_000},
		{"it ends before", spark, 7, 4, 500, false, 500, 500},
	} {
		s := onFour([]float64{1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000}, []float64{
			100, 100, 100, 100, 100, 100, 100, 100,
		})
		s.Plan.Cluster.Copies, s.Plan.Cluster.Cores = c.copies, c.cores
		stage := &s.Jobs[0].Stages[0]
		slow := stage.Attempts[7]
		slow.State, slow.Start, slow.End, slow.Done[0] = dag.AttemptRunning, s.At-c.age, dag.NoInstant, math.NaN()
		stage.Attempts = append(stage.Attempts[:c.succeeded:c.succeeded], slow)
		if c.twin {
			slow.Number = 1
			stage.Attempts = append(stage.Attempts, slow)
		}
		m := New(dag.Run{}.Append(s))
		l := &m.stages[0][0]
		a := l.seen.running[0]
		if got, _ := m.leftOf(l, a); got < c.least-1 || got > c.most+1 {
			t.Errorf("%s: %.0f ms are left, want %.0f to %.0f", c.name, got, c.least, c.most)
		}
	}
}

// TestDrawnCopies holds that a draw of what is left of a task ends with its copy, which is as slow as the cluster.
func TestDrawnCopies(t *testing.T) {
	t.Parallel()
	r := restOf{Rest: estimators.NewRest(60_000, 0, estimators.NewFactors(nil, taskSigma), 1), over: 1, copied: 1000}
	if got := r.drawn(0.5, 2, 3); got != 2000 {
		t.Errorf("%.0f ms are left on a cluster that takes twice as long, not 2000", got)
	}
	if r.copied = math.Inf(1); r.drawn(0.5, 2, 3) < 300_000 {
		t.Errorf("%.0f ms are left without a copy, not about 360000", r.drawn(0.5, 2, 3))
	}
}
