package estimators

import (
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/estimators/internal/taskcost"
)

// A Distribution is a set of equally likely values of a length of time, ascending. Empty: nothing is known.
type Distribution []time.Duration

// At returns the quantile of order q, 0..1, interpolated linearly between the values (definition 7 of Hyndman and
// Fan, "Sample Quantiles in Statistical Packages", 1996). It panics on an empty distribution.
func (d Distribution) At(q float64) time.Duration {
	h := min(max(q, 0), 1) * float64(len(d)-1)
	i := int(math.Floor(h))
	if i+1 >= len(d) {
		return d[len(d)-1]
	}
	return d[i] + time.Duration((h-float64(i))*float64(d[i+1]-d[i]))
}

// Above returns the probability of more than t, NaN if the distribution is empty.
func (d Distribution) Above(t time.Duration) float64 {
	if len(d) == 0 {
		return math.NaN()
	}
	i, _ := slices.BinarySearch(d, t+1)
	return float64(len(d)-i) / float64(len(d))
}

// Less returns the distribution after the time by has passed without new information: each value less by, at least
// 0.
func (d Distribution) Less(by time.Duration) Distribution {
	out := make(Distribution, len(d))
	for i, v := range d {
		out[i] = max(0, v-by)
	}
	return out
}

// Range returns the central range of a level, 0..1: the quantiles of order (1-level)/2 and (1+level)/2. It panics
// on an empty distribution.
func (d Distribution) Range(level float64) (low, high time.Duration) {
	return d.At((1 - level) / 2), d.At((1 + level) / 2)
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
	Held          float64 // share of the ticks with a range that covered the true remaining time, 0..1
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
			to.IntervalScore += intervalScore(r[0], r[1], Levels[l], left)
		}
		out.CRPS += crps(x.values, left)
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

// A Sample is an estimate at one tick of a finished run, in seconds since the run's start.
type Sample struct {
	Elapsed   float64
	Remaining float64 // NaN: the estimate has no time
	Progress  float64 // 0..1, used if there is no time; NaN: unknown
}

// A Score measures the errors of an estimator along a run. Errors are in percentage points of progress: equation
// (2) of section 4.1 with the misprint of equation (1) corrected. A value that cannot be computed is NaN.
type Score struct {
	Ticks         int // strictly inside the run
	MeanPoints    float64
	MedianPoints  float64
	P90Points     float64
	MaxPoints     float64
	BiasPoints    float64 // mean signed error; positive: too optimistic
	MeanSeconds   float64 // mean absolute error of the remaining time
	NoEstimate    float64 // share of the ticks without an estimate, 0..1
	FirstEstimate float64 // elapsed seconds at the first tick with an estimate
	HalfTime      float64 // absolute error in points at the tick nearest to half time, NaN if it has no estimate
}

// Grade scores the samples of a run that took total seconds. Only ticks strictly inside (0, total) count.
//
// An estimator that gives only a fraction f is scored by f; its time is elapsed (1-f)/f.
// Quantiles are interpolated linearly between ticks.
func Grade(total float64, samples []Sample) Score {
	s := Score{FirstEstimate: math.NaN(), HalfTime: math.NaN()}
	var points, seconds []float64
	var bias float64
	half := math.Inf(1)
	for _, x := range samples {
		if !(x.Elapsed > 0 && x.Elapsed < total) {
			continue
		}
		s.Ticks++
		off, known := x.points(total)
		if d := math.Abs(x.Elapsed - total/2); d < half {
			half, s.HalfTime = d, math.Abs(off)
		}
		if !known {
			continue
		}
		if math.IsNaN(s.FirstEstimate) {
			s.FirstEstimate = x.Elapsed
		}
		points = append(points, math.Abs(off))
		bias += off
		if d := math.Abs(x.seconds() - (total - x.Elapsed)); !math.IsNaN(d) && !math.IsInf(d, 0) {
			seconds = append(seconds, d)
		}
	}
	slices.Sort(points)
	s.MeanPoints, s.MeanSeconds = mean(points), mean(seconds)
	s.MedianPoints, s.P90Points = taskcost.Quantile(points, 0.5), taskcost.Quantile(points, 0.9)
	s.MaxPoints = taskcost.Quantile(points, 1)
	s.BiasPoints = bias / float64(len(points))
	s.NoEstimate = 1 - float64(len(points))/float64(s.Ticks)
	return s
}

// points returns the signed error of the sample's progress in percentage points; positive means too far.
func (x Sample) points(total float64) (off float64, known bool) {
	f := x.Progress
	if !math.IsNaN(x.Remaining) {
		f = x.Elapsed / (x.Elapsed + max(0, x.Remaining))
	}
	return 100 * (f - x.Elapsed/total), !math.IsNaN(f)
}

// seconds returns the remaining time of the sample.
func (x Sample) seconds() float64 {
	if !math.IsNaN(x.Remaining) {
		return x.Remaining
	}
	return x.Elapsed * (1 - x.Progress) / x.Progress
}

// mean returns NaN for an empty list.
func mean(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}

// intervalScore returns the interval score of the central range [low, high] of probability level, for an outcome y: its
// width, plus 2/(1-level) times the distance of an outcome outside. Less is better. Its unit is that of y. It is
// proper, as CRPS is: the true distribution scores best. Winkler, "A Decision-Theoretic Approach to Interval
// Estimation", 1972; Gneiting and Raftery, "Strictly Proper Scoring Rules, Prediction, and Estimation", 2007,
// equation 43.
func intervalScore(low, high, level, y float64) float64 {
	return high - low + 2/(1-level)*(max(0, low-y)+max(0, y-high))
}

// crps returns the continuous ranked probability score of equally likely values, ascending, for an outcome y:
// E|X-y| - E|X-X'|/2 (Gneiting and Raftery, 2007, equation 21). Less is better; for a single value it is the
// absolute error. NaN without values.
func crps(values []float64, y float64) float64 {
	n := float64(len(values))
	off, spread := 0.0, 0.0
	for i, v := range values {
		off += math.Abs(v - y)
		spread += v * (2*float64(i) + 1 - n) // the sum over pairs of |X-X'|, each counted once
	}
	return off/n - spread/(n*n)
}
