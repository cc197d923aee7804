package estimators

import (
	"cmp"
	"math"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// A RangeTick is what the raw distribution said at one tick: quantiles of the remaining time. Lengths of time; Elapsed
// counts from the submission of the query's first job.
type RangeTick struct {
	Elapsed           time.Duration
	Done              float64       // share of the query's tasks that are done, as far as their number is known, 0..1
	Low, Median, High time.Duration // of order 0.1, 0.5 and 0.9
}

// TickOf is the tick of a raw distribution, which must not be empty.
func TickOf(elapsed time.Duration, done float64, raw Distribution) RangeTick {
	return RangeTick{elapsed, done, raw.At(0.1), raw.At(0.5), raw.At(0.9)}
}

// Bins are where in a run its residuals are taken, as ratios of its whole length.
var Bins = [...]float64{0.05, 0.10, 0.175, 0.25, 0.375, 0.50, 0.625, 0.75, 0.825, 0.90, 0.95}

// nearBin is how far from a bin a tick may be, as a ratio of the whole length.
const nearBin = 0.025

// Residuals are what a run that took total teaches about ranges: for each of Bins the residual of the tick nearest to
// it, if one is near. Ticks are those of the watched run in order, each with what was said before any correction; ticks
// without a distribution are left out. Only runs that went to their end should be learned from: the length of one that
// was killed says nothing of the others.
func Residuals(run string, ticks []RangeTick, total time.Duration) []dag.Residual {
	var out []dag.Residual
	for _, bin := range Bins {
		best, least := -1, nearBin
		for i, t := range ticks {
			if off := math.Abs(t.Elapsed.Seconds()/total.Seconds() - bin); off <= least {
				best, least = i, off
			}
		}
		if best >= 0 {
			t := ticks[best]
			out = append(out, dag.Residual{Run: run, Progress: t.progress(), Score: t.score(total - t.Elapsed)})
		}
	}
	return out
}

func byProgress(a, b dag.Residual) int { return cmp.Compare(a.Progress, b.Progress) }

// progress is how far the run seems to be, 0..1: by time, elapsed / (elapsed + median), or by tasks where that is
// further. A median that is far too late would make a run that ends seem to be in its middle, and be corrected like
// one.
func (t RangeTick) progress() float64 {
	p := t.Done
	if all := t.Elapsed + t.Median; all > 0 {
		p = max(p, float64(t.Elapsed)/float64(all))
	}
	return min(max(p, 0), 1)
}

// leastSpread is the least spread of a range, as a ratio of the whole length that it predicts: a range that is a point
// must not make any error an infinite one.
const leastSpread = 0.01

// spread is the spread above or below the median.
func (t RangeTick) spread(above bool) time.Duration {
	s := t.Median - t.Low
	if above {
		s = t.High - t.Median
	}
	return max(s, time.Duration(leastSpread*float64(t.Elapsed+t.Median)), time.Millisecond)
}

// score says where a remaining time lies in the range; value is the reverse, in nanoseconds.
func (t RangeTick) score(remaining time.Duration) float64 {
	s := float64(remaining-t.Median) / float64(t.spread(remaining > t.Median))
	return min(max(s, -dag.MaxScore), dag.MaxScore)
}

func (t RangeTick) value(score float64) float64 {
	return float64(t.Median) + score*float64(t.spread(score > 0))
}
