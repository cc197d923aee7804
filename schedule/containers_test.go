package schedule

import (
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
)

const second = time.Second

// recordedOverheads are those of the recordings (facts/measured.md 4).
var recordedOverheads = dag.Overheads{
	Launch: 5100 * time.Millisecond, AMStart: 800 * time.Millisecond, Beat: second, Finish: 250 * time.Millisecond,
	Wave: 2200 * time.Millisecond, Stagger: 200 * time.Millisecond, Handoff: 100 * time.Millisecond,
	AMHold: 5500 * time.Millisecond, Copy: 500 * time.Millisecond,
}

func yarnJobOf(node string, after []int, maps, reduces int) dag.Job {
	return dag.Job{
		Node: node, After: after, Stages: dag.MapReduce(dag.Stage{Tasks: maps, Known: true},
			dag.Stage{Tasks: reduces, Known: true}),
		MasterMB: 512, MapReduce: dag.MapReduceLimits{MapMB: 256, ReduceMB: 256, SlowStart: 0.05, RampUp: 0.5},
	}
}

// joinPlan is the recordings' join: two DISTINCTs and a JOIN on one node of 3072 MB.
func joinPlan() *dag.Plan {
	return &dag.Plan{
		Cluster:   dag.Cluster{Policy: dag.YARN, MemoryMB: 3072},
		Overheads: recordedOverheads,
		Jobs:      []dag.Job{yarnJobOf("a", nil, 20, 6), yarnJobOf("b", nil, 7, 4), yarnJobOf("c", []int{0, 1}, 10, 6)},
	}
}

func blankSnapshot(p *dag.Plan) *dag.Snapshot {
	return &dag.Snapshot{Plan: p, Jobs: p.BlockedJobs(), Stale: dag.NoInstant}
}

// joinLeft has the costs of recording join-1: 25 ms for each of 600 records, 150 ms for each of 33 joined ones.
func joinLeft(t Task) Cost {
	c := Cost{Setup: time.Duration(300+550*max(t.Together, 1)) * time.Millisecond, Work: 15 * second, Same: 1}
	switch {
	case t.Stage == dag.Reduce && t.Job == 2:
		c.Work = 5 * second
	case t.Stage == dag.Reduce:
		c.Work = 300 * time.Millisecond
	case t.Job == 2:
		c.Work = 200 * time.Millisecond
	}
	return c
}

func TestYARNJoinTakesAsLongAsRecorded(t *testing.T) {
	s := blankSnapshot(joinPlan())
	sch, err := Replay(s, joinLeft, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, sp := range sch.Spans {
		t.Logf("job %d %-6s %3d+%d %6.1f %6.1f %v", sp.Job, sp.What(s.Plan), sp.First, sp.Count, float64(sp.Start)/1000,
			float64(sp.End)/1000, sp.Slots)
	}
	// join-1 took 111.7 s, failure-1 with one attempt killed 126.4 s.
	if total := sch.Remaining(); total < 105*second || total > 128*second {
		t.Errorf("the join takes %v; recorded were 112 s and, with a failure, 126 s", total)
	}
}

// coldStarts replays a snapshot and returns which starts were asked for as cold ones, and how many were not.
func coldStarts(t *testing.T, s *dag.Snapshot, opt Options) (cold []dag.Instant, warm int) {
	t.Helper()
	left := func(task Task) Cost {
		switch {
		case task.Running != nil:
		case task.Cold:
			cold = append(cold, task.Start)
		default:
			warm++
		}
		return joinLeft(task)
	}
	mustReplay(t, s, left, opt)
	return cold, warm
}

// Only the run's first batch starts cold (facts/measured.md 4), in any form of the replay.
func TestYARNFirstBatchIsCold(t *testing.T) {
	for name, opt := range map[string]Options{"in full": {}, "lean": {EndOnly: &EndOnly{}}} {
		cold, warm := coldStarts(t, blankSnapshot(joinPlan()), opt)
		if len(cold) == 0 || warm == 0 {
			t.Fatalf("%s: %d cold starts, %d warm ones", name, len(cold), warm)
		}
		for _, at := range cold {
			if at > cold[0].Add(StartsTogether) {
				t.Errorf("%s: a start at %d is cold, the first was at %d", name, at, cold[0])
			}
		}
	}
}

// A run in which a task has started long ago, or a job has ended, starts none cold.
func TestYARNLaterStartsAreWarm(t *testing.T) {
	s := blankSnapshot(joinPlan())
	s.At = 60_000
	s.Jobs[0].State, s.Jobs[0].Submitted, s.Jobs[0].Finished = dag.Succeeded, 0, 50_000
	if cold, warm := coldStarts(t, s, Options{}); len(cold) > 0 || warm == 0 {
		t.Errorf("after a job: %d cold starts, %d warm ones", len(cold), warm)
	}
	s = blankSnapshot(joinPlan())
	s.At = 60_000
	s.Jobs[0].State, s.Jobs[0].Submitted, s.Jobs[0].Started = dag.Running, 0, 3000
	s.Jobs[0].Stages[dag.Map].Attempts = []dag.Attempt{{
		State: dag.AttemptFailed, Start: 5000, End: 7000, Slot: -1,
		Node: -1,
	}}
	if cold, warm := coldStarts(t, s, Options{}); len(cold) > 0 || warm == 0 {
		t.Errorf("after an attempt: %d cold starts, %d warm ones", len(cold), warm)
	}
}

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
		// The master notices only after its 60 s.
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
