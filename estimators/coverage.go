package estimators

import (
	"math"
	"time"

	"github.com/paratimer/paratimer/estimators/internal/forecast"
)

// Range returns the central range of a level, 0..1: the quantiles of order (1-level)/2 and (1+level)/2. It panics
// on an empty distribution.
func (d Distribution) Range(level float64) (low, high time.Duration) {
	return d.At((1 - level) / 2), d.At((1 + level) / 2)
}

// RunsFor returns the least number of earlier runs behind a range of a level: MinRuns for the 80% range, 39 for
// the 95% range. The best and the worst of n runs bound a range of (n-1)/(n+1).
func RunsFor(level float64) int {
	return max(MinRuns, int(math.Ceil(2/(1-level)-1-1e-9)))
}

// Levels are the nominal coverages of the ranges that are scored.
var Levels = [...]float64{0.50, 0.80, 0.95}

// A RangeSample is the part of a distribution at one tick of a run that scoring needs, in seconds.
type RangeSample struct {
	Elapsed float64
	ranges  [len(Levels)][2]float64
	values  []float64 // of the remaining time, equally likely
}

// scoredValues is the number of values of a distribution that a RangeSample keeps.
const scoredValues = 64

// NewRangeSample samples a distribution of the remaining time, which must not be empty.
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

// A RangeScore measures the ranges of one run; a value that cannot be computed is NaN.
type RangeScore struct {
	Ticks int // strictly inside the run, with a range
	// Levels are in the order of Levels.
	Levels [len(Levels)]LevelScore
	CRPS   float64 // mean continuous ranked probability score, seconds
}

// A LevelScore measures the ranges of one level.
type LevelScore struct {
	Held          float64 // share of the ticks whose range covered the true remaining time, 0..1
	Width         float64 // mean width of the range, in lengths of the run
	IntervalScore float64 // mean, seconds
}

// GradeRanges scores the distributions along a run that took total seconds. Only ticks strictly inside count. The
// errors of one run's ticks depend on each other: for coverage, a run is one observation, however many ticks it
// has.
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
