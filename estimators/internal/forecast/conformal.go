// Package forecast corrects forecasts by the errors of earlier ones, and scores them by the outcome.
//
// Scores gives quantiles of the next score from earlier ones, without assumptions about their distribution.
//
// If n+1 scores are exchangeable, the last one is as likely to take each of the n+1 ranks: it lies at or below the r-th
// smallest of the others with probability r/(n+1) (Vovk, Gammerman and Shafer, "Algorithmic Learning in a Random
// World", 2005, section 2; Lei et al., "Distribution-Free Predictive Inference for Regression", 2018, section 2). So
// the quantile of order q is the score of rank q(n+1), and there is none if that is outside 1..n.
package forecast

import (
	"cmp"
	"math"
	"slices"
	"sort"
)

// Scores are earlier scores, ascending, each with the order of its quantile.
type Scores struct {
	scores, orders []float64
}

// NewScores weighs scores. Score i represents weights[i] of the scores to come, and the next one weighs as much as
// the heaviest of them (Barber et al., "Conformal Prediction Beyond Exchangeability", 2023, equation 10). Weights
// must be above 0 and may have any sum; equal ones give the ranks above.
//
// A score's order is the middle of its weight, so that light scores at one end and heavy ones are treated alike.
func NewScores(scores, weights []float64) *Scores {
	n := len(scores)
	place := make([]int, n)
	sum, next := 0.0, 0.0
	for i, w := range weights {
		place[i] = i
		sum += w
		next = max(next, w)
	}
	slices.SortStableFunc(place, func(a, b int) int { return cmp.Compare(scores[a], scores[b]) })
	s := &Scores{make([]float64, n), make([]float64, n)}
	below := next / 2
	for r, i := range place {
		s.scores[r] = scores[i]
		s.orders[r] = (below + weights[i]/2) / (sum + next)
		below += weights[i]
	}
	return s
}

// Range returns the lowest and the highest order of a quantile: 1/(n+1) and n/(n+1) of n scores of equal weight.
func (s *Scores) Range() (lowest, highest float64) {
	if len(s.orders) == 0 {
		return 1, 0
	}
	return s.orders[0], s.orders[len(s.orders)-1]
}

// At returns the quantile of order q, that of the nearest end outside Range. Between two ranks it is interpolated
// linearly: definition 6 of Hyndman and Fan, "Sample Quantiles in Statistical Packages", 1996. Rounding the ranks
// outwards would be safe for every n, but too wide: 18 runs would give a range of 80% that covers 89%. It panics
// without scores.
func (s *Scores) At(q float64) float64 {
	i := sort.SearchFloat64s(s.orders, q)
	switch {
	case i == 0:
		return s.scores[0]
	case i == len(s.orders):
		return s.scores[i-1]
	}
	part := (q - s.orders[i-1]) / (s.orders[i] - s.orders[i-1])
	return s.scores[i-1] + part*(s.scores[i]-s.scores[i-1])
}

// Interval returns the interval score of the central range [low, high] of probability level, for an outcome y: its
// width, plus 2/(1-level) times the distance of an outcome outside. Less is better. Its unit is that of y. It is
// proper, as CRPS is: the true distribution scores best. Winkler, "A Decision-Theoretic Approach to Interval
// Estimation", 1972; Gneiting and Raftery, "Strictly Proper Scoring Rules, Prediction, and Estimation", 2007,
// equation 43.
func Interval(low, high, level, y float64) float64 {
	return high - low + 2/(1-level)*(max(0, low-y)+max(0, y-high))
}

// CRPS returns the continuous ranked probability score of equally likely values, ascending, for an outcome y:
// E|X-y| - E|X-X'|/2 (Gneiting and Raftery, 2007, equation 21). Less is better; for a single value it is the
// absolute error. NaN without values.
func CRPS(values []float64, y float64) float64 {
	n := float64(len(values))
	off, spread := 0.0, 0.0
	for i, v := range values {
		off += math.Abs(v - y)
		spread += v * (2*float64(i) + 1 - n) // the sum over pairs of |X-X'|, each counted once
	}
	return off/n - spread/(n*n)
}
