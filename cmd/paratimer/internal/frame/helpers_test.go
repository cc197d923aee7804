package frame

import "github.com/paratimer/paratimer/dag"

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

func seconds(s float64) *Seconds { v := Seconds(s); return &v }
