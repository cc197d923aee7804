package chart

import (
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/paratimer/paratimer/units"
)

// A Curve is a length of time against the time of a run, or against a number on a logarithmic axis, with a band where
// points have a range. All lengths are in seconds.
type Curve struct {
	ID, Name, Desc string
	Head           []string // lines below the name of a drawing that stands alone
	Axis           string   // what the number is; "" for the time of a run
	To             float64  // the end of the time axis
	Points         []Point
	Levels         []Level
}

// A Point is a place on a curve; nil if unknown.
type Point struct {
	X            float64
	Y, Low, High *float64
	Tip          string
	Notes        []string
}

// A Level is a line across the drawing. Its text is below the line if the curve ends above it.
type Level struct {
	Y     float64
	Text  string
	Below bool
}

const (
	curveHeight = 240.0
	aloneHeight = 430.0
	// beyond limits how far a range may reach above all points, as a multiple. The rest is cut off, with a note in the
	// legend: one wide range must not flatten everything else.
	beyond = 2.5
)

// reach returns the top of the drawing, and the highest range.
func (c *Curve) reach() (top, high float64) {
	for _, l := range c.Levels {
		top = max(top, l.Y)
	}
	for i := range c.Points {
		p := &c.Points[i]
		for _, v := range []*float64{p.Y, p.Low} {
			if v != nil {
				top = max(top, *v)
			}
		}
		if p.High != nil {
			high = max(high, *p.High)
		}
	}
	return max(0.001, 1.04*min(max(top, high), beyond*top)), high
}

// along returns the place of x on the horizontal axis.
func (c *Curve) along() func(x float64) Share {
	if c.Axis == "" {
		return scale{0, max(c.To, 0.001)}.at
	}
	const margin = 2
	log := scale{math.Log2(c.Points[0].X), math.Log2(c.Points[len(c.Points)-1].X)}
	return func(x float64) Share { return margin + (1-2*margin/100.0)*log.at(math.Log2(x)) }
}

// SVG writes the chart as a file.
func (c *Curve) SVG(w io.Writer) error {
	s := &svg{}
	s.begin("alone", c.Name, c.Head, headHeight+aloneHeight+2*axisHeight)
	s.put(`<svg y="%s" width="%s" height="%s">`, headHeight, sideWidth, aloneHeight+axisHeight)
	c.side(s, aloneHeight)
	s.put(`</svg><svg x="%s" y="%s" width="%s" height="%s" overflow="visible">`, sideWidth, headHeight, plotWidth,
		aloneHeight+axisHeight)
	c.plot(s, aloneHeight, plotWidth)
	s.put("</svg></svg>\n")
	_, err := s.WriteTo(w)
	return err
}

// Inline returns the parts of a page: labels beside a plot that fills the width, and the legend, with words for the
// line and for the levels.
func (c *Curve) Inline(line, levels string) Figure {
	s := &svg{}
	s.put(`<div class="grid"><svg class="side" aria-hidden="true" width="100%%" height="%s">`, curveHeight+axisHeight)
	c.side(s, curveHeight)
	s.put(`</svg><svg class="plot" role="img" aria-labelledby="%s-t %[1]s-d" width="100%%" height="%s">`+
		`<title id="%[1]s-t">%[3]s</title><desc id="%[1]s-d">%[4]s</desc>`+"\n", c.ID, curveHeight+axisHeight, c.Name, c.Desc)
	c.plot(s, curveHeight, narrowest)
	s.put("</svg></div>")
	stroke := func(class template.HTML) template.HTML {
		return `<line class="` + class + `" x1="0" x2="20" y1="6" y2="6"/>`
	}
	all := []entry{{text: line, swatch: stroke("headline")}}
	if slices.ContainsFunc(c.Points, func(p Point) bool { return p.High != nil }) {
		text := "80% range"
		if top, high := c.reach(); high > top {
			text += ", cut off: it reaches " + units.Seconds(high)
		}
		all = append(all, entry{text: text, swatch: `<rect class="band80" width="20" height="12"/>`})
	}
	key := &svg{}
	key.list("", append(all, entry{text: levels, swatch: stroke("truth")}), 0)
	return Figure{Drawing: s.html(), Legend: key.html()}
}

// heights calls draw for round times from the bottom up.
func (c *Curve) heights(high float64, draw func(y float64, text string)) {
	top, _ := c.reach()
	for _, t := range Times(0, time.Duration(top*float64(time.Second)), int(high/50)+1) {
		draw(level(t.Seconds(), top, high), units.Exact(t))
	}
}

// level returns the height of a value. Values above the top lie on it.
func level(v, top, high float64) float64 {
	const above = 10
	return above + (high-above)*(1-min(v, top)/top)
}

func (c *Curve) side(s *svg, high float64) {
	c.heights(high, func(y float64, text string) {
		s.put(`<text class="end soft" x="100%%" dx="-10" y="%s" dy="4">%s</text>`, y, text)
	})
}

func (c *Curve) plot(s *svg, high, wide float64) {
	c.heights(high, func(y float64, _ string) {
		s.put(`<line class="gridline" x1="0" x2="100%%" y1="%s" y2="%[1]s"/>`, y)
	})
	x, bottom := c.along(), high
	if c.Axis == "" {
		s.ticks(scale{0, max(c.To, 0.001)}, 7, high, high)
	} else {
		free := Share(math.Inf(-1))
		for i := range c.Points {
			if at := x(c.Points[i].X); at >= free {
				s.put(`<text class="tick" text-anchor="middle" x="%s" y="%s">%s</text>`, at, high+17, fmt.Sprint(c.Points[i].X))
				free = at + Share(36/wide*100)
			}
		}
		s.put(`<text class="tick" text-anchor="middle" x="50%%" y="%s">%s</text>`, high+36, c.Axis)
	}
	s.put("\n"+`<svg class="stretch" y="0" width="100%%" height="%s" viewBox="0 0 1000 %[1]s" preserveAspectRatio="none" aria-hidden="true">`,
		bottom)
	c.lines(s, x, high)
	s.put("</svg>\n")
	top, _ := c.reach()
	for _, l := range c.Levels {
		y, dy := level(l.Y, top, high), -6
		if l.Below {
			dy = 15
		}
		s.put(`<line class="truth" x1="0" x2="100%%" y1="%s" y2="%[1]s"/><text class="halo bold truthtext" x="6" y="%[1]s" dy="%d">%s</text>`,
			y, dy, l.Text)
	}
	for i := range c.Points {
		p := &c.Points[i]
		if c.Axis == "" || p.Y == nil {
			continue
		}
		at, y := x(p.X), level(*p.Y, top, high)
		s.put(`<circle class="point%s" cx="%s" cy="%s" r="%d"><title>%s</title></circle>`+"\n",
			strings.Repeat(" noted", min(1, len(p.Notes))), at, y, 4+2*min(1, len(p.Notes)), p.Tip)
		for k, note := range p.Notes { // above and to the right: a curve that falls is not there
			anchor, dx := "start", 11
			if at > 70 {
				anchor, dx = "end", 0
			}
			s.put(`<text class="bold note" x="%s" y="%s" dx="%d" dy="%d" text-anchor="%s">%s</text>`+"\n", at, y, dx,
				-11-15*k, anchor, note)
		}
	}
	s.put(`<line class="axis" x1="0" x2="100%%" y1="%s" y2="%[1]s"/>`+"\n", bottom)
}

// lines draws the band and the curve in a box 1000 wide.
func (c *Curve) lines(s *svg, x func(float64) Share, high float64) {
	top, _ := c.reach()
	at := func(p *Point, v *float64) string {
		return short(float64(10*x(p.X)), 2) + "," + short(level(*v, top, high), 2)
	}
	both := func(p *Point) bool { return p.Low != nil && p.High != nil }
	for _, piece := range pieces(c.Points, both) {
		var low, high []string
		for i := range piece {
			low, high = append(low, at(&piece[i], piece[i].Low)), append(high, at(&piece[i], piece[i].High))
		}
		slices.Reverse(high)
		s.put(`<polygon class="band80" points="%s"/>`, markup(strings.Join(append(low, high...), " ")))
	}
	for _, piece := range pieces(c.Points, func(p *Point) bool { return p.Y != nil }) {
		all := make([]string, len(piece))
		for i := range piece {
			all[i] = at(&piece[i], piece[i].Y)
		}
		s.put(`<polyline class="headline" points="%s"/>`, markup(strings.Join(all, " ")))
	}
}

// pieces returns the stretches of consecutive points that have a value. A lone point is doubled, so that its line is
// seen.
func pieces(all []Point, has func(*Point) bool) (out [][]Point) {
	for i := 0; i < len(all); i++ {
		from := i
		for i < len(all) && has(&all[i]) {
			i++
		}
		switch i - from {
		case 0:
		case 1:
			out = append(out, []Point{all[from], all[from]})
		default:
			out = append(out, all[from:i])
		}
	}
	return out
}
