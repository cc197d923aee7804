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
	behind time.Duration // added to a Date, it gives the driver's time; 0 while the clocks agree
	newest dag.Instant   // the newest time that the driver has reported
}

// skewLeast is the difference of the clocks from which it is corrected. Dates have a resolution of 1 s and come late.
const skewLeast = 10 * time.Second

// correct converts an instant by the Date headers to the driver's clock.
func (c *dateClock) correct(at dag.Instant) dag.Instant {
	if !at.Known() {
		return at
	}
	return at.Add(c.behind)
}

// report compares the time that the driver reports with the Date of the response. It ignores the reported time of
// drivers on which it stands still.
func (c *dateClock) report(now, date dag.Instant) {
	off := now.Sub(c.correct(date))
	switch {
	case !now.Known():
	case now == c.newest:
		c.behind = 0
	case off.Abs() >= skewLeast:
		c.behind += off
	}
	c.newest = now
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
