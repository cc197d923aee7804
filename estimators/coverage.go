package estimators

import (
	"math"
	"time"
)

// Range is the central range of a level, 0..1: the quantiles of order (1-level)/2 and (1+level)/2. It panics on an empty
// distribution.
func (d Distribution) Range(level float64) (low, high time.Duration) {
	return d.At((1 - level) / 2), d.At((1 + level) / 2)
}

// RunsFor is how many earlier runs a range of a level must be backed by: for the 80 % range MinRuns, for the 95 % range
// 39. Of n runs, the best and the worst bound a range of (n-1)/(n+1).
func RunsFor(level float64) int {
	return max(MinRuns, int(math.Ceil(2/(1-level)-1-1e-9)))
}
