package mapreduce

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
