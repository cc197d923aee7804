package dag_test

import (
	"testing"

	"github.com/paratimer/paratimer/dag"
)

// TestOvertaken holds which attempts were stopped because another attempt of their task succeeded.
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
		if got, want := s.Overtaken(i), i == 0 || i == 3; got != want {
			t.Errorf("%+v: %v, want %v", s.Attempts[i], got, want)
		}
	}
}
