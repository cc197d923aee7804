package ernestview

import (
	_ "embed"
	"fmt"
	"io"
	"strings"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/chart"
	"github.com/paratimer/paratimer/estimators/ernest"
	"github.com/paratimer/paratimer/units"
)

//go:embed curve.svg.tmpl
var curveText string

var curveTemplate = chart.Parse(curveText)

// The chart's measures in pixels.
const (
	curveWidth  = 900.0
	curveHeight = 420.0 // above the legend
	curveLeft   = 70.0
	curveRight  = 870.0
	curveTop    = 50.0
	curveBottom = 370.0
	legendRow   = 20.0
)

// colours distinguish neighbors, also for most color-blind people (Okabe and Ito).
var colours = []string{"#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00"}

// A drawing is the data of the template. All positions are in pixels.
type drawing struct {
	Title               string
	Width, Height       float64
	Left, Right, Bottom float64
	Middle              float64
	X, Y                []tick
	Curves              []curve
	Limit               *tick
	Best                *mark
}

type tick struct {
	At   float64
	Text string
}

type curve struct {
	Name, Colour     string
	Line, Range      string
	LegendX, LegendY float64
}

type mark struct {
	X, Y float64
	Text string
}

// SVG draws time against machines: a curve with its range for each offer, the deadline and the choice. Names are
// escaped; it needs no font and no script.
func (v *Choice) SVG(w io.Writer) error {
	return curveTemplate.Draw(w, v.chart())
}

func (v *Choice) chart() *drawing {
	curves := v.curves()
	c := &drawing{
		Title: "time against machines, scale " + units.Number(v.Want.Scale) + v.limits(), Width: curveWidth,
		Left: curveLeft, Right: curveRight, Bottom: curveBottom, Middle: (curveLeft + curveRight) / 2,
	}
	most, slowest := 1, v.Want.Deadline
	for _, line := range curves {
		for _, p := range line {
			most, slowest = max(most, p.Machines), max(slowest, p.Prediction.Seconds)
		}
	}
	if v.Want.Deadline > 0 { // far above the deadline the exact value does not matter
		slowest = min(slowest, 4*v.Want.Deadline)
	}
	slowest = max(slowest, 1e-9)
	x := func(machines int) float64 {
		return curveLeft + (curveRight-curveLeft)*float64(machines)/float64(most)
	}
	y := func(seconds float64) float64 {
		return curveBottom - (curveBottom-curveTop)*min(max(0, seconds), slowest)/slowest
	}
	for _, n := range chart.Ticks(float64(most), min(most, 10), chart.Step) {
		c.X = append(c.X, tick{x(int(n)), fmt.Sprint(n)})
	}
	for _, t := range chart.Ticks(slowest, 6, chart.TimeStep) {
		c.Y = append(c.Y, tick{y(t), units.Seconds(t)})
	}
	for i, line := range curves {
		one := curve{
			Name: v.Offers[i].Name, Colour: colours[i%len(colours)],
			LegendX: curveLeft + 260*float64(i%3), LegendY: curveHeight + legendRow*float64(i/3),
		}
		one.Line, one.Range = outline(line, x, y)
		c.Curves = append(c.Curves, one)
	}
	c.Height = curveHeight + legendRow*float64((len(curves)+2)/3) + 10
	if v.Want.Deadline > 0 {
		c.Limit = &tick{y(v.Want.Deadline), "deadline " + units.Seconds(v.Want.Deadline)}
	}
	if best := v.Best(); best != nil {
		c.Best = &mark{
			x(best.Machines), y(best.Prediction.Seconds),
			fmt.Sprintf("%d × %s, %s, %s", best.Machines, best.Offer, units.Seconds(best.Prediction.Seconds),
				money(v.cost(best.Offer, best.Cost))),
		}
	}
	return c
}

// outline returns the points of a curve, and the outline of its range. It thins out curves of many points.
func outline(line []*ernest.Choice, x func(int) float64, y func(float64) float64) (points, around string) {
	const most = 400
	step := (len(line) + most - 1) / most
	var mid, low, high []string
	for i, p := range line {
		if i%max(1, step) != 0 && i != len(line)-1 {
			continue
		}
		at := chart.Px(x(p.Machines)) + ","
		mid = append(mid, at+chart.Px(y(p.Prediction.Seconds)))
		if units.Float(p.Prediction.Low).Known() && units.Float(p.Prediction.High).Known() {
			low = append(low, at+chart.Px(y(p.Prediction.Low)))
			high = append([]string{at + chart.Px(y(p.Prediction.High))}, high...)
		}
	}
	return strings.Join(mid, " "), strings.Join(append(low, high...), " ")
}
