package report

import (
	"fmt"
	"strings"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/chart"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/runreport"
	"github.com/paratimer/paratimer/units"
)

// A predictionHistory is the figure of the predictions along the run: the predicted total length at each point with
// its ranges, and the actual length. Its lines are in a drawing of 1000 by plotHeight that is stretched to the width.
type predictionHistory struct {
	From, To       float64 // seconds at the edges
	Summary, Desc  string
	Height, Bottom string
	Ticks, Heights []tick
	TicksTop       string
	Band80, Band50 []string // outlines
	Line, Floor    []string
	Others         []string
	Past           string // the area of lengths that had already passed
	Truth          string // height of the line, "" while it runs
	TruthText      string
	TruthY         string
	Marks          []mark
	Listed         []mark
	More           int
	Changes        []change
	Replanned      string
	OtherNames     string
	Cut            string // the top of the part that is cut off; "" if nothing is
}

// A mark is an event, in a lane above the lines.
type mark struct {
	X    string
	Kind string // failure, alert, node
	At   string
	Text string
}

// A change is a cause that moved the prediction.
type change struct{ At, Delta, Why string }

const (
	plotTop    = 30.0 // the lane of marks
	plotHeight = 240.0
	plotWide   = 1000.0
	mostMarks  = 40
	mostListed = 12
	mostMoved  = 40
)

// beyond limits how far a range may reach above all predictions, as a multiple. The rest is cut off and the legend
// says so: one wide range at the start must not flatten everything else.
const beyond = 2.5

// rare is the percentage of points that may have their ranges cut off.
const rare = 3

func predictionHistoryOf(s *runreport.Report) *predictionHistory {
	c := &predictionHistory{Summary: prose(s.PredictionHistory.Summary)}
	m := s.PredictionHistory.Points
	if len(m) == 0 {
		return c
	}
	right := m[len(m)-1].AtSeconds
	if s.PredictionHistory.TotalSeconds != nil {
		right = max(right, *s.PredictionHistory.TotalSeconds)
	}
	along := scale{0, max(right, 0.001)}
	top, high := c.top(s, right)
	if high > top {
		c.Cut = units.Seconds(high)
	}
	y := func(v frame.Seconds) float64 { return plotTop + plotHeight*(1-float64(v)/float64(top)) }
	at := func(t, v frame.Seconds) string {
		return chart.Px(along.share(t)/100*plotWide) + "," + chart.Px(max(y(v), plotTop))
	}
	c.lines(s, at)
	c.Past = strings.Join([]string{at(0, 0), at(right, right), at(right, 0)}, " ")
	if t := s.PredictionHistory.TotalSeconds; t != nil {
		c.Truth, c.TruthY, c.TruthText = chart.Px(y(*t)), chart.Px(y(*t)-6), "took "+units.Seconds(*t)
	}
	c.From, c.To = float64(along.from), float64(along.to)
	c.Ticks, c.Heights = along.ticks(7), heights(top, y, 6)
	c.Bottom, c.Height, c.TicksTop = chart.Px(plotTop+plotHeight), chart.Px(plotTop+plotHeight+axisHeight),
		chart.Px(plotTop+plotHeight+17)
	c.marks(s, along)
	c.changes(s)
	c.Desc = fmt.Sprintf("Predicted length of the run against time: %s.", units.Count(len(m), "moment"))
	if t := s.PredictionHistory.TotalSeconds; t != nil {
		c.Desc += " It took " + units.Seconds(*t) + "."
	}
	return c
}

// marks places the events and lists the first of them.
func (c *predictionHistory) marks(s *runreport.Report, along scale) {
	for i, k := range s.PredictionHistory.Marks {
		one := mark{along.x(k.AtSeconds), k.Kind, units.Seconds(k.AtSeconds), prose(k.Text)}
		switch k.Kind {
		case "failure", "alert", "node":
		default:
			one.Kind = "node"
		}
		if i < mostMarks {
			c.Marks = append(c.Marks, one)
		}
		if i < mostListed {
			c.Listed = append(c.Listed, one)
		} else {
			c.More++
		}
	}
}

// changes lists why the prediction moved and counts the moves that did not last.
func (c *predictionHistory) changes(s *runreport.Report) {
	c.Replanned = s.PredictionHistory.Replans.Text()
	moves := s.PredictionHistory.Moves
	for i := range moves[:min(len(moves), mostMoved)] {
		m := &moves[i]
		c.Changes = append(c.Changes, change{units.Seconds(m.AtSeconds), units.Signed(m.DeltaSeconds), prose(m.Why())})
	}
}
