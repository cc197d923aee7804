package past

import (
	"math"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// twelfths is how many parts of an attempt's progress Hadoop keeps the times of (PeriodicStatsAccumulator).
const twelfths = 12

// A course is an attempt's progress over time: at[i] is when (i+1)/12 of it was reached, in ms since its start; begun
// is when its first work began, as far as the splits tell. A plain course has no splits: it is straight lines, invented
// between the instants that are known.
type course struct {
	at    [twelfths]float64
	begun float64
	plain bool
}

// courseOf reads the splits of an attempt. maps says that it is a map, mapOnly that no reduce follows.
//
// Hadoop spreads the time between two reports evenly over the progress made in it. So the first part holds the set-up,
// and where reports came late the first few do: what the first parts of a map took beyond the typical part is its
// set-up. Equal parts mean that no report came before the end: they tell nothing.
func courseOf(a *Attempt, k dag.StageIndex, mapOnly bool) course {
	if !a.Start.Known() || len(a.Splits) != twelfths {
		return plainCourse(a)
	}
	low, high, sum := a.Splits[0], a.Splits[0], 0.0
	var c course
	for i, ms := range a.Splits {
		low, high = min(low, ms), max(high, ms)
		if ms < 0 {
			return plainCourse(a)
		}
		sum += float64(ms)
		c.at[i] = sum
	}
	if sum == 0 || high-low <= max(2, high/50) {
		return plainCourse(a)
	}
	if a.State != dag.AttemptSucceeded {
		c.cut(a.Splits)
		return c
	}
	if k == dag.Reduce {
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

// cut takes away what an attempt without success never did: its end counts as full progress, which fills the parts
// behind the last report evenly.
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

// plainCourse draws lines from the start over the ends of copy and sort, where there are any, to the end. How far an
// attempt without success came is not known: it stays at the start.
func plainCourse(a *Attempt) course {
	c := course{plain: true}
	if a.State != dag.AttemptSucceeded || !a.Start.Known() || !a.End.Known() || a.End <= a.Start {
		return c
	}
	for i := range c.at {
		c.at[i] = float64(a.End-a.Start) * float64(i+1) / twelfths
	}
	if c.pin(a); a.CopyEnd.Known() && a.SortEnd.Known() {
		const third = twelfths / 3
		copied, sorted, end := c.at[third-1], c.at[2*third-1], float64(a.End-a.Start)
		for i := range third {
			part := float64(i+1) / third
			c.at[i] = copied * part
			c.at[third+i] = copied + (sorted-copied)*part
			c.at[2*third+i] = sorted + (end-sorted)*part
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

// pin puts the ends of copy and sort, which are known to the millisecond, where they belong: a third and two thirds.
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

// ratio is the progress ms milliseconds after the start, in 0..1.
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
