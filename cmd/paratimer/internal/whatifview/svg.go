package whatifview

import (
	_ "embed"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/chart"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/whatif"
	"github.com/paratimer/paratimer/units"
)

//go:embed curve.svg.tmpl
var svgText string

var svgTemplate = chart.Parse(svgText)

// The chart's measures in pixels.
const (
	chartLeft   = 92.0
	chartRight  = 1060.0
	chartTotal  = 1200.0
	chartTop    = 84.0
	chartBottom = 520.0
	chartHeight = 580.0
)

// A drawing is the template's data. All positions are in pixels.
type drawing struct {
	Name, Heading, Axis, Steps  string
	Total, Height               float64
	Left, Right, Middle, Bottom float64
	Rows, Columns               []mark
	Limit                       *mark // a slot for every task
	Line                        string
	Points, Marks               []dot
}

type mark struct {
	At   float64
	Text string
}

type dot struct {
	X, Y   float64
	Tip    string
	Colour string
	Down   float64 // of the label
}

// SVG draws time against slots, with slots on a logarithmic axis. The chart needs no font and no script.
func (v *View) SVG(out io.Writer) error {
	if v.Report.Curve == nil && v.Report.Base.Remaining() == nil {
		return errors.New("there is no curve to draw: the time of the query is unknown")
	}
	if v.Report.Curve == nil || len(v.Report.Curve.Points) == 0 {
		return errors.New("there is no curve to draw: no model that was asked can draw one")
	}
	return svgTemplate.Draw(out, v.layout())
}

func (v *View) layout() *drawing {
	c := &drawing{
		Name: view.Escape(v.Name), Heading: v.heading(), Axis: "slots, maps' and reduces' together", Total: chartTotal,
		Height: chartHeight,
		Left:   chartLeft, Right: chartRight, Middle: (chartLeft + chartRight) / 2, Bottom: chartBottom,
	}
	if c.Name == "" {
		c.Name = "query"
	}
	c.Steps = capital(v.steps())
	switch v.Room.Policy {
	case dag.YARN:
		c.Axis = "containers, application masters' among them"
	case dag.Executors:
		c.Axis = "cores of all executors together"
	}
	points := v.Report.Curve.Points
	most := time.Duration(1)
	for _, p := range points {
		most = max(most, p.Remaining)
	}
	step := chart.TimeStep(most.Seconds() / 8)
	n := math.Ceil(most.Seconds() / step)
	y := func(seconds float64) float64 { return chartBottom - (chartBottom-chartTop)*seconds/(n*step) }
	first, last := math.Log2(float64(points[0].Room.Total())), math.Log2(float64(points[len(points)-1].Room.Total()))
	x := func(slots int) float64 {
		return chartLeft + 20 + (chartRight-chartLeft-40)*(math.Log2(float64(slots))-first)/max(last-first, 1e-9)
	}
	for i := range int(n) + 1 {
		t := float64(i) * step
		c.Rows = append(c.Rows, mark{y(t), units.Seconds(t)})
	}
	var line strings.Builder
	free := math.Inf(-1)
	for i, p := range points {
		at := dot{X: x(p.Room.Total()), Y: y(p.Remaining.Seconds()), Tip: fmt.Sprintf("%s: %s", p.Room,
			units.Exact(p.Remaining))}
		fmt.Fprintf(&line, "%s,%s ", chart.Px(at.X), chart.Px(at.Y))
		c.Points = append(c.Points, at)
		if at.X >= free {
			c.Columns = append(c.Columns, mark{at.X, fmt.Sprint(p.Room.Total())})
			free = at.X + 36
		}
		if p.Base {
			c.Marks = append(c.Marks, dot{at.X, at.Y, "now: " + units.Exact(p.Remaining), "#202124", -9})
		}
		if i == v.Report.Curve.Knee {
			c.Marks = append(c.Marks, dot{
				at.X, at.Y,
				fmt.Sprintf("knee at %s: a doubling saves less than %s", p.Room, units.Percent(whatif.KneeGain)),
				"#d93025", -22,
			})
		}
	}
	c.Line = strings.TrimSpace(line.String())
	for i := range v.Report.Limits {
		if l := &v.Report.Limits[i]; l.Name == whatif.LimitSlots && l.Remaining() != nil {
			c.Limit = &mark{y(l.Remaining().Seconds()), "a slot for every task: " + units.Exact(*l.Remaining())}
		}
	}
	return c
}

// capital makes the first letter of a sentence upper case.
func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
