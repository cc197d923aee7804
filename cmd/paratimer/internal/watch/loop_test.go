package watch

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
)

var errNet = errors.New("connection refused")

func watchOf(out *sink, every time.Duration, steps ...any) *Watch {
	s := script(steps)
	return &Watch{
		Source: &s, Sinks: []Sink{out}, Every: every, Log: zerolog.Nop(),
		Estimators: EstimatorSet{Scenarios: []estimators.Estimator{until(1_100_000)}},
	}
}

func TestRunWaitsBetweenObservations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out sink
		began := time.Now()
		state, err := watchOf(&out, 5*time.Second, query(1_010_000, dag.Running),
			query(1_015_000, dag.Running),
			query(1_020_000, dag.Succeeded)).Run(t.Context())
		if err != nil || state != dag.Succeeded {
			t.Fatalf("Run = %v, %v", state, err)
		}
		if waited := time.Since(began); waited != 15*time.Second {
			t.Errorf("waited %v for three frames, want 15s", waited)
		}
		if len(out.frames) != 3 {
			t.Fatalf("%d frames, want 3", len(out.frames))
		}
		if got := *out.frames[1].Headline.RemainingSeconds; got != 85 {
			t.Errorf("remaining %v s, want 85", got)
		}
		if got := *out.frames[2].Headline.RemainingSeconds; got != 0 {
			t.Errorf("remaining %v s at the end, want 0", got)
		}
	})
}

func TestRunPlaysAtSpeed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out sink
		w := watchOf(&out, 0, query(1_010_000, dag.Running), query(1_070_000, dag.Running),
			query(1_130_000, dag.Succeeded))
		w.Speed = 60
		began := time.Now()
		if _, err := w.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if waited := time.Since(began); waited != 2*time.Second {
			t.Errorf("two minutes at speed 60 took %v, want 2s", waited)
		}
	})
}

func TestRunRepeatsStaleFramesAndBacksOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out sink
		w := watchOf(&out, time.Second,
			query(1_010_000, dag.Running),
			&dag.MissedError{At: 1_011_000, Err: errNet},
			&dag.MissedError{At: 1_013_000, Err: errNet},
			query(1_017_000, dag.Succeeded))
		began := time.Now()
		if _, err := w.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		// 1 s after the first, then 2 s, 4 s, and 1 s after the last.
		if waited := time.Since(began); waited != 8*time.Second {
			t.Errorf("waited %v, want 8s", waited)
		}
		good, stale := out.frames[0], out.frames[2]
		if stale.StaleSeconds != 3 || *stale.ElapsedSeconds != 13 || *stale.Headline.RemainingSeconds != 87 {
			t.Errorf("stale %v s, elapsed %v s, remaining %v s; want 3, 13, 87", stale.StaleSeconds,
				*stale.ElapsedSeconds, *stale.Headline.RemainingSeconds)
		}
		if diff := cmp.Diff(good.Headline.EndAt, stale.Headline.EndAt); diff != "" {
			t.Errorf("the predicted end moved though nothing was seen (-good +stale):\n%s", diff)
		}
		if *good.Headline.RemainingSeconds != 90 {
			t.Errorf("the good frame was changed by its repetition: %v", *good.Headline.RemainingSeconds)
		}
		want := dag.Warning{Code: dag.WarnStale, Text: errNet.Error()}
		if n := len(stale.Warnings); n != 1 || stale.Warnings[0] != want {
			t.Errorf("warnings %v, want only %v", stale.Warnings, want)
		}
		if last := out.frames[3]; last.StaleSeconds != 0 || len(last.Warnings) != 0 {
			t.Errorf("the frame after is still stale: %v, %v", last.StaleSeconds, last.Warnings)
		}
	})
}

func TestRunGivesUpWhereNothingWasEverSeen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out sink
		miss := &dag.MissedError{At: dag.NoInstant, Err: errNet}
		w := watchOf(&out, time.Second, miss, miss, miss, miss)
		began := time.Now()
		if _, err := w.Run(t.Context()); !errors.Is(err, errNet) {
			t.Errorf("Run = %v, want the observation's error", err)
		}
		if waited := time.Since(began); waited != 2*time.Second {
			t.Errorf("got an error after %v, want it after 2s: three attempts without back-off", waited)
		}
		if len(out.frames) != 0 {
			t.Errorf("%d frames of nothing", len(out.frames))
		}
	})
}

func TestRunEndsWithAFinalError(t *testing.T) {
	var out sink
	_, err := watchOf(&out, 0, query(1_010_000, dag.Running), errNet).Run(t.Context())
	if !errors.Is(err, errNet) {
		t.Errorf("Run = %v, want the source's error", err)
	}
}

func TestRunEndsWithTheCauseOfCancellation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cause := errors.New("enough")
		ctx, cancel := context.WithTimeoutCause(t.Context(), 90*time.Second, cause)
		defer cancel()
		var out sink
		_, err := watchOf(&out, time.Minute, query(1_010_000, dag.Running),
			query(1_070_000, dag.Running),
			query(1_130_000, dag.Running)).Run(ctx)
		if !errors.Is(err, cause) {
			t.Errorf("Run = %v, want the cause", err)
		}
		if len(out.frames) != 2 {
			t.Errorf("%d frames in 90 s at one a minute, want 2", len(out.frames))
		}
	})
}

func TestRunLivesOnWhereAnEstimatorFails(t *testing.T) {
	var out sink
	w := watchOf(&out, 0, query(1_010_000, dag.Running), query(1_020_000, dag.Succeeded))
	w.Estimators.Scenarios = []estimators.Estimator{failing{errors.New("stuck")}}
	if _, err := w.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	f := out.frames[0]
	want := dag.Warning{Code: dag.WarnNoEstimate, Text: "stuck"}
	if f.Headline.RemainingSeconds != nil || len(f.Warnings) != 1 || f.Warnings[0] != want {
		t.Errorf("headline %v, warnings %v; want no number and %v", f.Headline, f.Warnings, want)
	}
}

// query returns a snapshot of a query of one job of two maps, submitted at 1000 s, one map done and one running.
func query(at dag.Instant, state dag.State) *dag.Snapshot {
	plan := &dag.Plan{Name: "query", Jobs: []dag.Job{{
		Node: "j1", Name: "first", Stages: dag.MapReduce(dag.Stage{Tasks: 2, Known: true}, dag.Stage{Known: true}),
	}}}
	job := plan.BlockedJobs()[0]
	job.ID, job.State, job.Submitted, job.Started = "job_1_0001", state, 1_000_000, 1_001_000
	attempts := []dag.Attempt{
		{Task: 0, State: dag.AttemptSucceeded, Start: 1_002_000, End: 1_003_000, Node: 0},
		{Task: 1, State: dag.AttemptRunning, Start: 1_002_000, End: dag.NoInstant, Node: 1},
	}
	if state.Ended() {
		job.Finished, attempts[1].State, attempts[1].End = at, dag.AttemptSucceeded, at
	}
	job.Stages[dag.Map].Attempts = attempts
	return &dag.Snapshot{
		Plan: plan, At: at, ID: "wf-1", State: state, Stale: dag.NoInstant, Jobs: []dag.JobState{job},
		Nodes: []dag.NodeState{{Name: "node0"}, {Name: "node1"}},
	}
}
