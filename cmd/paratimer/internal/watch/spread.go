package watch

import (
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/schedule"
)

// spread gives a frame its quantiles, its scenarios how likely the query ends by then, and its headline the 80 % range. If too much is assumed for a point, the range stands alone; if something
// runs that gives no sign of its pace (origin unknown), what is left stays open upwards: the headline remains a floor.
func spread(f *frame.Frame, origin schedule.Origin, e estimators.Estimate) {
	d := e.Distribution
	if len(d) == 0 {
		return
	}
	f.Left, f.Raw, f.Tick = d, e.Raw, e.Tick
	f.Headline.Rough = e.Runs < estimators.MinRuns
	for _, q := range frame.Levels {
		f.Quantiles = append(f.Quantiles, frame.Quantile{Q: q, RemainingSeconds: frame.SecondsOf(d.At(q))})
	}
	for i := range f.Estimates {
		if r := f.Estimates[i].RemainingSeconds; r != nil {
			f.Estimates[i].ByProbability = frame.RatioOf(1 - d.Above(r.Duration()))
		}
	}
	if point := f.Headline.RemainingSeconds; point != nil {
		// The point is standard's, which no quantile has to straddle: the range that is shown reaches to it.
		low, high := min(frame.SecondsOf(d.At(0.1)), *point), max(frame.SecondsOf(d.At(0.9)), *point)
		f.Headline.LowSeconds, f.Headline.HighSeconds = &low, &high
		return
	}
	if f.Headline.LowSeconds == nil {
		return
	}
	low, high := frame.SecondsOf(d.At(0.1)), frame.SecondsOf(d.At(0.9))
	if origin >= schedule.Unknown {
		low = min(frame.SecondsOf(d.At(0.05)), *f.Headline.LowSeconds)
		f.Headline.LowSeconds = &low
		return
	}
	f.Headline.LowSeconds, f.Headline.HighSeconds = &low, &high
}
