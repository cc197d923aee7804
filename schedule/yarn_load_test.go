package schedule

import (
	"testing"

	"github.com/paratimer/paratimer/dag"
)

// besideWaiting is the paper's join with another application before it, which waits for its master.
func besideWaiting(amMB, maps int) *dag.Snapshot {
	s := blankSnapshot(joinPlan())
	phase := dag.NeedPhase{Tasks: maps, LengthMS: 20_000, TaskMB: 256}
	s.Load = []dag.Load{{
		ID: "application_1_0001", User: "bob", Submitted: -1000, PendingMB: amMB, Until: dag.NoInstant,
		Need: &dag.Need{Map: phase, Reduce: dag.NeedPhase{TaskMB: 256}},
	}}
	return s
}

// TestYARNOthersMaster: an application that waits for its master takes that first, and its tasks once that has asked.
func TestYARNOthersMaster(t *testing.T) {
	end := func(s *dag.Snapshot) dag.Instant { return mustReplay(t, s, joinLeft, Options{}).End }
	alone := besideWaiting(0, 0)
	alone.Load = nil
	free, small, large := end(alone), end(besideWaiting(512, 12)), end(besideWaiting(512, 40))
	if small <= free || large <= small {
		t.Errorf("ends at %d alone, %d beside twelve maps, %d beside forty", free, small, large)
	}
	// A limit that masters of ours have used up keeps it waiting, until they are gone.
	limited := besideWaiting(512, 40)
	limited.Queues = []dag.QueueState{{MastersMB: 512}}
	sch := mustReplay(t, limited, joinLeft, Options{})
	if sch.Freed || sch.End <= free {
		t.Errorf("ends at %d, freed %v", sch.End, sch.Freed)
	}
}
