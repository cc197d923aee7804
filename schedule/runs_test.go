package schedule

import (
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
)

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
