package schedule

import (
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
	"pgregory.net/rapid"
)

// TestEndOnlyEndsTheSame replays any world twice, lean and in full: the ends are the same, also with memory that
// another world has used.
func TestEndOnlyEndsTheSame(t *testing.T) {
	var used EndOnly
	different := 0
	rapid.Check(t, func(t *rapid.T) {
		draw := drawYARN
		if rapid.Bool().Draw(t, "executors") {
			draw = drawExecutors
		}
		s := draw(t)
		if s.Plan.Cluster.Policy == dag.YARN && rapid.Bool().Draw(t, "shared queue") {
			shareQueue(t, s)
		}
		seed := rapid.Uint64().Draw(t, "costs")
		left := func(task Task) Cost {
			h := (seed ^ uint64(task.Index)<<8 ^ uint64(task.Job)<<40 ^ uint64(task.Stage)) * 0x9e3779b97f4a7c15
			return Cost{
				Setup: time.Duration(h>>60*uint64(max(task.Together, 1))) * 100 * time.Millisecond,
				Work:  time.Duration(h>>48%30_000) * time.Millisecond, Same: 1,
			}
		}
		opt := Options{}
		if rapid.Bool().Draw(t, "failures") {
			opt.Fault = func(task Task, start, end dag.Instant) (dag.Instant, bool) {
				return (start + end) / 2, task.Attempt == 0 && (uint64(task.Index)+seed)%3 == 0
			}
		}
		full, err := Replay(s, left, opt)
		opt.EndOnly = &used
		lean, leanErr := Replay(s, left, opt)
		if (err == nil) != (leanErr == nil) {
			t.Fatalf("full: %v; lean: %v", err, leanErr)
		}
		if err != nil {
			return
		}
		if full.End != lean.End || full.Now != lean.Now {
			t.Fatalf("full ends at %d, lean at %d", full.End, lean.End)
		}
		if full.End > full.Now {
			different++
		}
	})
	if different == 0 {
		t.Fatal("nothing was left in any world: nothing was compared")
	}
}

// shareQueue adds another user's application to our queue, where users have limits or the smaller one goes first.
func shareQueue(t *rapid.T, s *dag.Snapshot) {
	s.Queue, s.User = "q", "me"
	q := dag.QueueState{Name: "q", UserRatio: rapid.SampledFrom([]float64{0, 0.25, 0.5}).Draw(t, "user ratio")}
	if rapid.Bool().Draw(t, "fair") {
		q.Order = dag.OrderFair
	}
	s.Queues = []dag.QueueState{q}
	of := func(name string) dag.NeedPhase {
		tasks := rapid.IntRange(0, 12).Draw(t, name)
		return dag.NeedPhase{Tasks: tasks, Running: min(tasks, 1), TaskMB: 256, LengthMS: 7000}
	}
	s.Load = append(s.Load, dag.Load{
		ID: "y", User: "you", Queue: "q", HeldMB: 512, MasterMB: 256, Until: dag.NoInstant,
		Need: &dag.Need{Map: of("others' maps"), Reduce: of("others' reduces")},
	})
}

// drawExecutors draws an application of two stages on executors, some tasks of which run or have ended.
func drawExecutors(t *rapid.T) *dag.Snapshot {
	kinds := []dag.EdgeKind{dag.Barrier, dag.Pipelined, dag.OneToOne}
	tasks := rapid.IntRange(1, 40).Draw(t, "tasks")
	p := &dag.Plan{Cluster: dag.Cluster{Policy: dag.Executors}, Jobs: []dag.Job{{Node: "q", Stages: []dag.Stage{
		{Name: "a", Tasks: tasks, Known: true}, {
			Name: "b", Tasks: tasks, Known: true,
			After: []dag.Edge{{Kind: rapid.SampledFrom(kinds).Draw(t, "edge")}},
		},
	}}}}
	if rapid.IntRange(0, 3).Draw(t, "pools") == 0 {
		p.Cluster.Pools = []dag.Pool{{Name: "x", Weight: 1, Fair: true}}
		p.Jobs[0].Stages[0].Pool, p.Jobs[0].Stages[1].Pool = "x", "x"
	}
	s := blankSnapshot(p)
	for range rapid.IntRange(1, 4).Draw(t, "executors") {
		n := dag.NodeState{Cores: rapid.IntRange(1, 4).Draw(t, "cores"), LostAt: dag.NoInstant}
		n.Draining = rapid.IntRange(0, 7).Draw(t, "draining") == 0
		if s.Nodes = append(s.Nodes, n); !n.Draining {
			p.Cluster.Cores += n.Cores
		}
	}
	s.Nodes[0].Draining = false
	p.Cluster.Cores = max(p.Cluster.Cores, 1)
	if rapid.IntRange(0, 3).Draw(t, "elastic") == 0 {
		p.Cluster.Elastic = dag.Elastic{
			Max: p.Cluster.Cores + 4, Each: 2, Backlog: second, Sustain: second, Start: 3 * second,
		}
	}
	s.At = 60_000
	s.State, s.Jobs[0].State = dag.Running, dag.Running
	s.Jobs[0].Submitted, s.Jobs[0].Started = 0, 0
	busy := 0
	for i := range rapid.IntRange(0, tasks).Draw(t, "begun") {
		a := dag.Attempt{
			Task: int32(i), State: dag.AttemptSucceeded, Start: 1000, End: 30_000,
			Node: int32(rapid.IntRange(0, len(s.Nodes)-1).Draw(t, "node")),
		}
		if busy < p.Cluster.Cores && rapid.Bool().Draw(t, "running") {
			busy++
			a.State, a.End = dag.AttemptRunning, dag.NoInstant
		}
		s.Jobs[0].Stages[0].Attempts = append(s.Jobs[0].Stages[0].Attempts, a)
	}
	return s
}

// manyTasks is an application of one stage of equal tasks, and one that waits for it.
func manyTasks(tasks, cores int) *dag.Snapshot {
	plan := &dag.Plan{
		Cluster: dag.Cluster{Policy: dag.Executors, Cores: cores},
		Jobs: []dag.Job{{Node: "application", Stages: []dag.Stage{
			{Name: "scan", Tasks: tasks, Known: true},
			{Name: "sum", Tasks: 1, Known: true, After: []dag.Edge{{From: 0, Kind: dag.Barrier}}},
		}}},
	}
	return &dag.Snapshot{Plan: plan, State: dag.Running, Jobs: []dag.JobState{{
		State: dag.Running, Finished: dag.NoInstant, Stages: make([]dag.StageState, 2),
	}}}
}

// TestRunsOfTasks replays 10,000 tasks of 1 s on 7 cores as runs: the end is that of single tasks, with a few costs.
func TestRunsOfTasks(t *testing.T) {
	t.Parallel()
	s, costs, tasks := manyTasks(10_000, 7), 0, 0
	left := func(x Task) Cost {
		costs, tasks = costs+1, tasks+max(x.Count, 1)
		return Cost{Work: time.Duration(max(x.Count, 1)) * time.Second, Same: max(x.Count, 1)}
	}
	for _, runs := range []bool{false, true} {
		costs, tasks = 0, 0
		sch, err := Replay(s, left, Options{EndOnly: &EndOnly{}, Runs: runs})
		if err != nil {
			t.Fatal(err)
		}
		if want := 1430 * time.Second; sch.Remaining() < want-time.Second || sch.Remaining() > want+time.Second {
			t.Errorf("runs %v: %v left, want %v", runs, sch.Remaining(), want)
		}
		if tasks != 10_001 || runs && costs > 150 || !runs && costs != 10_001 {
			t.Errorf("runs %v: %d costs of %d tasks", runs, costs, tasks)
		}
	}
}

// TestRunsAreAlone replays no runs while a task of another stage holds a core: its stage may need others next.
func TestRunsAreAlone(t *testing.T) {
	t.Parallel()
	s := manyTasks(10_000, 7)
	s.Plan.Jobs[0].Stages = append(s.Plan.Jobs[0].Stages, dag.Stage{Name: "other", Tasks: 1, Known: true})
	s.Jobs[0].Stages = append(s.Jobs[0].Stages, dag.StageState{Attempts: []dag.Attempt{{
		State: dag.AttemptRunning, Node: -1, End: dag.NoInstant, CopyEnd: dag.NoInstant,
	}}})
	costs := 0
	left := func(x Task) Cost {
		costs++
		if x.Running != nil {
			return Cost{Work: time.Hour, Same: 1}
		}
		return Cost{Work: time.Duration(max(x.Count, 1)) * time.Second, Same: max(x.Count, 1)}
	}
	if _, err := Replay(s, left, Options{EndOnly: &EndOnly{}, Runs: true}); err != nil || costs != 10_002 {
		t.Errorf("%d costs of 10,002 tasks: %v", costs, err)
	}
}

// TestRunsFail replays runs of tasks of 1 s whose attempts fail at each full 100 s, in the middle of a task: each
// failure costs its core half a second.
func TestRunsFail(t *testing.T) {
	t.Parallel()
	s := manyTasks(1000, 1)
	left := func(x Task) Cost {
		return Cost{Work: time.Duration(max(x.Count, 1)) * time.Second, Same: max(x.Count, 1)}
	}
	failures := 0
	fault := func(_ Task, start, end dag.Instant) (dag.Instant, bool) {
		at := (start/100_000+1)*100_000 + 500
		if at >= end || failures == 3 {
			return 0, false
		}
		failures++
		return at, true
	}
	sch, err := Replay(s, left, Options{EndOnly: &EndOnly{}, Runs: true, Fault: fault})
	if err != nil || failures != 3 {
		t.Fatal(failures, err)
	}
	if extra := sch.Remaining() - 1001*time.Second; extra < time.Second || extra > 2*time.Second {
		t.Errorf("three failures cost %v", extra)
	}
}
