package history

import (
	"testing"

	"github.com/paratimer/paratimer/dag"
)

// TestFitting holds that a history's number of tasks is that of its attempts if it announces far more than it lists.
func TestFitting(t *testing.T) {
	t.Parallel()
	two := []*Attempt{newAttempt(dag.Map, 0, 0), newAttempt(dag.Map, 1, 0)}
	for _, c := range []struct{ tasks, want, attempts int }{
		{2, 2, 2}, {1, 2, 2}, {0, 2, 2}, {mostUnlisted, mostUnlisted, 2}, {10_000_000, 2, 2},
	} {
		got, attempts := fitting(c.tasks, append([]*Attempt(nil), two...))
		if got != c.want || len(attempts) != c.attempts {
			t.Errorf("%d announced: %d tasks, %d attempts; want %d, %d", c.tasks, got, len(attempts), c.want, c.attempts)
		}
	}
}
