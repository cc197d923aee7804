package frame

import (
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/schedule"
)

// spread sets the frame's quantiles, the scenarios' probabilities, and the headline's 80 % range. If too much is
// assumed for a point, only the range is set. If the pace of some running work is unknown (origin), there is no
// upper limit: the headline remains a lower bound.
func spread(f *Frame, origin schedule.Origin, e estimators.Estimate) {
	d := e.Distribution
	if len(d) == 0 {
		return
	}
	f.Left = d
	f.Headline.Rough = e.Runs < estimators.MinRuns
	for _, q := range Levels {
		f.Quantiles = append(f.Quantiles, Quantile{Q: q, RemainingSeconds: SecondsOf(d.At(q))})
	}
	for i := range f.Estimates {
		if r := f.Estimates[i].RemainingSeconds; r != nil {
			f.Estimates[i].ByProbability = RatioOf(1 - d.Above(r.Duration()))
		}
	}
	if point := f.Headline.RemainingSeconds; point != nil {
		// The point is standard's, which may lie outside the quantiles: the shown range is extended to it.
		low, high := min(SecondsOf(d.At(0.1)), *point), max(SecondsOf(d.At(0.9)), *point)
		f.Headline.LowSeconds, f.Headline.HighSeconds = &low, &high
		return
	}
	if f.Headline.LowSeconds == nil {
		return
	}
	low, high := SecondsOf(d.At(0.1)), SecondsOf(d.At(0.9))
	if origin >= schedule.Unknown {
		low = min(SecondsOf(d.At(0.05)), *f.Headline.LowSeconds)
		f.Headline.LowSeconds = &low
		return
	}
	f.Headline.LowSeconds, f.Headline.HighSeconds = &low, &high
}
