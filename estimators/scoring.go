package estimators

import (
	"math"
	"slices"
)

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
	s.MedianPoints, s.P90Points, s.MaxPoints = quantile(points, 0.5), quantile(points, 0.9), quantile(points, 1)
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

// quantile interpolates in a sorted list; NaN for an empty list.
func quantile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	at := q * float64(len(sorted)-1)
	i := int(at)
	if i+1 == len(sorted) {
		return sorted[i]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}
