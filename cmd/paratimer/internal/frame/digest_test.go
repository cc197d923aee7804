package frame

import (
	"testing"

	"github.com/paratimer/paratimer/dag"
)

// TestDigest checks that time alone changes nothing, and that each thing that moves does.
func TestDigest(t *testing.T) {
	still := digest(query(1_010_000, dag.Running))
	if still == 0 {
		t.Error("got 0, which means no digest")
	}
	if later := digest(query(1_090_000, dag.Running)); later != still {
		t.Error("time alone is no progress")
	}
	for what, move := range map[string]func(*dag.Snapshot){
		"the query's state": func(s *dag.Snapshot) { s.State = dag.Succeeded },
		"a job's state":     func(s *dag.Snapshot) { s.Jobs[0].State = dag.Failed },
		"a master's attempt": func(s *dag.Snapshot) {
			s.Jobs[0].Attempt++
		},
		"a new attempt": func(s *dag.Snapshot) {
			s.Jobs[0].Stages[dag.Reduce].Attempts = append(s.Jobs[0].Stages[dag.Reduce].Attempts,
				dag.Attempt{State: dag.AttemptWaiting})
		},
		"a new stage": func(s *dag.Snapshot) {
			s.Jobs[0].Stages = append(s.Jobs[0].Stages, dag.StageState{})
		},
		"an attempt's state": func(s *dag.Snapshot) {
			s.Jobs[0].Stages[dag.Map].Attempts[1].State = dag.AttemptFailed
		},
		"an attempt's number": func(s *dag.Snapshot) { s.Jobs[0].Stages[dag.Map].Attempts[1].Number = 1 },
		"tuples":              func(s *dag.Snapshot) { s.Jobs[0].Stages[dag.Map].Attempts[1].Done[0]++ },
		"a reduce's tuples":   func(s *dag.Snapshot) { s.Jobs[0].Stages[dag.Map].Attempts[1].Done[2]++ },
		"output":              func(s *dag.Snapshot) { s.Jobs[0].Stages[dag.Map].Attempts[1].Out++ },
		"bytes":               func(s *dag.Snapshot) { s.Jobs[0].Stages[dag.Map].Attempts[1].Bytes++ },
		"the engine's ratio":  func(s *dag.Snapshot) { s.Jobs[0].Stages[dag.Map].Attempts[1].Ratio = 0.5 },
	} {
		s := query(1_010_000, dag.Running)
		move(s)
		if digest(s) == still {
			t.Errorf("%s moved, and the digest did not", what)
		}
	}
}
