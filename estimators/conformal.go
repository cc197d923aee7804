package estimators

import (
	"math"
	"slices"
	"sort"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/internal/forecast"
)

// MinRuns is how many earlier runs the 80 % range must be backed by: of fewer none is the one in ten that is worst on
// a side. The 95 % range needs 39.
const MinRuns = 9

// halving is after how many later runs a run weighs half in the correction: what a cluster was like long ago says less.
const halving = 50

// Corrected is a distribution of the remaining time, corrected by how wrong those of earlier runs were when they had
// come as far. It also says how many runs that rests on; with fewer than MinRuns the stock scores stand in for them.
//
// This is split conformal prediction with signed scores and equal tails (Romano, Patterson and Candès, "Conformalized
// Quantile Regression", 2019, section 6), conditional on progress (Mondrian: Vovk et al., 2005, section 4.5; the strata
// are joined by interpolation). Every quantile is corrected for itself, so that the outcome is a distribution as well.
// Below the lowest and above the highest order for which there are runs enough, the raw distribution's own tail goes
// on, as much wider as the part beside it became.
//
// The tick is d's own.
func (d Distribution) Corrected(tick RangeTick, residuals []dag.Residual) (Distribution, int) {
	if len(d) == 0 {
		return d, 0
	}
	scores := scoresAt(residuals, tick.progress())
	if len(scores) < MinRuns {
		return d.by(tick, stock()), len(scores)
	}
	weights := make([]float64, len(scores))
	for i := range weights {
		weights[i] = math.Exp2(-float64(len(scores)-1-i) / halving)
	}
	return d.by(tick, forecast.NewScores(scores, weights)), len(scores)
}

// by is the distribution that scores make of d.
func (d Distribution) by(tick RangeTick, scores *forecast.Scores) Distribution {
	c := correction{raw: d, tick: tick, scores: scores}
	out := make(Distribution, max(len(d), fewest))
	for i := range out {
		out[i] = time.Duration(min(max(0, c.at(float64(i)/float64(len(out)-1))), float64(dag.MaxLength)))
	}
	return out
}

// fewest is how many values a corrected distribution has at least.
const fewest = 101

// A correction is a raw distribution and the scores to correct it by.
type correction struct {
	raw    Distribution
	tick   RangeTick
	scores *forecast.Scores
}

// at is the corrected quantile of order q, in nanoseconds.
func (c *correction) at(q float64) float64 {
	low, high := c.scores.Range()
	in := min(max(q, low), high)
	v := c.tick.value(c.scores.At(in))
	if q == in {
		return v
	}
	middle := c.tick.value(c.scores.At(0.5))
	wider := 1.0
	if was := float64(c.raw.At(in) - c.raw.At(0.5)); was != 0 {
		wider = min(max((v-middle)/was, 1/mostWider), mostWider)
	}
	return v + wider*float64(c.raw.At(q)-c.raw.At(in))
}

// mostWider bounds how much wider or narrower a tail becomes that no run backs.
const mostWider = 4

// scoresAt are the earlier runs' scores at a point, one a run, in order: interpolated between the points that the run
// has.
func scoresAt(residuals []dag.Residual, progress float64) []float64 {
	var out []float64
	for i := 0; i < len(residuals); {
		n := i
		for n < len(residuals) && residuals[n].Run == residuals[i].Run {
			n++
		}
		out = append(out, scoreAt(residuals[i:n], progress))
		i = n
	}
	return out
}

func scoreAt(run []dag.Residual, progress float64) float64 {
	if !slices.IsSortedFunc(run, byProgress) {
		run = slices.Clone(run)
		slices.SortStableFunc(run, byProgress)
	}
	i := sort.Search(len(run), func(i int) bool { return run[i].Progress >= progress })
	switch {
	case i == 0:
		return run[0].Score
	case i == len(run):
		return run[i-1].Score
	}
	a, b := run[i-1], run[i]
	return a.Score + (progress-a.Progress)/(b.Progress-a.Progress)*(b.Score-a.Score)
}
