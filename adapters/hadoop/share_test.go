package hadoop

import (
	"fmt"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/simulate"
	"github.com/paratimer/paratimer/dag"
)

// TestSnapshotsShareWhatStays holds that a snapshot shares the phases that have not changed with the one before, and
// that no later observation changes a snapshot.
func TestSnapshotsShareWhatStays(t *testing.T) {
	var before *dag.Snapshot
	var text string
	shared := map[string]int{}
	watch(t, query(20, 8), simulate.Options{Seed: 1, Every: 5 * time.Second}, func(_ *simREST, got *dag.Snapshot) {
		if before != nil && fmt.Sprintf("%+v", before.Jobs) != text {
			t.Errorf("the snapshot at %d has changed since", before.At)
		}
		for i := range got.Jobs {
			if before == nil || i >= len(before.Jobs) || before.Jobs[i].ID != got.Jobs[i].ID {
				break
			}
			for k := range got.Jobs[i].Stages {
				if p := &got.Jobs[i].Stages[k]; len(p.Attempts) > 0 && p.Shares(&before.Jobs[i].Stages[k]) {
					shared[got.Jobs[i].ID]++
				}
			}
		}
		before, text = got, fmt.Sprintf("%+v", got.Jobs)
	})
	if len(shared) < 2 {
		t.Errorf("phases of %d jobs are shared", len(shared))
	}
}

// BenchmarkAttempts takes the attempts of a phase after one of its tasks has changed.
func BenchmarkAttempts(b *testing.B) {
	for _, n := range []int32{1000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			p := phase{tasks: map[int32]*task{}}
			for i := range n {
				k := newTask()
				k.attempt(i, 0).State = dag.AttemptSucceeded
				p.tasks[i], p.order = k, append(p.order, i)
			}
			b.ReportAllocs()
			for b.Loop() {
				p.dirty = true
				p.attempts()
			}
		})
	}
}
