package watch

import (
	"testing"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
)

// A counting estimator records how many snapshots it was shown.
type counting struct{ windows *[]int }

func (c counting) Estimate(run dag.Run) (estimators.Estimate, error) {
	*c.windows = append(*c.windows, len(run.Window))
	return until(2_000_000).Estimate(run)
}

// TestTooLargeIsNotEstimated: no estimator gets a workflow that is too large; its frames have counts and no
// number, and later estimates see nothing of that time.
func TestTooLargeIsNotEstimated(t *testing.T) {
	large := query(1_020_000, dag.Running)
	large.Plan.Jobs[0].Stages[dag.Map].Tasks = 4_000_000
	large.Warnings = []dag.Warning{{Code: dag.WarnTooLarge, Text: "too large to estimate"}}
	var out sink
	var windows []int
	w := watchOf(&out, 0, query(1_010_000, dag.Running), large, query(1_030_000, dag.Running),
		query(1_040_000, dag.Running))
	w.Estimators = EstimatorSet{Scenarios: []estimators.Estimator{counting{&windows}}}
	if _, err := w.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(windows) != 3 || windows[0] != 1 || windows[1] != 1 || windows[2] != 2 {
		t.Errorf("estimators saw windows of %v snapshots", windows)
	}
	f := out.frames[1]
	if !f.TooLarge() || f.Headline.RemainingSeconds != nil || f.Headline.LowSeconds != nil || len(f.Estimates) != 0 ||
		*f.Jobs[0].Maps.Total != 4_000_000 {
		t.Errorf("frame %+v", f)
	}
	if out.frames[2].TooLarge() || out.frames[2].Headline.RemainingSeconds == nil {
		t.Errorf("the frame after it: %+v", out.frames[2].Headline)
	}
}
