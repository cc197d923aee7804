package report

import (
	"fmt"
	"strings"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/story"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/svg"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
)

// A course is what was predicted along the run: the run's whole length as it was seen at each moment, with its ranges, and how long it
// really took. Its lines live in a drawing of 1000 by plotHeight that is stretched to the width.
type course struct {
	From, To       float64 // seconds at the edges
	Says, Desc     string
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
	Told           []mark
	More           int
	Changes        []change
	OtherNames     string
}

// A mark is something that happened, at a place in a lane above the lines.
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
	plotHeight = 300.0
	plotWide   = 1000.0
	mostMarks  = 40
	mostTold   = 12
	mostMoved  = 40
)

// beyond is how far a range may reach above all predictions, as a multiple, before it is cut off: one wide range at the start must not
// press all the rest to the floor.
const beyond = 1.6

func courseOf(s *story.Story) *course {
	c := &course{Says: prose(s.Course.Says)}
	m := s.Course.Moments
	if len(m) == 0 {
		return c
	}
	right := m[len(m)-1].AtSeconds
	if s.Course.TotalSeconds != nil {
		right = max(right, *s.Course.TotalSeconds)
	}
	along := scale{0, max(right, 0.001)}
	top := c.top(s, right)
	y := func(v frame.Seconds) float64 { return plotTop + plotHeight*(1-float64(v)/float64(top)) }
	at := func(t, v frame.Seconds) string {
		return svg.Px(along.share(t)/100*plotWide) + "," + svg.Px(max(y(v), plotTop-plotHeight))
	}
	c.lines(s, at)
	c.Past = strings.Join([]string{at(0, 0), at(right, right), at(right, 0)}, " ")
	if t := s.Course.TotalSeconds; t != nil {
		c.Truth, c.TruthY, c.TruthText = svg.Px(y(*t)), svg.Px(y(*t)-6), "took "+exact(*t)
	}
	c.From, c.To = float64(along.from), float64(along.to)
	c.Ticks, c.Heights = along.ticks(7), heights(top, y, 6)
	c.Bottom, c.Height, c.TicksTop = svg.Px(plotTop+plotHeight), svg.Px(plotTop+plotHeight+axisHeight), svg.Px(plotTop+plotHeight+17)
	c.marks(s, along)
	c.changes(s)
	c.Desc = fmt.Sprintf("Predicted length of the run against time: %s.", count(len(m), "moment"))
	if t := s.Course.TotalSeconds; t != nil {
		c.Desc += " It took " + exact(*t) + "."
	}
	return c
}

// marks places what happened, and words the first of it.
func (c *course) marks(s *story.Story, along scale) {
	for i, k := range s.Course.Marks {
		one := mark{along.x(k.AtSeconds), k.Kind, exact(k.AtSeconds), prose(k.Text)}
		switch k.Kind {
		case "failure", "alert", "node":
		default:
			one.Kind = "node"
		}
		if i < mostMarks {
			c.Marks = append(c.Marks, one)
		}
		if i < mostTold {
			c.Told = append(c.Told, one)
		} else {
			c.More++
		}
	}
}

// changes words why the prediction moved.
func (c *course) changes(s *story.Story) {
	for i := range s.Course.Moments {
		for _, ch := range s.Course.Moments[i].Changes {
			if len(c.Changes) == mostMoved {
				return
			}
			sign := "+"
			if ch.DeltaSeconds < 0 {
				sign = ""
			}
			c.Changes = append(c.Changes, change{exact(s.Course.Moments[i].AtSeconds), sign + view.Exact(ch.DeltaSeconds.Duration()), prose(ch.Why())})
		}
	}
}
