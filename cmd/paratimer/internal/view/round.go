package view

import (
	"fmt"
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

// step is the coarsest unit that still tells what is known of d, which lies within spread.
func step(d, spread time.Duration) time.Duration {
	limit := max(d/coarse, spread/coarseRange)
	limit = min(limit, d/3)
	unit := steps[0]
	for _, s := range steps {
		if s <= limit {
			unit = s
		}
	}
	return unit
}

// Remaining words a headline: "~11m (10m – 14m)", "at least 4m", "?".
func Remaining(h frame.Headline) string {
	if h.RemainingSeconds == nil {
		if h.LowSeconds == nil || *h.LowSeconds < 1 {
			return "?"
		}
		d := h.LowSeconds.Duration()
		return "at least " + short(d.Truncate(step(d, 0)))
	}
	d := h.RemainingSeconds.Duration()
	if h.LowSeconds == nil || h.HighSeconds == nil {
		return "~" + short(d.Round(step(d, 0)))
	}
	low, high := h.LowSeconds.Duration(), h.HighSeconds.Duration()
	unit := step(d, high-low)
	mid := short(d.Round(unit))
	if high-low < unit {
		return "~" + mid
	}
	l, r := short(low.Truncate(unit)), short((high + unit - 1).Truncate(unit))
	return fmt.Sprintf("~%s (%s – %s)", mid, l, r)
}

// short writes a length of time with at most two units: "45s", "1m30s", "2h5m".
func short(d time.Duration) string {
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

// moved writes a change of the predicted end: "+4m", "-30s".
func moved(s frame.Seconds) string {
	d := s.Duration()
	if d < 0 {
		return "-" + short((-d).Round(step(-d, 0)))
	}
	return "+" + short(d.Round(step(d, 0)))
}
