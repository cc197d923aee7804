// Package chart draws: Gantt charts, curves, round ticks of axes. A chart is a typed value that a view fills; its
// methods write it as a file or as a part of a page. A drawing needs no font, no script and no
// network, and carries its palette for light screens, dark screens and paper.
package chart

import (
	"bytes"
	_ "embed"
	"fmt"
	"html"
	"html/template"
	"strconv"
	"strings"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/units"
)

// Style is the palette as CSS variables, and the rules of all drawings. Pages include it before their own rules.
//
//go:embed assets/chart.css
var Style string

// Measures in pixels. Drawings along time fill the width that they get: positions are percentages, so that letters
// keep their size. Labels are chosen for the narrowest width; the page's script writes longer ones if there is room.
const (
	sideWidth  = 96.0
	plotWidth  = 1076.0 // of a drawing that stands alone
	narrowest  = 600.0  // of a plot in a page
	headHeight = 84.0   // above a drawing that stands alone
	axisHeight = 26.0
	letter     = 7.2 // mean width at font size 12
	space      = 8.0 // around a label
)

// A Share is a percentage of the width.
type Share float64

func (v Share) String() string { return short(float64(v), 4) + "%" }

// short formats a number without zeros at its end.
func short(v float64, digits int) string {
	t := strings.TrimSuffix(strings.TrimRight(strconv.FormatFloat(v, 'f', digits, 64), "0"), ".")
	if t == "-0" {
		return "0"
	}
	return t
}

// A scale converts seconds to shares of the width.
type scale struct{ from, to float64 }

func (s scale) at(t float64) Share {
	if s.to <= s.from {
		return 0
	}
	return Share((t - s.from) / (s.to - s.from) * 100)
}

// An svg is markup that is being written.
type svg struct{ bytes.Buffer }

// put formats a piece of markup. Strings are escaped, lengths and positions are short.
func (s *svg) put(format string, args ...any) {
	values := make([]any, len(args))
	for i, a := range args {
		switch a := a.(type) {
		case string:
			values[i] = escape(a)
		case float64:
			values[i] = short(a, 2)
		default:
			values[i] = a
		}
	}
	fmt.Fprintf(s, format, values...)
}

// html returns the markup, for a page.
func (s *svg) html() template.HTML { return markup(s.String()) }

// markup marks a text whose parts are escaped.
func markup(s string) template.HTML { return template.HTML(s) } //nolint:gosec // G203

// grid begins a drawing in a page: the labels of side, then a plot of that height with an axis below it.
func (s *svg) grid(id, name, desc string, height float64, side func(*svg)) {
	s.put(`<div class="grid"><svg class="side" aria-hidden="true" width="100%%" height="%s">`, height+axisHeight)
	side(s)
	s.put(`</svg><svg class="plot" role="img" aria-labelledby="%s-t %[1]s-d" width="100%%" height="%s">`+
		`<title id="%[1]s-t">%[3]s</title><desc id="%[1]s-d">%[4]s</desc>`+"\n", id, height+axisHeight, name, desc)
}

// ticks labels round times along the width, and draws their lines from top to bottom.
func (s *svg) ticks(along scale, most int, top, bottom float64) {
	length := time.Duration((along.to - along.from) * float64(time.Second))
	for _, t := range Times(time.Duration(along.from*float64(time.Second)), length, most) {
		at, anchor := along.at(t.Seconds()), "middle"
		switch {
		case at < 4:
			anchor = "start"
		case at > 96:
			anchor = "end"
		}
		s.put(`<line class="gridline" x1="%s" x2="%[1]s" y1="%s" y2="%s"/><text class="tick" x="%[1]s" y="%[4]s" text-anchor="%[5]s">%[6]s</text>`,
			at, top, bottom, bottom+17, anchor, units.Full(t))
	}
}

// escape makes a text from the cluster safe to show inside XML, which allows no control characters at all.
func escape(s string) string { return html.EscapeString(view.Escape(s)) }
