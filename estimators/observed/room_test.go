package observed

import (
	"testing"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/schedule"
)

// A history of a job of one map shows a node of one container; its master has run somewhere as well. A ResourceManager
// that does not tell its cluster's size has room for what runs. Neither is a job that can never run.
func TestRoomForWhatRuns(t *testing.T) {
	for name, s := range map[string]*dag.Snapshot{
		"one container": group(14_000, 25, 600),
		"no size":       group(14_000, 25, 600), "all that runs": group(14_000, 25, 600),
	} {
		switch name {
		case "one container":
			s.Jobs[0].Stages[dag.Map].Attempts = s.Jobs[0].Stages[dag.Map].Attempts[:1]
			s.Plan.Jobs[0].Stages[dag.Map].Tasks, s.Plan.Jobs[0].MapReduce = 3, dag.MapReduceLimits{}
			s.Plan.Cluster.MemoryMB, s.Nodes = 1025,
				[]dag.NodeState{{Name: "n1", MemoryMB: 1024, LostAt: dag.NoInstant}}
			s.Jobs[0].Stages[dag.Map].Attempts[0].Node = 0
		case "no size":
			s.Plan.Cluster.MemoryMB = 0
		}
		before := s.Plan.Cluster.MemoryMB
		m := New(runOf(s), Options{})
		if _, err := schedule.Replay(m.Snapshot, m.Left, schedule.Options{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := m.Snapshot.Plan.Cluster.MemoryMB; name == "all that runs" && got != before {
			t.Errorf("a cluster of %d MB in which all fits is taken for one of %d MB", before, got)
		}
		if s.Plan.Cluster.MemoryMB != before || len(s.Nodes) > 0 && s.Nodes[0].MemoryMB != 1024 {
			t.Errorf("%s: the snapshot itself was changed", name)
		}
	}
}
