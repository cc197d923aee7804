package view

import (
	"fmt"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
)

// A steady words headlines one after another. What is shown stays while the new value is within its rounding, and a
// quarter of a unit beyond: a value on the edge between two does not flip from line to line. The zero steady has shown nothing.
type steady struct {
	unit, mid, low, high time.Duration // as shown; unit is 0 where the last headline was no number
	bare                 bool          // without a range
}

// remaining words a headline: "~11m (10m – 14m)", "~11m (10m – 14m, rough)", "6m – 24m (rough)", "at least 4m", "up to 2m", "?".
func (s *steady) remaining(h frame.Headline) string { return s.say(h).String() }

// said is what of a headline is shown, rounded.
type said struct {
	kind           saidKind
	mid, low, high time.Duration
	rough          bool
}

type saidKind uint8

const (
	saidNothing saidKind = iota
	saidFloor            // at least mid
	saidCeiling          // up to mid
	saidPoint            // mid
	saidRange            // mid, between low and high
	saidBetween          // between low and high
)

// say chooses what of a headline is shown.
func (s *steady) say(h frame.Headline) said {
	if h.RemainingSeconds == nil {
		*s = steady{}
		if h.LowSeconds == nil || *h.LowSeconds < 1 && h.HighSeconds == nil {
			return said{}
		}
		d := h.LowSeconds.Duration()
		if h.HighSeconds == nil {
			return said{kind: saidFloor, mid: d.Truncate(Step(d, 0))}
		}
		high := h.HighSeconds.Duration()
		unit := Step(high, high-d)
		return said{kind: saidBetween, low: d.Truncate(unit), high: (high + unit - 1).Truncate(unit), rough: h.Rough}
	}
	d := h.RemainingSeconds.Duration()
	low, high, bare := d, d, h.LowSeconds == nil || h.HighSeconds == nil
	if !bare {
		low, high = h.LowSeconds.Duration(), h.HighSeconds.Duration()
	}
	if unit := s.stay(d, high-low); unit != s.unit || bare != s.bare {
		*s = steady{unit, d.Round(unit), low.Truncate(unit), (high + unit - 1).Truncate(unit), bare}
	} else {
		slack := unit / 4
		s.mid = keep(s.mid, d.Round(unit), d-s.mid, -unit/2-slack, unit/2+slack)
		s.low = keep(s.low, low.Truncate(unit), low-s.low, -slack, unit+slack)
		s.high = keep(s.high, (high + unit - 1).Truncate(unit), high-s.high, -unit-slack, slack)
	}
	switch {
	case d < time.Second && high >= overdue: // its time is over, and it runs on: no point is left to name
		unit := Step(high, high)
		return said{kind: saidCeiling, mid: (high + unit - 1).Truncate(unit)}
	case bare || high-low < s.unit:
		return said{kind: saidPoint, mid: s.mid}
	}
	return said{kind: saidRange, mid: s.mid, low: min(s.low, s.mid), high: max(s.high, s.mid), rough: h.Rough}
}

func (s said) String() string {
	switch s.kind {
	case saidFloor:
		return "at least " + Short(s.mid)
	case saidCeiling:
		return "up to " + Short(s.mid)
	case saidPoint:
		return "~" + Short(s.mid)
	case saidRange:
		rough := ""
		if s.rough {
			rough = ", rough"
		}
		return fmt.Sprintf("~%s (%s – %s%s)", Short(s.mid), Short(s.low), Short(s.high), rough)
	case saidBetween:
		rough := ""
		if s.rough {
			rough = " (rough)"
		}
		return fmt.Sprintf("%s – %s%s", Short(s.low), Short(s.high), rough)
	case saidNothing:
	}
	return "?"
}

// overdue is the upper end from which on "any second now" would be wrong.
const overdue = 5 * time.Second

// keep is the value shown while what is new lies off it by more than least and less than most.
func keep(shown, rounded, off, least, most time.Duration) time.Duration {
	if off > least && off < most {
		return shown
	}
	return rounded
}

// stay is the unit to round to: the one shown, unless another one is clearly better.
func (s *steady) stay(d, spread time.Duration) time.Duration {
	unit := Step(d, spread)
	if s.unit == 0 || unit == s.unit {
		return unit
	}
	if limit := coarsest(d, spread); unit > s.unit && limit*4 < unit*5 || unit < s.unit && limit*5 > s.unit*4 {
		return s.unit
	}
	return unit
}
