package history

import (
	"fmt"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/paratimer/paratimer/estimators/profiles"
	"github.com/paratimer/paratimer/units"
)

// Outliers are found only in at least minRuns runs. A run is an outlier if the logarithm of its length is more than
// farOut standard deviations from the median. The deviation is the median absolute one times madSigma, which makes
// it the standard deviation of normal values (Leys et al., "Detecting outliers", 2013). It is at least leastSigma:
// if runs are equal to the second, one that is a third longer still counts. Runs are weighted by age, so that a
// lasting change becomes the usual length within profiles.Weights' half-life.
const (
	minRuns    = 5
	farOut     = 3
	madSigma   = 1.4826
	leastSigma = 0.1
)

// outliers returns for each length, oldest first, why it is an outlier; "" if it is none.
func outliers(lengths []time.Duration) []string {
	out := make([]string, len(lengths))
	if len(lengths) < minRuns {
		return out
	}
	logs := units.Each(lengths, func(l time.Duration) float64 { return math.Log(l.Seconds()) })
	weights := profiles.Weights(len(logs))
	median := weightedMedian(logs, weights)
	off := units.Each(logs, func(l float64) float64 { return math.Abs(l - median) })
	limit := farOut * max(madSigma*weightedMedian(off, weights), leastSigma)
	for i := range out {
		switch {
		case off[i] <= limit:
		case logs[i] > median:
			out[i] = fmt.Sprintf("outlier: %.2g times as long as usual", math.Exp(off[i]))
		default:
			out[i] = fmt.Sprintf("outlier: %.2g of the usual length", math.Exp(-off[i]))
		}
	}
	return out
}

// weightedMedian returns the least value with half of the weight at or below it. Weights must be above 0. Without
// values it is NaN.
func weightedMedian(values, weights []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	values, weights = slices.Clone(values), slices.Clone(weights)
	stat.SortWeighted(values, weights)
	return stat.Quantile(0.5, stat.Empirical, values, weights)
}
