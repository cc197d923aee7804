package dag_test

import (
	"testing"

	"github.com/paratimer/paratimer/dag"
)

// TestOvertaken checks which attempts were stopped because another attempt of their task succeeded.
func TestOvertaken(t *testing.T) {
	t.Parallel()
	a := func(task, number int32, state dag.AttemptState, start, end dag.Instant) dag.Attempt {
		return dag.Attempt{Task: task, Number: number, State: state, Start: start, End: end}
	}
	s := dag.StageState{Attempts: []dag.Attempt{
		a(0, 0, dag.AttemptKilled, 100, 900), // a slow task
		a(0, 1, dag.AttemptSucceeded, 600, 890),
		a(1, 0, dag.AttemptSucceeded, 100, 700),
		a(1, 1, dag.AttemptKilled, 600, 700), // a copy that came late
		a(2, 0, dag.AttemptKilled, 100, 300), // killed, and run again
		a(2, 1, dag.AttemptSucceeded, 400, 700),
		a(3, 0, dag.AttemptFailed, 100, 900),
		a(3, 1, dag.AttemptSucceeded, 600, 890),
		a(4, 0, dag.AttemptKilled, 100, 900), // with its job
		a(5, 0, dag.AttemptSucceeded, 100, 200),
		a(5, 1, dag.AttemptKilled, 600, 890), // of a task that ran again although it had succeeded
		a(6, 0, dag.AttemptKilled, 100, dag.NoInstant),
		a(6, 1, dag.AttemptSucceeded, 600, 890),
	}}
	for i := range s.Attempts {
		if got, want := s.Overtaken(&s.Attempts[i]), i == 0 || i == 3; got != want {
			t.Errorf("%+v: %v, want %v", s.Attempts[i], got, want)
		}
	}
}

// TestAppendAnew checks that a run begins anew if its plan has lost the first stages, and goes on if it has grown.
func TestAppendAnew(t *testing.T) {
	t.Parallel()
	of := func(at dag.Instant, names ...string) *dag.Snapshot {
		stages := make([]dag.Stage, len(names))
		for i, name := range names {
			stages[i].Name = name
		}
		return &dag.Snapshot{At: at, Plan: &dag.Plan{Jobs: []dag.Job{{Stages: stages}}}}
	}
	run := dag.Run{}.Append(of(1, "a", "b")).Append(of(2, "a", "b", "c"))
	if len(run.Window) != 2 || len(run.Anchors) != 1 {
		t.Errorf("%d snapshots, %d anchors", len(run.Window), len(run.Anchors))
	}
	run = run.Append(of(3, "b", "c"))
	if len(run.Window) != 1 || len(run.Anchors) != 1 || run.Anchors[0].At != 3 {
		t.Errorf("after a loss %d snapshots, anchors %v", len(run.Window), run.Anchors)
	}
}

// TestAppendMany checks that few snapshots of a run with many attempts are kept, and its newest one always.
func TestAppendMany(t *testing.T) {
	t.Parallel()
	for attempts, want := range map[int]int{1: 21, 30_000: 5} {
		run := dag.Run{}
		for at := dag.Instant(0); at <= 120_000; at += 3000 {
			run = run.Append(&dag.Snapshot{At: at, Plan: &dag.Plan{}, Jobs: []dag.JobState{
				{Stages: []dag.StageState{{Attempts: make([]dag.Attempt, attempts)}}},
			}})
			if run.Now().At != at {
				t.Fatalf("the newest is of %d, want %d", run.Now().At, at)
			}
		}
		if n := len(run.Window); n != want || len(run.Seen) != 21 {
			t.Errorf("%d attempts: %d snapshots of %d observations, want %d of 21", attempts, n, len(run.Seen), want)
		}
	}
}
