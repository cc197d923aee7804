package history

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/estimators/profiles"
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
	logs := make([]float64, len(lengths))
	for i, l := range lengths {
		logs[i] = math.Log(l.Seconds())
	}
	weights := profiles.Weights(len(logs))
	median := weightedMedian(logs, weights)
	off := make([]float64, len(logs))
	for i, l := range logs {
		off[i] = math.Abs(l - median)
	}
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

// weightedMedian returns the value with half of the weight below and above it; the mean of two values if half lies
// exactly between them. Weights must be above 0. Without values it is NaN.
func weightedMedian(values, weights []float64) float64 {
	order := make([]int, len(values))
	total := 0.0
	for i, w := range weights {
		order[i] = i
		total += w
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case values[a] < values[b]:
			return -1
		case values[a] > values[b]:
			return 1
		}
		return 0
	})
	below := 0.0
	for k, i := range order {
		below += weights[i]
		switch half := total / 2; {
		case below > half || k == len(order)-1:
			return values[i]
		case below == half:
			return (values[i] + values[order[k+1]]) / 2
		}
	}
	return math.NaN()
}
