package compareview

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/chart"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/compare"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/runreport"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// A gantt is the Gantt chart of one of the two runs. Both have the same time scale; X and W are percentages of the
// width.
type gantt struct {
	ID, Title, Desc string
	Height, Bottom  string
	TextY           string
	Ticks           []ganttTick
	Panels          []ganttPanel
	Bars            []ganttBar
	End             string // position of the run's end
	EndY            string
}

type (
	ganttTick  struct{ X, Text, Anchor string }
	ganttPanel struct{ Y, Title, Top, Height string }
	ganttBar   struct{ X, Y, W, H, Class, Tip string }
	ganttJob   struct{ Class, Text string }
)

// Measures of a chart in pixels, and limits of what is drawn.
const (
	ganttRow    = 16.0
	ganttHeight = 320.0 // of all rows of a run
	ganttTitle  = 24.0
	ganttAxis   = 24.0
	ganttColors = 8
	ganttShades = 2
	ganttLegend = 16
)

// Draw adds the Gantt charts of the subject and its base. If charts lacks one of them, none is drawn.
func (d *Document) Draw(c *compare.Comparison, charts map[*compare.Run]*runreport.Chart) {
	if c.Base < 0 || charts[c.Runs[c.Base]] == nil || charts[c.Runs[c.Subject]] == nil {
		return
	}
	to := max(charts[c.Runs[c.Base]].ToSeconds, charts[c.Runs[c.Subject]].ToSeconds)
	if to <= 0 {
		return
	}
	for _, at := range []int{c.Base, c.Subject} {
		rows := map[int]int{} // by job of the run
		for i := range c.Rows {
			if j := c.Rows[i].Index[at]; j >= 0 {
				rows[j] = i
			}
		}
		d.gantts = append(d.gantts, ganttOf(at+1, c.Runs[at], charts[c.Runs[at]], rows, to))
	}
	for i := range c.Rows[:min(len(c.Rows), ganttLegend)] {
		d.ganttJobs = append(d.ganttJobs, ganttJob{ganttClass(i, 1), view.Escape(c.Rows[i].Node)})
	}
}

func ganttClass(row, stage int) string {
	return fmt.Sprintf("k%d s%d", row%ganttColors, min(stage, ganttShades-1))
}

func ganttOf(number int, r *compare.Run, c *runreport.Chart, rows map[int]int, to frame.Seconds) gantt {
	x := func(s frame.Seconds) string { return chart.Px(100*float64(s)/float64(to)) + "%" }
	all, bars := 0, 0
	for i := range c.Panels {
		all, bars = all+len(c.Panels[i].Rows), bars+len(c.Panels[i].Bars)
	}
	height := min(ganttRow, ganttHeight/float64(max(all, 1)))
	g := gantt{
		ID: fmt.Sprint(number), Title: fmt.Sprintf("Run %d: %s after %s", number, r.State, units.Seconds(c.ToSeconds)),
		Desc: fmt.Sprintf("%s in %s.", units.Count(bars, "bar"), units.Count(all, "row")),
	}
	top := 0.0
	for i := range c.Panels {
		p := &c.Panels[i]
		top += ganttTitle
		g.Panels = append(g.Panels, ganttPanel{
			chart.Px(top - 7), view.Escape(p.Title), chart.Px(top),
			chart.Px(height * float64(len(p.Rows))),
		})
		for k := range p.Bars {
			b := &p.Bars[k]
			g.Bars = append(g.Bars, ganttBar{
				X: x(b.StartSeconds), W: x(b.EndSeconds - b.StartSeconds), Y: chart.Px(top + height*float64(b.Row)),
				H:     chart.Px(height * float64(b.Rows)),
				Class: barClass(b, rows), Tip: fmt.Sprintf("%s: %s – %s", view.Escape(b.Name),
					units.Seconds(b.StartSeconds), units.Seconds(b.EndSeconds)),
			})
		}
		top += height * float64(len(p.Rows))
	}
	slices.SortStableFunc(g.Bars, func(a, b ganttBar) int { // outlines are drawn last
		return cmp.Compare(strings.Count(a.Class, " on"), strings.Count(b.Class, " on"))
	})
	for _, t := range chart.Times(0, to.Duration(), 5) {
		tick := ganttTick{x(frame.SecondsOf(t)), units.Exact(t), "middle"}
		switch at := t.Seconds() / float64(to); {
		case at < 0.03:
			tick.Anchor = "start"
		case at > 0.94:
			tick.Anchor = "end"
		}
		g.Ticks = append(g.Ticks, tick)
	}
	g.Bottom, g.Height, g.TextY = chart.Px(top), chart.Px(top+ganttAxis), chart.Px(top+16)
	if c.ToSeconds < to {
		g.End = x(c.ToSeconds)
	}
	return g
}

// barClass returns a bar's classes: the color of its job, the shade of its stage, outlined on the critical path.
func barClass(b *runreport.Bar, rows map[int]int) string {
	class := "none"
	if row, known := rows[b.Job]; known && b.Phase.Stage >= 0 && b.Phase.Pause == dag.NoPause {
		class = ganttClass(row, int(b.Phase.Stage))
	}
	switch b.Outcome {
	case runreport.Failed, runreport.Killed:
		class = string(b.Outcome)
	case runreport.OK, runreport.Running, runreport.Expected:
	}
	if b.Critical {
		class += " on"
	}
	return class
}
