package schedule

import (
	"testing"
	"time"

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
	// Masters within a limit, of which one may always run, come one by one: less waits at once, and more runs.
	for _, mb := range []int{256, 512, 1024} {
		limited := besideWaiting(512, 40)
		limited.Queues = []dag.QueueState{{MastersMB: mb}}
		sch := mustReplay(t, limited, joinLeft, Options{})
		if sch.Freed || sch.End <= free || sch.End >= large {
			t.Errorf("masters have %d MB: ends at %d, freed %v", mb, sch.End, sch.Freed)
		}
	}
	// Where masters take long to begin its tasks come when ours do, and not while ours wait for their master.
	slow := func(maps int) dag.Instant {
		s := besideWaiting(512, maps)
		s.Plan.Overheads.Launch = 1000 * time.Second
		return end(s)
	}
	if bare, full := slow(0), slow(40); full < bare+100_000 {
		t.Errorf("masters that begin late: ends at %d beside forty maps, %d beside a master alone", full, bare)
	}
}

// TestYARNOthersAtTheirEnd checks that tasks of another application which start as others end are released too.
func TestYARNOthersAtTheirEnd(t *testing.T) {
	t.Parallel()
	end := func(progress float64) dag.Instant {
		s := besideWaiting(0, 0)
		s.Load[0].HeldMB, s.Load[0].MasterMB = 256+8*256, 256
		s.Load[0].Need.Map = dag.NeedPhase{Tasks: 16, Running: 8, Progress: progress, LengthMS: 20_000, TaskMB: 256}
		return mustReplay(t, s, joinLeft, Options{}).End
	}
	if before, at := end(0.49), end(0.5); at > before {
		t.Errorf("the query ends at %d if the other's tasks end now, at %d if they run a little longer", at, before)
	}
}
