package estimators

import (
	"math"
	"time"

	"github.com/paratimer/paratimer/estimators/internal/forecast"
)

// Range is the central range of a level, 0..1: the quantiles of order (1-level)/2 and (1+level)/2. It panics on an
// empty distribution.
func (d Distribution) Range(level float64) (low, high time.Duration) {
	return d.At((1 - level) / 2), d.At((1 + level) / 2)
}

// RunsFor is how many earlier runs a range of a level must be backed by: for the 80 % range MinRuns, for the 95 % range
// 39. Of n runs, the best and the worst bound a range of (n-1)/(n+1).
func RunsFor(level float64) int {
	return max(MinRuns, int(math.Ceil(2/(1-level)-1-1e-9)))
}

// Levels are the ranges that are scored: how often each should hold what happens.
var Levels = [...]float64{0.50, 0.80, 0.95}

// A RangeSample is what a distribution said at one tick of a run, in seconds. It keeps what scoring needs, not the
// whole.
type RangeSample struct {
	Elapsed float64
	ranges  [len(Levels)][2]float64
	values  []float64 // of the remaining time, equally likely
}

// scoredValues is how many values of a distribution are kept.
const scoredValues = 64

// NewRangeSample keeps a distribution of the remaining time, which must not be empty.
func NewRangeSample(elapsed time.Duration, d Distribution) RangeSample {
	s := RangeSample{Elapsed: elapsed.Seconds(), values: make([]float64, scoredValues)}
	for i, level := range Levels {
		low, high := d.Range(level)
		s.ranges[i] = [2]float64{low.Seconds(), high.Seconds()}
	}
	for i := range s.values {
		s.values[i] = d.At((float64(i) + 0.5) / scoredValues).Seconds()
	}
	return s
}

// A RangeScore is how right ranges were along a run; what cannot be said is NaN.
type RangeScore struct {
	Ticks int // strictly inside the run, with a range
	// Levels are in the order of Levels.
	Levels [len(Levels)]LevelScore
	CRPS   float64 // mean continuous ranked probability score, seconds
}

// A LevelScore is how right the ranges of one level were.
type LevelScore struct {
	Held          float64 // share of the ticks whose range held the true remaining time, 0..1
	Width         float64 // mean width of the range, in lengths of the run
	IntervalScore float64 // mean, seconds
}

// GradeRanges scores what distributions said along a run that took total seconds. Only ticks strictly inside count.
// Ticks of one run err together: a run is one observation of how well ranges hold, not as many as it has ticks.
func GradeRanges(total float64, samples []RangeSample) RangeScore {
	var out RangeScore
	for i := range samples {
		x := &samples[i]
		if !(x.Elapsed > 0 && x.Elapsed < total) {
			continue
		}
		out.Ticks++
		left := total - x.Elapsed
		for l, r := range x.ranges {
			to := &out.Levels[l]
			if r[0] <= left && left <= r[1] {
				to.Held++
			}
			to.Width += (r[1] - r[0]) / total
			to.IntervalScore += forecast.Interval(r[0], r[1], Levels[l], left)
		}
		out.CRPS += forecast.CRPS(x.values, left)
	}
	n := float64(out.Ticks)
	out.CRPS /= n
	for l := range out.Levels {
		out.Levels[l].Held /= n
		out.Levels[l].Width /= n
		out.Levels[l].IntervalScore /= n
	}
	return out
}
