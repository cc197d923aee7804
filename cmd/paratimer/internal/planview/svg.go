package planview

import (
	_ "embed"
	"fmt"
	"io"
	"strings"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/chart"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

//go:embed gantt.svg.tmpl
var svgText string

var svgTemplate = chart.Parse(svgText)

// SVG draws a Gantt chart: slots as rows, path fragments in colours, the critical path above them and outlined. Tasks
// that start and end together in neighbouring slots are one rectangle. Names are escaped; the chart needs no font and
// no script.
func (v *View) SVG(w io.Writer) error {
	return svgTemplate.Draw(w, v.layout())
}

// The chart's measures in pixels.
const (
	chartLeft   = 92.0
	chartRight  = 1172.0
	chartTotal  = 1200.0
	pathTop     = 92.0
	pathHeight  = 30.0
	panelsTop   = 152.0
	panelGap    = 34.0
	mostRow     = 24.0
	mostRows    = 640.0 // height of all rows together
	legendRow   = 20.0
	legendWidth = 560.0
	letter      = 6.4 // mean width at font size 11
)

// A drawing is the template's data. All positions are in pixels.
type drawing struct {
	Name, Heading string
	Totals        []string // of each scenario
	Total, Height float64
	Left, Right   float64
	Width         float64 // Right - Left
	Top, Bottom   float64 // of the grid
	Seam          float64 // width of the gap around a task
	Ticks         []tick
	Path          []block // the critical path's strip
	PathTop       float64
	PathHeight    float64
	Pauses        []block // parts of the path in which no task runs
	Panels        []panel
	Now           *float64 // position of now, if part of the chart lies before it
	Legend        []entry
	LegendTop     float64
	More          string // what the legend leaves out
}

type tick struct {
	X    float64
	Text string
}

// A block is a rectangle with a label if one fits, and a longer tooltip.
type block struct {
	X, Y, W, H float64
	Fill       string
	Critical   bool
	Failed     bool
	Thin       bool // too low for an outline
	Label, Tip string
	LabelX     float64
	LabelY     float64
	Dark       bool // the label's colour
}

// A panel is the rows of one kind of slots.
type panel struct {
	Title  string
	Top    float64
	Height float64
	Rows   []row     // labels
	Lines  []float64 // between rows
	Blocks []block
}

type row struct {
	Y    float64
	Text string
}

type entry struct {
	X, Y     float64
	Fill     string
	Critical bool
	Text     string
}

// scale converts instants to positions.
type scale struct {
	from, to dag.Instant
}

func (s scale) x(t dag.Instant) float64 {
	return chartLeft + (chartRight-chartLeft)*float64(t-s.from)/float64(max(1, s.to-s.from))
}

func (v *View) layout() *drawing {
	s := scale{v.Path.Schedule.Now, v.Path.Schedule.End}
	for i := range v.Path.Fragments {
		s.from, s.to = min(s.from, v.Path.Fragments[i].Start), max(s.to, v.Path.Fragments[i].End)
	}
	c := &drawing{
		Name: view.Escape(v.Plan.Name), Heading: v.heading(), Total: chartTotal, Left: chartLeft, Right: chartRight,
		Width: chartRight - chartLeft, Top: pathTop, PathTop: pathTop, PathHeight: pathHeight,
	}
	if c.Name == "" {
		c.Name = "plan"
	}
	_, c.Heading, _ = strings.Cut(c.Heading, ": ")
	for _, e := range v.Estimates {
		c.Totals = append(c.Totals, e.Scenario+" "+total(&e))
	}
	for _, t := range chart.Times(s.from.Sub(v.Path.Schedule.Now), s.to.Sub(s.from), 12) {
		c.Ticks = append(c.Ticks, tick{s.x(v.Path.Schedule.Now.Add(t)), units.Exact(t)})
	}
	if now := v.Path.Schedule.Now; s.from < now && now < s.to {
		x := s.x(now)
		c.Now = &x
	}
	paint := v.paint()
	c.Panels = v.panels(s, paint)
	c.Bottom = panelsTop
	if n := len(c.Panels); n > 0 {
		c.Bottom = c.Panels[n-1].Top + c.Panels[n-1].Height
	}
	tasks := 0
	for _, p := range c.Panels {
		tasks += len(p.Blocks)
	}
	if tasks < 1000 { // more of them would be gaps only
		c.Seam = 0.8
	}
	v.strip(c, s, paint)
	v.legend(c, paint)
	return c
}

// strip draws the critical path above the chart.
func (v *View) strip(c *drawing, s scale, paint *paint) {
	for _, seg := range v.Path.Critical {
		f, fill := &v.Path.Fragments[seg.Fragment], paint.of(seg.Fragment)
		b := block{X: s.x(seg.Start), Y: pathTop, H: pathHeight, Fill: fill, Dark: dark(fill)}
		b.W = max(s.x(seg.End)-b.X, 0.5)
		title, length := v.Title(seg.Fragment), units.Exact(seg.End.Sub(seg.Start))
		b.Tip = fmt.Sprintf("%s: %s – %s", title, v.clock(seg.Start), v.clock(seg.End))
		b.fit(1, title+", "+length, title, length)
		c.Path = append(c.Path, b)
		if f.Width == 0 {
			c.Pauses = append(c.Pauses, block{
				X: b.X, W: b.W, Y: pathTop + pathHeight,
				H: c.Bottom - pathTop - pathHeight, Tip: b.Tip,
			})
		}
	}
}

// fit labels a block with the first text that fits. The label is in the middle of the middle row, so that no line
// crosses it.
func (b *block) fit(rows int, labels ...string) {
	high := b.H / float64(rows)
	if high < 12 { // such rows have no lines between them, or invisible ones
		rows, high = 1, b.H
	}
	if high < 12 {
		return
	}
	for _, l := range labels {
		if float64(len([]rune(l)))*letter+8 <= b.W {
			b.Label, b.LabelX, b.LabelY = l, b.X+b.W/2, b.Y+(float64((rows-1)/2)+0.5)*high+4
			return
		}
	}
}

// between formats two instants and the time between them.
func (v *View) between(a, b dag.Instant) string {
	return fmt.Sprintf("%s – %s (%s)", v.clock(a), v.clock(b), units.Exact(b.Sub(a)))
}
