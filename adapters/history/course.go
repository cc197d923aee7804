package history

import (
	"math"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// twelfths is the number of progress parts with recorded times in Hadoop (PeriodicStatsAccumulator).
const twelfths = 12

// A course is an attempt's progress over time. at[i] is when (i+1)/12 of it was reached, in ms since its start. begun
// is when its work began, as far as the splits show. A plain course has no splits: it interpolates linearly between
// the known instants.
type course struct {
	at    [twelfths]float64
	begun float64
	plain bool
}

// courseOf reads the splits of an attempt. mapOnly means that no reduce follows.
//
// Hadoop spreads the time between two reports evenly over the progress between them. The set-up is therefore in the
// first part or, if reports came late, in the first few. A map's set-up is the excess of its first parts over the
// typical part. Equal parts mean that no report came before the end, so they are ignored.
func courseOf(a *Attempt, mapOnly bool) course {
	if !a.Start.Known() || len(a.Splits) != twelfths {
		return plainCourse(a)
	}
	low, high := slices.Min(a.Splits), slices.Max(a.Splits)
	if low < 0 || high == 0 || high-low <= max(2, high/50) {
		return plainCourse(a)
	}
	var c course
	sum := 0.0
	for i, ms := range a.Splits {
		sum += float64(ms)
		c.at[i] = sum
	}
	if a.State != dag.AttemptSucceeded {
		c.cut(a.Splits)
		return c
	}
	if a.Kind == dag.Reduce {
		c.pin(a)
		return c
	}
	reading := twelfths
	if !mapOnly {
		reading = twelfths * 2 / 3
	}
	c.setUp(a.Splits[1:reading], reading)
	return c
}

// cut removes the parts that an unsuccessful attempt never reached. Its end counts as full progress, which fills the
// parts after the last report evenly.
func (c *course) cut(parts []int32) {
	last := twelfths - 1
	low, high := parts[last], parts[last]
	for ; last >= 0; last-- {
		low, high = min(low, parts[last]), max(high, parts[last])
		if high-low > 2 {
			return
		}
		c.at[last] = math.Inf(1)
	}
}

// plainCourse interpolates linearly from the start to the end, through the ends of copy and sort if they are known.
// The progress of an unsuccessful attempt is unknown, so it stays at zero.
func plainCourse(a *Attempt) course {
	c := course{plain: true}
	if a.State != dag.AttemptSucceeded || !a.Start.Known() || !a.End.Known() {
		return c
	}
	took, copied, sorted := float64(a.End-a.Start), float64(a.CopyEnd-a.Start), float64(a.SortEnd-a.Start)
	for i := range c.at {
		c.at[i] = took * float64(i+1) / twelfths
	}
	if a.CopyEnd >= a.Start && a.SortEnd >= a.Start {
		const third = twelfths / 3
		stops := []float64{0, min(copied, sorted), sorted, took}
		for i := range c.at {
			from, to := stops[i/third], stops[i/third+1]
			c.at[i] = from + (to-from)*float64(i%third+1)/third
		}
	}
	return c
}

// setUp finds when reading began.
func (c *course) setUp(parts []int32, reading int) {
	sorted := slices.Sorted(slices.Values(parts))
	typical := float64(sorted[len(sorted)/2])
	c.begun = max(0, c.at[reading-1]-float64(reading)*typical)
	for i := range c.at {
		c.at[i] = max(c.at[i], c.begun+float64(i+1)*typical*min(1, float64(reading)/float64(i+1)))
	}
}

// pin sets the ends of copy and sort, which are known to the millisecond, as one third and two thirds of progress.
func (c *course) pin(a *Attempt) {
	third := func(end dag.Instant, last int) {
		if !end.Known() || end < a.Start {
			return
		}
		at := float64(end - a.Start)
		for i := range c.at {
			if i <= last {
				c.at[i] = min(c.at[i], at)
			} else {
				c.at[i] = max(c.at[i], at)
			}
		}
		c.at[last] = at
	}
	third(a.CopyEnd, twelfths/3-1)
	third(a.SortEnd, twelfths*2/3-1)
}

// ratio returns the progress ms milliseconds after the start, from 0 to 1.
func (c *course) ratio(ms float64) float64 {
	if c.at[twelfths-1] <= 0 {
		return 0 // nothing is known
	}
	from, done := c.begun, 0.0
	for i, to := range c.at {
		part := 1.0 / twelfths
		if ms < to {
			if ms <= from {
				return done
			}
			return done + part*(ms-from)/(to-from)
		}
		from, done = max(from, to), float64(i+1)/twelfths
	}
	return 1
}
