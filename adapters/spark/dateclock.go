package spark

import (
	"fmt"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// A dateClock converts between two clocks: the Date headers of responses, and the driver's own timestamps in them,
// such as launch times. A proxy's Date may be hours off. The driver's timestamps define the time, because all
// durations are differences of them.
type dateClock struct {
	behind  time.Duration // added to a Date, it gives the driver's time; 0 while the clocks agree
	newest  dag.Instant   // the driver's newest timestamp
	checked dag.Instant   // the Date at the last check
	before  dag.Instant   // the driver's newest timestamp at the last check
	doubted bool          // the time that the driver reports is not usable
}

func newDateClock() dateClock {
	return dateClock{newest: dag.NoInstant, checked: dag.NoInstant, before: dag.NoInstant}
}

const (
	// skewLeast is the difference of the clocks from which it is corrected. Dates have a resolution of 1 s and come
	// late.
	skewLeast = 10 * time.Second
	// lagMost bounds the age of the newest timestamp when it is first seen. Responses list events since the previous
	// poll, and some lists are requested less often.
	lagMost = 2 * time.Minute
)

// correct converts an instant by the Date headers to the driver's clock.
func (c *dateClock) correct(at dag.Instant) dag.Instant {
	if !at.Known() {
		return at
	}
	return at.Add(c.behind)
}

// stamp records a timestamp of the driver.
func (c *dateClock) stamp(at dag.Instant) { c.newest = max(c.newest, at) }

// report compares the time that the driver reports with the Date of the response. It ignores the reported time of
// drivers on which it stands still.
func (c *dateClock) report(now, date dag.Instant) {
	switch {
	case c.doubted || !now.Known():
	case now < c.newest:
		c.doubted, c.behind = true, 0
	case now.Sub(c.correct(date)).Abs() >= skewLeast:
		c.behind += now.Sub(c.correct(date))
	}
}

// check compares the Date at the end of a poll with the driver's timestamps. None may be later than the Date. A new
// one may not be much older than the Date.
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

// remark warns if the clocks differ.
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
