package report

import (
	"strconv"
	"strings"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/chart"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/units"
)

// Drawings are as wide as there is room: places along time are shares of the width, so that letters keep their size.
// What is written into them is chosen for the narrowest width at which they are shown; the page's script writes more
// where there is more room.
const (
	narrowest = 600.0 // pixels
	letter    = 7.2   // mean width at font size 12
	space     = 8.0   // around a label
)

// A scale turns seconds into shares of the width.
type scale struct{ from, to frame.Seconds }

func (s scale) share(t frame.Seconds) float64 {
	if s.to <= s.from {
		return 0
	}
	return float64(t-s.from) / float64(s.to-s.from) * 100
}

// x is a place; it may lie outside of the drawing.
func (s scale) x(t frame.Seconds) string { return share(s.share(t)) }

// width is that of a stretch.
func (s scale) width(from, to frame.Seconds) string { return share(max(0, s.share(to)-s.share(from))) }

// share writes hundredths of the width.
func share(v float64) string {
	t := strconv.FormatFloat(v, 'f', 4, 64)
	t = strings.TrimSuffix(strings.TrimRight(t, "0"), ".")
	if t == "-0" {
		t = "0"
	}
	return t + "%"
}

// fits says whether a text is at most so many shares of the narrowest width wide.
func fits(s string, shares float64) bool {
	return float64(len([]rune(s)))*letter+space <= shares/100*narrowest
}

// A tick is a line of a grid with its label.
type tick struct {
	At     string // along time a share, upwards pixels
	Text   string
	Anchor string
}

// ticks are round times along the width.
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

// heights are round times up to a top, from bottom upwards.
func heights(top frame.Seconds, y func(frame.Seconds) float64, most int) []tick {
	var all []tick
	for _, t := range chart.Times(0, top.Duration(), most) {
		all = append(all, tick{At: chart.Px(y(frame.SecondsOf(t))), Text: units.Exact(t)})
	}
	return all
}
