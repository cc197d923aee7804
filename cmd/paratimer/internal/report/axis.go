package report

import (
	"strconv"
	"strings"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/chart"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/units"
)

// Drawings fill the width of the page: positions along time are percentages of the width, so that letters keep their
// size. Labels are chosen for the narrowest width; the page's script writes longer ones if there is more room.
const (
	narrowest = 600.0 // pixels
	letter    = 7.2   // mean width at font size 12
	space     = 8.0   // around a label
)

// A scale converts seconds to percentages of the width.
type scale struct{ from, to frame.Seconds }

func (s scale) share(t frame.Seconds) float64 {
	if s.to <= s.from {
		return 0
	}
	return float64(t-s.from) / float64(s.to-s.from) * 100
}

// x returns the position of a time; it may lie outside the drawing.
func (s scale) x(t frame.Seconds) string { return share(s.share(t)) }

// width returns the width of the time between two instants.
func (s scale) width(from, to frame.Seconds) string { return share(max(0, s.share(to)-s.share(from))) }

// share formats a percentage of the width.
func share(v float64) string {
	t := strconv.FormatFloat(v, 'f', 4, 64)
	t = strings.TrimSuffix(strings.TrimRight(t, "0"), ".")
	if t == "-0" {
		t = "0"
	}
	return t + "%"
}

// fits reports whether a text fits into a percentage of the narrowest width.
func fits(s string, shares float64) bool {
	return float64(len([]rune(s)))*letter+space <= shares/100*narrowest
}

// A tick is a line of a grid with its label.
type tick struct {
	At     string // a percentage along time, pixels upwards
	Text   string
	Anchor string
}

// ticks returns at most `most` round times along the width.
func (s scale) ticks(most int) []tick {
	var all []tick
	for _, t := range chart.Times(s.from.Duration(), (s.to - s.from).Duration(), most) {
		at, anchor := s.share(frame.SecondsOf(t)), "middle"
		switch {
		case at < 4:
			anchor = "start"
		case at > 96:
			anchor = "end"
		}
		all = append(all, tick{share(at), units.Exact(t), anchor})
	}
	return all
}

// heights returns round times from 0 to top, from bottom upwards.
func heights(top frame.Seconds, y func(frame.Seconds) float64, most int) []tick {
	var all []tick
	for _, t := range chart.Times(0, top.Duration(), most) {
		all = append(all, tick{At: chart.Px(y(frame.SecondsOf(t))), Text: units.Exact(t)})
	}
	return all
}
