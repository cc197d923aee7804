package schedule

import (
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// twoNodes is a job of 12 maps of 10 s and 256 MB on two nodes for four each, two maps under way on the second one.
func twoNodes() *dag.Snapshot {
	plan := &dag.Plan{
		Cluster: dag.Cluster{Policy: dag.YARN, MemoryMB: 2049},
		Jobs: []dag.Job{{
			Node: "j", Stages: dag.MapReduce(dag.Stage{Known: true, Tasks: 12}, dag.Stage{Known: true}),
			MasterMB: 1, MapReduce: dag.MapReduceLimits{MapMB: 256, ReduceMB: 256},
		}},
	}
	s := &dag.Snapshot{
		Plan: plan, At: 10_000, State: dag.Running, Stale: dag.NoInstant,
		Nodes: []dag.NodeState{
			{Name: "a", MemoryMB: 1025, LostAt: dag.NoInstant},
			{Name: "b", MemoryMB: 1024, LostAt: dag.NoInstant},
		},
		Jobs: []dag.JobState{{
			ID: "job_1_0001", State: dag.Running, Submitted: 1, Started: 1, Finished: dag.NoInstant,
			HeldMB: 513, Master: "a", Stages: make([]dag.StageState, dag.MapReduceStages),
		}},
	}
	for i := range int32(2) {
		s.Jobs[0].Stages[dag.Map].Attempts = append(s.Jobs[0].Stages[dag.Map].Attempts,
			dag.Attempt{Task: i, State: dag.AttemptRunning, Slot: -1, Node: 1, Start: 5000, End: dag.NoInstant})
	}
	return s
}

// placed replays and returns how many tasks to come were put on each node, and the remaining time.
func placed(t *testing.T, s *dag.Snapshot) (on map[int]int, left time.Duration) {
	t.Helper()
	on = map[int]int{}
	sch, err := Replay(s, func(task Task) Cost {
		if task.Running != nil {
			return Cost{Work: 5 * time.Second, Same: 1}
		}
		on[task.Node]++
		return Cost{Work: 10 * time.Second, Same: 1}
	}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return on, sch.Remaining()
}

func TestNodesThatTakeNothing(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*dag.Snapshot)
		b      int           // tasks to come on the second node
		left   time.Duration // 10 tasks to come
	}{
		// 6 at once, 2 of them on the second node, 2 more there at 5 s, the last 2 at 10 s on the first.
		{"both", func(*dag.Snapshot) {}, 4, 20 * time.Second},
		// 4 at a time on the first node; the two that run go on.
		{"draining", func(s *dag.Snapshot) { s.Nodes[1].Draining = true }, 0, 30 * time.Second},
		{"avoided", func(s *dag.Snapshot) { s.Jobs[0].Avoided = []int32{1} }, 0, 30 * time.Second},
		{"avoided all", func(s *dag.Snapshot) { s.Jobs[0].Avoided = []int32{0, 1} }, 4, 20 * time.Second},
		{"another partition", func(s *dag.Snapshot) {
			s.Nodes[1].Label = "gpu"
			s.Jobs[0].Stages[dag.Map].Attempts = nil
			s.Plan.Jobs[0].Stages[dag.Map].Tasks = 10
			s.Plan.Cluster.MemoryMB = 1025
		}, 0, 30 * time.Second},
		{"a partition that is ours", func(s *dag.Snapshot) { s.Nodes[1].Label = "gpu" }, 4, 20 * time.Second},
		// 12 tasks on the first node. What ran on the other one is to be done again after 3 s.
		{"unhealthy", func(s *dag.Snapshot) { lose(s, dag.NodeUnhealthy) }, 0, 30 * time.Second},
		// The master knows only after its 60 s.
		{"gone", func(s *dag.Snapshot) { lose(s, dag.NodeGone) }, 0, 70 * time.Second},
	} {
		s := twoNodes()
		s.Plan.Overheads.Abandon = time.Minute
		c.change(s)
		on, left := placed(t, s)
		if on[1] != c.b || left != c.left {
			t.Errorf("%s: %v tasks on the nodes, %v left; want %d on the second, %v left", c.name, on, left, c.b,
				c.left)
		}
	}
}

func lose(s *dag.Snapshot, cause dag.NodeCause) {
	s.Nodes[1].Lost, s.Nodes[1].LostAt, s.Nodes[1].Cause = true, s.At, cause
}

// TestMastersGiveTheirNodesBack: two jobs end whose masters hold most of the only node; the tasks of the third are all
// put there.
func TestMastersGiveTheirNodesBack(t *testing.T) {
	limits := dag.MapReduceLimits{MapMB: 256, ReduceMB: 256}
	s := &dag.Snapshot{
		Plan: &dag.Plan{Cluster: dag.Cluster{Policy: dag.YARN, MemoryMB: 1536}}, At: 10_000, State: dag.Running,
		Stale: dag.NoInstant,
		Nodes: []dag.NodeState{{Name: "a", MemoryMB: 1536, LostAt: dag.NoInstant}},
	}
	for _, name := range []string{"left", "right"} {
		s.Plan.Jobs = append(s.Plan.Jobs, dag.Job{Node: name, Stages: dag.MapReduce(dag.Stage{Known: true, Tasks: 1},
			dag.Stage{Known: true}), MasterMB: 512, MapReduce: limits})
		s.Jobs = append(s.Jobs, dag.JobState{
			ID: "job_1_" + name, State: dag.Running, Submitted: 1, Started: 1, Finished: dag.NoInstant, HeldMB: 512,
			Master: "a",
			Stages: []dag.StageState{{Attempts: []dag.Attempt{{
				State: dag.AttemptSucceeded, Slot: -1, Start: 5000,
				End: 9000,
			}}}, {}},
		})
	}
	s.Plan.Jobs = append(s.Plan.Jobs, dag.Job{
		Node: "last", After: []int{0, 1},
		Stages:   dag.MapReduce(dag.Stage{Known: true, Tasks: 4}, dag.Stage{Known: true}),
		MasterMB: 512, MapReduce: limits,
	})
	s.Jobs = append(s.Jobs, dag.JobState{
		Submitted: dag.NoInstant, Finished: dag.NoInstant,
		Stages: make([]dag.StageState, dag.MapReduceStages),
	})
	if on, _ := placed(t, s); on[0] != 4 || len(on) != 1 {
		t.Errorf("%v tasks on the nodes, want 4 on the first", on)
	}
}
