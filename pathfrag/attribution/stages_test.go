package attribution_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/adapters/simulate"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/pathfrag/attribution"
)

// TestAnyStages follows the chain through jobs that are no MapReduce: every kind of edge is on the way, or beside it.
// The chain is the critical path of examples/stages.yaml, found by hand.
func TestAnyStages(t *testing.T) {
	t.Parallel()
	plan, err := planfile.ReadFile("../../examples/stages.yaml", planfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var last *dag.Snapshot
	var marks *attribution.Marks
	play(t, plan, simulate.Options{Every: time.Second}, func(s *dag.Snapshot, m *attribution.Marks) {
		last, marks = s,
			m
	})
	a, err := attribution.Of(last, marks)
	if err != nil {
		t.Fatal(err)
	}
	if err := partition(last, a); err != nil {
		t.Error(err)
	}
	var names []string
	for _, p := range a.Parts {
		if p.Task >= 0 {
			names = append(names, plan.StageName(p.Job, p.Stage))
		}
	}
	if got, want := strings.Join(slices.Compact(names),
		", "), "scan orders, parse orders, by region, join, total, write"; got != want {
		t.Errorf("the chain is %s, want %s", got, want)
	}
	if unknown := a.ByCause()[attribution.Unknown]; unknown > 0 || a.Total() != 86*time.Second {
		t.Errorf("%v of %v are unknown: %+v", unknown, a.Total(), a.Parts)
	}
}
