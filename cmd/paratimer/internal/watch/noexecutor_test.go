package watch

import (
	"strings"
	"testing"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/schedule"
)

type stuck struct{ schedule.StuckError }

func (s stuck) Estimate(dag.Run) (estimators.Estimate, error) {
	return estimators.Estimate{}, &s.StuckError
}

// TestStuckEstimators checks that an application without executors has no time and no warning, and that the reason of
// another failure names no package.
func TestStuckEstimators(t *testing.T) {
	t.Parallel()
	for _, noExecutor := range []bool{true, false} {
		var out sink
		w := watchOf(&out, 0, query(1_010_000, dag.Running))
		w.Estimators = EstimatorSet{Scenarios: []estimators.Estimator{
			stuck{schedule.StuckError{Job: "j", Stage: "map", Why: "no room", NoExecutor: noExecutor}},
		}}
		if _, err := w.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		f := out.frames[0]
		if f.Headline.RemainingSeconds != nil || (len(f.Warnings) == 0) != noExecutor {
			t.Errorf("%+v, %+v", f.Headline, f.Warnings)
		}
		for _, warning := range f.Warnings {
			if strings.Contains(warning.Text, "schedule:") || !strings.Contains(warning.Text, "no room") {
				t.Errorf("the warning is %q", warning.Text)
			}
		}
	}
}
