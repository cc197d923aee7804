package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/chart"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/page"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/runreport"
	"github.com/paratimer/paratimer/units"
)

// A course is the drawing of the predictions along a finished run: the predicted total length at each point with its
// range, and the actual length. Its lines are in a drawing of 1000 by plotHeight that is stretched to the width.
type course struct {
	Desc                  string
	Bottom, Height, TextY string
	Ticks, Heights        []tick
	Band, Line            []string
	Truth, TruthText      string
	Cut                   string // the top of the ranges, if they are cut off; else ""
}

const plotHeight = 240.0

// beyond limits how far a range may reach above all predictions, as a multiple. The rest is cut off and the legend
// says so: one wide range at the start must not flatten everything else.
const beyond = 2.5

func courseOf(s *runreport.Report) page.Chart {
	points, took := s.PredictionHistory.Points, *s.PredictionHistory.TotalSeconds
	top, high := took, frame.Seconds(0)
	for i := range points {
		for _, v := range []*frame.Seconds{points[i].TotalSeconds, points[i].LowSeconds} {
			if v != nil {
				top = max(top, *v)
			}
		}
		if points[i].HighSeconds != nil {
			high = max(high, *points[i].HighSeconds)
		}
	}
	top = max(0.001, 1.04*min(max(top, high), beyond*top))
	along := scale{0, max(took, 0.001)}
	y := func(v frame.Seconds) float64 { return 10 + (plotHeight-10)*(1-float64(min(v, top))/float64(top)) }
	at := func(p runreport.Point, v *frame.Seconds) string {
		return chart.Px(10*along.share(p.AtSeconds)) + "," + chart.Px(y(*v))
	}
	c := &course{
		Bottom: chart.Px(plotHeight), Height: chart.Px(plotHeight + axisHeight), TextY: chart.Px(plotHeight + 17),
		Ticks: along.ticks(7), Heights: heights(top, y, 6), Truth: chart.Px(y(took)),
		TruthText: "took " + units.Seconds(took),
		Desc: fmt.Sprintf("Predicted length of the run against time: %s. It took %s.", units.Count(len(points), "moment"),
			units.Seconds(took)),
	}
	if high > top {
		c.Cut = units.Seconds(high)
	}
	for _, piece := range pieces(points, func(p *runreport.Point) bool {
		return p.LowSeconds != nil && p.HighSeconds != nil
	}) {
		var low, high []string
		for _, p := range piece {
			low, high = append(low, at(p, p.LowSeconds)), append(high, at(p, p.HighSeconds))
		}
		slices.Reverse(high)
		c.Band = append(c.Band, strings.Join(append(low, high...), " "))
	}
	for _, piece := range pieces(points, func(p *runreport.Point) bool { return p.TotalSeconds != nil }) {
		var line []string
		for _, p := range piece {
			line = append(line, at(p, p.TotalSeconds))
		}
		c.Line = append(c.Line, strings.Join(line, " "))
	}
	return page.Chart{
		ID: "course", Title: "Predicted length against time", Drawing: draw("course", c), Legend: draw("course-legend", c),
	}
}

// pieces returns the stretches of consecutive points that have a value. A lone point is doubled, so that its line is
// seen.
func pieces(all []runreport.Point, has func(*runreport.Point) bool) (out [][]runreport.Point) {
	for i := 0; i < len(all); i++ {
		from := i
		for i < len(all) && has(&all[i]) {
			i++
		}
		switch i - from {
		case 0:
		case 1:
			out = append(out, []runreport.Point{all[from], all[from]})
		default:
			out = append(out, all[from:i])
		}
	}
	return out
}
