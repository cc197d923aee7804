package view

import (
	"strings"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
)

// steps are the units that times are rounded to.
var steps = []time.Duration{
	time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 30 * time.Second,
	time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 30 * time.Minute, time.Hour,
}

// coarse is the share of a time that rounding may take away: a twentieth. A quarter of the range may go too.
const (
	coarse      = 20
	coarseRange = 4
)

// Step is the coarsest unit that still tells what is known of d, which lies within spread.
func Step(d, spread time.Duration) time.Duration {
	limit := coarsest(d, spread)
	unit := steps[0]
	for _, s := range steps {
		if s <= limit {
			unit = s
		}
	}
	return unit
}

// coarsest is how much rounding may take away.
func coarsest(d, spread time.Duration) time.Duration {
	return min(max(d/coarse, spread/coarseRange), d/3)
}

// Remaining words a headline that stands alone.
func Remaining(h frame.Headline) string { return new(steady).remaining(h) }

// Short writes a length of time with at most two units: "45s", "1m30s", "2h5m".
func Short(d time.Duration) string {
	if d < time.Second {
		return "<1s"
	}
	if d >= time.Hour {
		d = d.Round(time.Minute)
	}
	s := d.Round(time.Second).String()
	if cut := strings.TrimSuffix(s, "m0s"); cut != s {
		s = cut + "m"
	}
	if cut := strings.TrimSuffix(s, "h0m"); cut != s {
		s = cut + "h"
	}
	return s
}

// Moved writes a change of the predicted end: "+4m", "-30s".
func Moved(s frame.Seconds) string {
	d := s.Duration()
	if d < 0 {
		return "-" + Short((-d).Round(Step(-d, 0)))
	}
	return "+" + Short(d.Round(Step(d, 0)))
}
