package watch

import (
	"context"
	"io"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
)

// A script is a source that says what it was told to say, then io.EOF.
type script []any // *dag.Snapshot or error

func (s *script) Next(ctx context.Context) (*dag.Snapshot, error) {
	if len(*s) == 0 {
		return nil, io.EOF
	}
	next := (*s)[0]
	*s = (*s)[1:]
	if err, ok := next.(error); ok {
		return nil, err
	}
	return next.(*dag.Snapshot), nil
}

// A sink keeps what it was shown.
type sink struct{ frames []frame.Frame }

func (s *sink) Show(tick frame.Tick) error {
	f := tick.Frame
	s.frames = append(s.frames, f)
	return nil
}

// until is an estimator that predicts a fixed end.
type until dag.Instant

func (u until) Estimate(run dag.Run) (estimators.Estimate, error) {
	d := dag.Instant(u).Sub(run.Now().At)
	return estimators.Estimate{Scenario: "standard", Remaining: &d, Meaning: "a fixed end"}, nil
}

// failing is an estimator that fails.
type failing struct{ error }

func (f failing) Estimate(dag.Run) (estimators.Estimate, error) {
	return estimators.Estimate{Scenario: "standard"}, f.error
}

// one is a snapshot of a query of one job of two maps, submitted at 1000 s, one map done and one running.
func one(at dag.Instant, state dag.State) *dag.Snapshot {
	plan := &dag.Plan{Name: "query", Jobs: []dag.Job{{
		Node: "j1", Name: "first",
		Stages: dag.MapReduce(dag.Stage{Tasks: 2, Known: true},
			dag.Stage{Known: true}),
	}}}
	job := dag.JobState{
		ID: "job_1_0001", State: state, Submitted: 1_000_000, Started: 1_001_000,
		Finished: dag.NoInstant, Stages: make([]dag.StageState, dag.MapReduceStages),
	}
	job.Stages[dag.Map].Attempts = []dag.Attempt{
		{Task: 0, State: dag.AttemptSucceeded, Start: 1_002_000, End: 1_003_000, Node: 0},
		{Task: 1, State: dag.AttemptRunning, Start: 1_002_000, End: dag.NoInstant, Node: 1},
	}
	if state.Ended() {
		job.Finished = at
		job.Stages[dag.Map].Attempts[1].State, job.Stages[dag.Map].Attempts[1].End = dag.AttemptSucceeded, at
	}
	return &dag.Snapshot{
		Plan: plan, At: at, ID: "wf-1", State: state, Stale: dag.NoInstant,
		Jobs:  []dag.JobState{job},
		Nodes: []dag.NodeState{{Name: "node0"}, {Name: "node1"}},
	}
}
