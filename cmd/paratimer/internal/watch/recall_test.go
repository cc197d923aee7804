package watch

import (
	"context"
	"slices"
	"testing"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/alert"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
)

// TestRecall checks that the stored state is requested once, for the first frame, and that the first step starts
// from.
func TestRecall(t *testing.T) {
	var calls []string
	remembered := alert.State{Bounds: map[string]alert.Standing{"deadline": {State: frame.AtRisk, Since: 1_000_000}}}
	w := Watch{
		Source: &script{query(1_005_000, dag.Running), query(1_006_000, dag.Running)},
		Recall: func(f frame.Frame) alert.State { calls = append(calls, "recall "+*f.Workflow.ID); return remembered },
		Keep: func(s alert.State, _ frame.Frame) {
			calls = append(calls, "keep "+string(s.Bounds["deadline"].State))
		},
	}
	w.Estimators.Scenarios = append(w.Estimators.Scenarios, until(1_010_000))
	if _, err := w.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	if want := []string{"recall wf-1", "keep at_risk", "keep at_risk"}; !slices.Equal(calls, want) {
		t.Errorf("calls %q, want %q", calls, want)
	}
}
