package watch

import (
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/estimators"
)

// spread gives a frame its quantiles, and its headline the 80 % range.
func spread(f *frame.Frame, e estimators.Estimate) {
	d := e.Distribution
	if len(d) == 0 {
		return
	}
	f.Left, f.Raw, f.Tick = d, e.Raw, e.Tick
	f.Headline.Rough = e.Runs < estimators.MinRuns
	for _, q := range frame.Levels {
		f.Quantiles = append(f.Quantiles, frame.Quantile{Q: q, RemainingSeconds: frame.SecondsOf(d.At(q))})
	}
	if point := f.Headline.RemainingSeconds; point != nil {
		// The point is standard's, which no quantile has to straddle: the range that is shown reaches to it.
		low, high := min(frame.SecondsOf(d.At(0.1)), *point), max(frame.SecondsOf(d.At(0.9)), *point)
		f.Headline.LowSeconds, f.Headline.HighSeconds = &low, &high
	}
}
