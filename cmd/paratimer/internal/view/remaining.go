package view

import (
	"fmt"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/units"
)

// Remaining formats a headline: "~11m (10m – 14m)", "~11m (10m – 14m, rough)", "6m – 24m (rough)",
// "at least 4m", "up to 2m", "?". The text depends on the headline alone, so every view shows the same number.
func Remaining(h frame.Headline) string { return shownOf(h).String() }

// Left formats the remaining time of a scenario, rounded like the headline beside it: "~11m". The headline's own
// remaining time looks as in Remaining.
func Left(s frame.Seconds, h frame.Headline) string {
	h.RemainingSeconds = &s
	shown := shownOf(h)
	if shown.kind == shownRange {
		shown.kind = shownPoint
	}
	return shown.String()
}

// Unit returns the unit that a headline is rounded to: the coarsest one that keeps its precision.
func Unit(h frame.Headline) time.Duration {
	switch {
	case h.RemainingSeconds != nil && h.LowSeconds != nil && h.HighSeconds != nil:
		return units.Step(h.RemainingSeconds.Duration(), (*h.HighSeconds - *h.LowSeconds).Duration())
	case h.RemainingSeconds != nil:
		return units.Step(h.RemainingSeconds.Duration(), 0)
	case h.LowSeconds != nil && h.HighSeconds != nil:
		return units.Step(h.HighSeconds.Duration(), (*h.HighSeconds - *h.LowSeconds).Duration())
	case h.LowSeconds != nil:
		return units.Step(h.LowSeconds.Duration(), 0)
	}
	return 0
}

// shown is the part of a headline that is shown, rounded.
type shown struct {
	kind           shownKind
	mid, low, high time.Duration
	doubt          string // what makes the range less sure: "rough", "first run", or nothing
}

type shownKind uint8

const (
	shownNothing shownKind = iota
	shownFloor             // at least mid
	shownCeiling           // up to mid
	shownPoint             // mid
	shownRange             // mid, between low and high
	shownBetween           // between low and high
)

// overdue is the upper end from which "any second now" would be wrong.
const overdue = 5 * time.Second

// shownOf returns the part of a headline that is shown.
func shownOf(h frame.Headline) shown {
	unit := Unit(h)
	up := func(s frame.Seconds) time.Duration { return (s.Duration() + unit - 1).Truncate(unit) }
	switch {
	case h.RemainingSeconds == nil && (h.LowSeconds == nil || *h.LowSeconds < 1 && h.HighSeconds == nil):
		return shown{}
	case h.RemainingSeconds == nil && h.HighSeconds == nil:
		return shown{kind: shownFloor, mid: h.LowSeconds.Duration().Truncate(unit)}
	case h.RemainingSeconds == nil && *h.LowSeconds < 1: // a range that starts now
		return shown{kind: shownCeiling, mid: up(*h.HighSeconds), doubt: doubtOf(h)}
	case h.RemainingSeconds == nil:
		return shown{
			kind: shownBetween, low: h.LowSeconds.Duration().Truncate(unit), high: up(*h.HighSeconds),
			doubt: doubtOf(h),
		}
	}
	d := h.RemainingSeconds.Duration()
	s := shown{kind: shownPoint, mid: d.Round(unit)}
	if h.LowSeconds == nil || h.HighSeconds == nil {
		return s
	}
	low, high := h.LowSeconds.Duration(), h.HighSeconds.Duration()
	switch {
	case d < time.Second && high >= overdue: // the estimate has passed, and the query still runs: show no estimate
		unit = units.Step(high, high)
		return shown{kind: shownCeiling, mid: up(*h.HighSeconds)}
	case d < time.Second: // any second now
		return shown{kind: shownPoint}
	case high-low < unit:
		return s
	}
	s.kind, s.doubt = shownRange, doubtOf(h)
	s.low, s.high = min(low.Truncate(unit), s.mid), max(up(*h.HighSeconds), s.mid)
	return s
}

// firstRun marks the time of an application with an unknown program.
const firstRun = "first run"

// doubtOf returns what makes a headline's range less sure.
func doubtOf(h frame.Headline) string {
	switch {
	case h.MoreRatio != nil:
		return fmt.Sprintf("%s, %.0f %% that more work comes", firstRun, 100*float64(*h.MoreRatio))
	case h.Rough:
		return "rough"
	}
	return ""
}

func (s shown) inBrackets() string {
	if s.doubt == "" {
		return ""
	}
	return " (" + s.doubt + ")"
}

func (s shown) String() string {
	switch s.kind {
	case shownFloor:
		return "at least " + units.Short(s.mid)
	case shownCeiling:
		return "up to " + units.Short(s.mid) + s.inBrackets()
	case shownPoint:
		if s.mid < time.Second {
			return units.Short(s.mid)
		}
		return "~" + units.Short(s.mid)
	case shownRange:
		doubt := ""
		if s.doubt != "" {
			doubt = ", " + s.doubt
		}
		return fmt.Sprintf("~%s (%s – %s%s)", units.Short(s.mid), units.Short(s.low), units.Short(s.high), doubt)
	case shownBetween:
		return fmt.Sprintf("%s – %s%s", units.Short(s.low), units.Short(s.high), s.inBrackets())
	case shownNothing:
	}
	return "?"
}

// clearly reports whether a headline differs from the one shown before by more than half of its rounding unit. So a
// value that moves across an edge of the rounding is no difference.
func clearly(h, before frame.Headline) bool {
	off := (Unit(h) / 2).Seconds()
	for _, pair := range [][2]*frame.Seconds{
		{h.RemainingSeconds, before.RemainingSeconds},
		{h.LowSeconds, before.LowSeconds},
		{h.HighSeconds, before.HighSeconds},
	} {
		if (pair[0] == nil) != (pair[1] == nil) || pair[0] != nil &&
			(*pair[0]-*pair[1]).Duration().Abs().Seconds() > off {
			return true
		}
	}
	return false
}
