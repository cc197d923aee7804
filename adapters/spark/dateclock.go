package spark

import (
	"fmt"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// A dateClock makes one clock of two: of the Date headers, by which answers are dated, and of the driver's own stamps
// in them, such as when a task was launched. A proxy's Date may be hours off. The driver's stamps are right by
// definition, since all lengths are differences of them.
type dateClock struct {
	behind  time.Duration // added to a Date, it gives the driver's time; 0 while the two agree
	newest  dag.Instant   // the newest stamp of the driver
	checked dag.Instant   // the Date at the last check
	before  dag.Instant   // the newest stamp at the last check
	doubted bool          // the time that the driver reports is of no use
}

func newDateClock() dateClock {
	return dateClock{newest: dag.NoInstant, checked: dag.NoInstant, before: dag.NoInstant}
}

const (
	// skewLeast is by how much the clocks must differ before it is corrected: Dates are in seconds, and come late.
	skewLeast = 10 * time.Second
	// lagMost is how old the newest of the new stamps may be when it is first seen. Answers list what happened since
	// the last round, and some lists are asked for seldom.
	lagMost = 2 * time.Minute
)

// correct turns an instant by the Date headers into one by the driver's clock.
func (c *dateClock) correct(at dag.Instant) dag.Instant {
	if !at.Known() {
		return at
	}
	return at.Add(c.behind)
}

// stamp takes a stamp of the driver.
func (c *dateClock) stamp(at dag.Instant) { c.newest = max(c.newest, at) }

// report takes the time that the driver reports in an answer of a Date: of some drivers it stands still.
func (c *dateClock) report(now, date dag.Instant) {
	switch {
	case c.doubted || !now.Known():
	case now < c.newest:
		c.doubted, c.behind = true, 0
	case now.Sub(c.correct(date)).Abs() >= skewLeast:
		c.behind += now.Sub(c.correct(date))
	}
}

// check compares the Date at the end of a round with the driver's stamps: none lies after it, and the newest one, if it
// is new in this round, not long before it.
func (c *dateClock) check(date dag.Instant) {
	if c.newest.Known() {
		off := c.newest.Sub(c.correct(date))
		isNew := c.before.Known() && c.newest > c.before
		if off > skewLeast || off > 0 && c.behind != 0 || isNew && -off > lagMost+max(0, date.Sub(c.checked)) {
			c.behind += off
		}
	}
	c.checked, c.before = date, c.newest
}

// remark warns that the clocks differ.
func (c *dateClock) remark() []dag.Warning {
	if c.behind == 0 {
		return nil
	}
	word := "behind"
	if c.behind < 0 {
		word = "ahead of"
	}
	return []dag.Warning{{Code: dag.WarnClockSkew, Text: fmt.Sprintf(
		"the Date of the driver's answers is %s %s the driver's own times: times are by the driver's clock",
		units.Elapsed(c.behind.Abs().Round(time.Second)), word)}}
}
