package dag

import "fmt"

// A Residual is the error of the range of an earlier run at one point of it. Those of many runs correct the next
// range.
type Residual struct {
	Run string `plan:"run"` // the run's workflow id; a run has one residual for each of several points
	// Progress is the estimated progress of the run at the time of the range, 0..1: the greater of elapsed /
	// (elapsed + raw median) and the share of its tasks that were done.
	Progress float64 `plan:"progress" max:"1"`
	// Score is the true remaining time less the range's median, in spreads of the range on that side: its 0.9
	// quantile less its median above, its median less its 0.1 quantile below. Negative: the run ended earlier than
	// the median. The range is the raw one, before any correction, so that scores of all runs mean the same.
	Score float64 `plan:"score" min:"-1000000" max:"1000000"`
}

// Bounds of residuals.
const (
	MaxResiduals = 100_000
	MaxScore     = 1e6
	// MaxInputSizes bounds the runs of Plan.InputSizes.
	MaxInputSizes = 10_000
)

func (f *faults) inputSizes() {
	if n := len(f.p.InputSizes); n > MaxInputSizes {
		f.add(&LimitError{Place: whole("input_sizes"), What: "sizes", Have: float64(n), Max: MaxInputSizes})
		return
	}
	for i, size := range f.p.InputSizes {
		f.number(Place{Job: -1, Field: fmt.Sprintf("input_sizes[%d]", i), Item: -1}, size, 0, MaxTuples, "records")
	}
}

func (f *faults) residuals() {
	if n := len(f.p.Residuals); n > MaxResiduals {
		f.add(&LimitError{Place: whole("residuals"), What: "residuals", Have: float64(n), Max: MaxResiduals})
		return
	}
	for i, r := range f.p.Residuals {
		at := func(field string) Place {
			return Place{Job: -1, Field: fmt.Sprintf("residuals[%d].%s", i, field), Item: -1}
		}
		f.number(at("progress"), r.Progress, 0, 1, "")
		f.number(at("score"), r.Score, -MaxScore, MaxScore, "")
	}
}
