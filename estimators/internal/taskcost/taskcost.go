// Package taskcost has the arithmetic of costs in milliseconds that all cost laws share.
package taskcost

import (
	"math"
	"time"
)

const (
	// MostMS bounds a cost to ten years: a hostile counter must not overflow the schedule.
	MostMS = 10 * 365 * 86400 * 1000
	// LongestMS bounds a cost of any model, at about 30 years: sums over a query's longest chain stay within a
	// time.Duration.
	LongestMS = 1e12
	// LeastMS is the least remaining time of a running attempt, in milliseconds.
	LeastMS = 300
	// lateRatio is the extra time of an attempt for each millisecond that it is late.
	lateRatio = 0.1
	// PriorMS is the weight of a profile's rate against this run's, in watched work.
	PriorMS = 4000
	// OwnPriorMS is the weight of a stage's rate against an attempt's own.
	OwnPriorMS = 6000
)

// MS returns a length of time in milliseconds.
func MS(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// Duration rounds a cost in milliseconds. NaN and negative costs are 0, none is above MostMS.
func Duration(ms float64) time.Duration {
	if math.IsNaN(ms) || ms <= 0 {
		return 0
	}
	return time.Duration(min(ms, MostMS)+0.5) * time.Millisecond
}

// Blend returns the rate, in milliseconds a unit, of units that took ms, drawn towards an expected rate as if prior
// milliseconds of work had shown that rate. The expected rate must be above 0.
func Blend(ms, units, expected, prior float64) float64 {
	return (ms + prior) / (units + prior/expected)
}

// Overdue turns a remaining time that has run out into one that is conditional on not having ended yet. All are in
// milliseconds; age is how long the attempt has run.
func Overdue(left, age float64) float64 {
	if left >= LeastMS {
		return left
	}
	late := LeastMS - left
	return LeastMS + min(late, age)*lateRatio
}

// Finite returns a time in milliseconds, 0 if it is not positive, at most MostMS.
func Finite(ms float64) float64 {
	if !(ms > 0) {
		return 0
	}
	return min(ms, MostMS)
}

// Bounded makes a cost of any float: never NaN, never negative, never more than LongestMS.
func Bounded(ms float64) float64 {
	if !(ms > 0) {
		return 0
	}
	return min(ms, LongestMS)
}

// Exact converts milliseconds, not rounded to whole ones, saturating at 0 and at the longest time.Duration.
func Exact(ms float64) time.Duration {
	switch ns := math.Round(ms * 1e6); {
	case !(ns > 0):
		return 0
	case ns >= math.MaxInt64:
		return math.MaxInt64
	default:
		return time.Duration(ns)
	}
}

// Whole rounds a bounded cost half up (docs/facts/paratimer.md P2) to a duration of whole milliseconds.
func Whole(ms float64) time.Duration {
	return time.Duration(math.Floor(Bounded(ms)+0.5)) * time.Millisecond
}
