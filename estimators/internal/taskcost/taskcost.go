// Package taskcost has the arithmetic of costs in milliseconds that all cost laws share.
package taskcost

import (
	"math"
	"slices"
	"time"
)

// Notable is the least difference of times that is reported or counted, besides NotableRatio of the whole.
const (
	Notable      = 5 * time.Second
	NotableRatio = 0.02
)

// LeastCounted is the least counter besides 0: powers of smaller ones overflow.
const LeastCounted = 1e-6

// Named is the number of names in a text; more are counted.
const Named = 3

// Heartbeat is the longest interval at which Hadoop's nodes request work.
const Heartbeat = 3 * time.Second

const (
	// MostMS bounds a cost to ten years: a hostile counter must not overflow the schedule.
	MostMS = 10 * 365 * 86400 * 1000
	// LeastMS is the least remaining time of a running attempt, in milliseconds, and that of a reduce's copy.
	LeastMS = 300
	// lateRatio is the extra time of an attempt for each millisecond that it is late.
	lateRatio = 0.1
	// ShortMS is the length of tasks that mostly open and commit, in milliseconds: less work does not show a rate.
	ShortMS = 1000
	// MostSlowdown bounds how much slower or faster work is than expected; more is another program, or a mistake.
	MostSlowdown = 10
	// PriorMS is the weight of a profile's rate against this run's, and of a stage's against an attempt's own, in
	// watched work. Less work does not show a rate.
	PriorMS = 4000
)

// MS returns a length of time in milliseconds.
func MS(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// Duration rounds a cost half up (facts/paratimer.md P2) to a duration of whole milliseconds. NaN and negative
// costs are 0, none is above MostMS.
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

// Quantile interpolates in a sorted list (definition 7 of Hyndman and Fan, 1996); NaN for an empty list.
func Quantile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	at := q * float64(len(sorted)-1)
	i := min(int(at), len(sorted)-1)
	return sorted[i] + (at-float64(i))*(sorted[min(i+1, len(sorted)-1)]-sorted[i])
}

// Order returns 0 to n-1 in the order of compare; equal ones keep their order.
func Order(n int, compare func(a, b int) int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, compare)
	return order
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

// Times returns d times a factor, rounded as by Duration.
func Times(d time.Duration, factor float64) time.Duration { return Duration(MS(d) * factor) }

// A Line fits y = alone + each·x by weighted least squares.
type Line struct{ n, x, y, xx, xy float64 }

// Add adds a point with a weight.
func (l *Line) Add(w, x, y float64) {
	l.n, l.x, l.y, l.xx, l.xy = l.n+w, l.x+w*x, l.y+w*y, l.xx+w*x*x, l.xy+w*x*y
}

// A Rated is a point with a part of y in proportion to its units.
type Rated struct{ Weight, Units, X, Y float64 }

// AddRated adds points that share an unknown rate of their units. The rate is projected out of the normal equations
// (Frisch and Waugh 1933), so points of the same units and the same x have no effect.
func (l *Line) AddRated(points []Rated) {
	var p Line
	var u, xu, uu, uy float64
	for _, r := range points {
		p.Add(r.Weight, r.X, r.Y)
		u, xu = u+r.Weight*r.Units, xu+r.Weight*r.Units*r.X
		uu, uy = uu+r.Weight*r.Units*r.Units, uy+r.Weight*r.Units*r.Y
	}
	if !(uu > 0) || math.IsInf(uu, 1) || p.n-u*u/uu <= 1e-9*p.n {
		return
	}
	l.n += p.n - u*u/uu
	l.x += p.x - u*xu/uu
	l.xx += p.xx - xu*xu/uu
	l.y += p.y - u*uy/uu
	l.xy += p.xy - xu*uy/uu
}

// Fit returns the line, neither part of it below 0; 0 if nothing was added.
func (l *Line) Fit() (alone, each float64) {
	if d := l.n*l.xx - l.x*l.x; d > 0 {
		each = max(0, (l.n*l.xy-l.x*l.y)/d)
	}
	if l.n > 0 {
		alone = max(0, (l.y-each*l.x)/l.n)
	}
	return alone, each
}
