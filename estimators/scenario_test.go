package estimators

import (
	"testing"

	"github.com/paratimer/paratimer/dag"
)

// Estimators share a world for the same window and anchors, and for no other.
func TestSameRun(t *testing.T) {
	a, b := &dag.Snapshot{}, &dag.Snapshot{}
	run := dag.Run{Window: []*dag.Snapshot{a, b}, Anchors: []*dag.Snapshot{a}}
	for _, c := range []struct {
		name  string
		other dag.Run
		want  bool
	}{
		{"equal", dag.Run{Window: []*dag.Snapshot{a, b}, Anchors: []*dag.Snapshot{a}}, true},
		{"another snapshot", dag.Run{Window: []*dag.Snapshot{a, a}, Anchors: []*dag.Snapshot{a}}, false},
		{"another anchor", dag.Run{Window: []*dag.Snapshot{a, b}, Anchors: []*dag.Snapshot{b}}, false},
		{"a shorter window", dag.Run{Window: []*dag.Snapshot{b}, Anchors: []*dag.Snapshot{a}}, false},
		{"a second anchor", dag.Run{Window: []*dag.Snapshot{a, b}, Anchors: []*dag.Snapshot{a, b}}, false},
	} {
		if got := sameRun(run, c.other); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
