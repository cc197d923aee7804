package chart

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/units"
)

// A Curve is the predicted length of a run against its time, with a band where points have a range, and a line at how
// long it took. All lengths are in seconds.
type Curve struct {
	Took   float64
	Points []Point
}

// A Point is a prediction at a time of the run; nil if unknown.
type Point struct {
	X            float64
	Y, Low, High *float64
}

const (
	curveHeight = 240.0
	// beyond limits how far a range may reach above all points, as a multiple. The rest is cut off, with a note in the
	// legend: one wide range must not flatten everything else.
	beyond = 2.5
)

// reach returns the top of the drawing, and the highest range.
func (c *Curve) reach() (top, high float64) {
	top = c.Took
	for _, p := range c.Points {
		top, high = max(top, frame.ValueOf(p.Y), frame.ValueOf(p.Low)), max(high, frame.ValueOf(p.High))
	}
	return max(0.001, 1.04*min(max(top, high), beyond*top)), high
}

// Inline returns the parts of a page: labels beside a plot that fills the width, and the legend.
func (c *Curve) Inline() Figure {
	const above, name = 10, "Predicted length of the run against time"
	top, highest := c.reach()
	y := func(v float64) float64 { return above + (curveHeight-above)*(1-min(v, top)/top) }
	along, heights := scale{0, max(c.Took, 0.001)}, Times(0, time.Duration(top*float64(time.Second)), 5)
	s, took := &svg{}, "took "+units.Seconds(c.Took)
	desc := fmt.Sprintf("%s: %s. It %s.", name, units.Count(len(c.Points), "moment"), took)
	s.grid("course", name, desc, curveHeight, func(s *svg) {
		for _, t := range heights {
			s.put(`<text class="end soft" x="100%%" dx="-10" y="%s" dy="4">%s</text>`, y(t.Seconds()), units.Full(t))
		}
	})
	for _, t := range heights {
		s.put(`<line class="gridline" x1="0" x2="100%%" y1="%s" y2="%[1]s"/>`, y(t.Seconds()))
	}
	s.ticks(along, 7, curveHeight, curveHeight)
	s.put("\n"+`<svg class="stretch" width="100%%" height="%s" viewBox="0 0 1000 %[1]s" preserveAspectRatio="none" aria-hidden="true">`,
		curveHeight)
	line := func(all []Point, of func(Point) *float64) []string {
		return units.Each(all, func(p Point) string {
			return short(float64(10*along.at(p.X)), 2) + "," + short(y(*of(p)), 2)
		})
	}
	for _, piece := range pieces(c.Points, func(p *Point) bool { return p.Low != nil && p.High != nil }) {
		low := line(piece, func(p Point) *float64 { return p.Low })
		high := line(piece, func(p Point) *float64 { return p.High })
		slices.Reverse(high)
		s.put(`<polygon class="band80" points="%s"/>`, markup(strings.Join(append(low, high...), " ")))
	}
	for _, piece := range pieces(c.Points, func(p *Point) bool { return p.Y != nil }) {
		all := line(piece, func(p Point) *float64 { return p.Y })
		s.put(`<polyline class="headline" points="%s"/>`, markup(strings.Join(all, " ")))
	}
	s.put(`</svg>
<line class="truth" x1="0" x2="100%%" y1="%s" y2="%[1]s"/><text class="halo bold truthtext" x="6" y="%[1]s" dy="-6">%s</text>`+
		`<line class="axis" x1="0" x2="100%%" y1="%[3]s" y2="%[3]s"/>
</svg></div>`, y(c.Took), took, curveHeight)

	legend := []entry{{"predicted length", `<line class="headline" x1="0" x2="20" y1="6" y2="6"/>`}}
	if highest > 0 {
		text := "80% range"
		if highest > top {
			text += ", cut off: it reaches " + units.Seconds(highest)
		}
		legend = append(legend, entry{text, `<rect class="band80" width="20" height="12"/>`})
	}
	key := &svg{}
	key.list("", append(legend, entry{"what happened", `<line class="truth" x1="0" x2="20" y1="6" y2="6"/>`}), 0)
	return Figure{Drawing: s.html(), Legend: key.html()}
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

// Step returns the smallest round number that is not below least: 1, 2 or 5 times a power of ten. It is 1 if least is
// not a positive number.
func Step(least float64) float64 {
	if !(least > 0) || math.IsInf(least, 0) {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(least)))
	for _, digit := range []float64{1, 2, 5} {
		if digit*power >= least {
			return digit * power
		}
	}
	return 10 * power
}

// TimeStep is Step for lengths of time, both in seconds: above 10 s it is round in minutes, hours or days.
func TimeStep(least float64) float64 {
	const minute, hour, day = 60, 3600, 24 * 3600
	if !(least > 10) {
		return Step(least)
	}
	for _, step := range []float64{
		15, 30, minute, 2 * minute, 5 * minute, 10 * minute, 15 * minute, 30 * minute, hour, 2 * hour, 3 * hour,
		6 * hour, 12 * hour,
	} {
		if least <= step {
			return step
		}
	}
	return day * Step(least/day)
}

// Times returns at most n+1 round times within a length after from, for the lines of a time axis. They are whole
// milliseconds.
func Times(from, length time.Duration, n int) []time.Duration {
	least := (length / time.Duration(n+1)).Truncate(time.Millisecond) + time.Millisecond
	step := time.Duration(math.Round(TimeStep(least.Seconds()) * float64(time.Second)))
	first := from.Truncate(step)
	if first < from {
		first += step
	}
	var all []time.Duration
	for t := first; t <= from+length; t += step {
		all = append(all, t)
	}
	return all
}
