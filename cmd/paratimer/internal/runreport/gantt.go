package runreport

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/chart"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/page"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/planview"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// mostFragments is how many fragments get their own colors. A chart with more has no view by fragments.
const mostFragments = 60

// ganttOf returns the Gantt chart of the tasks. It has no panels if no task ran.
func ganttOf(s *Report) *chart.Gantt {
	c, tones := &s.Chart, tonesOf(s)
	g := &chart.Gantt{
		Name: "What ran when", From: float64(c.FromSeconds), To: float64(c.ToSeconds), Now: (*float64)(c.NowSeconds),
		Merged: c.Merged, By: "job",
	}
	if tones.byStage {
		g.By = "stage"
	}
	if c.ToSeconds <= c.FromSeconds {
		return g
	}
	hues := huesOf(c, g)
	g.Panels = c.Rows(func(job int) string {
		if job < 0 || job >= len(s.Jobs) {
			return ""
		}
		return s.Jobs[job].Node
	}, func(b *Bar) chart.Mark {
		m := chart.Mark{Tone: tones.of(b.Job, int(b.Phase.Stage)), Labels: tones.labels(b)}
		if b.Fragment != nil {
			m.Hue = hues[*b.Fragment]
		}
		return m
	})
	for _, seg := range c.Critical {
		length := units.Seconds(seg.EndSeconds - seg.StartSeconds)
		m := chart.Mark{
			From: float64(seg.StartSeconds), To: float64(seg.EndSeconds), Hue: hues[seg.Fragment], Kind: chart.Pause,
			Labels: []string{seg.Title + ", " + length, seg.Title, length},
			Tip: fmt.Sprintf("%s: %s – %s (%s), on the critical path", seg.Title, units.Seconds(seg.StartSeconds),
				units.Seconds(seg.EndSeconds), length),
		}
		if seg.Fragment >= 0 && seg.Fragment < len(c.Fragments) && c.Fragments[seg.Fragment].Width > 0 {
			f := &c.Fragments[seg.Fragment]
			m.Kind = ""
			if len(f.Jobs) > 0 && f.Phase.Pause == dag.NoPause { // the tone of its first job
				job := slices.IndexFunc(s.Jobs, func(j Job) bool { return j.Node == f.Jobs[0] })
				m.Tone = tones.of(job, int(f.Phase.Stage))
			}
		}
		g.Path = append(g.Path, m)
	}
	g.Legend, g.More = tones.legend(g.Entries())
	return g
}

// OfPlan returns the chart of a plan that has not started, in the colors of its path fragments.
func OfPlan(v *planview.View) *chart.Gantt {
	s := &Report{Chart: ChartOfPlan(v)}
	for i := range v.Plan.Jobs {
		j := Job{Job: frame.Job{Node: v.Plan.Jobs[i].Node}}
		for k := range v.Plan.Jobs[i].Stages {
			j.Stages = append(j.Stages, frame.Stage{Name: v.Plan.Jobs[i].Stages[k].Name})
		}
		s.Jobs = append(s.Jobs, j)
	}
	g := ganttOf(s)
	g.Name, g.Head = cmp.Or(v.Plan.Name, "plan"), v.Head()
	return g
}

// huesOf adds the fragments with tasks to a drawing, unless there are too many, or no bar has one: merged bars may
// not. It returns the hue of each fragment.
func huesOf(c *Chart, g *chart.Gantt) map[int]int {
	known := slices.ContainsFunc(c.Panels, func(p Panel) bool {
		return slices.ContainsFunc(p.Bars, func(b Bar) bool { return b.Fragment != nil })
	})
	hues := map[int]int{}
	for i := range c.Fragments {
		if f := &c.Fragments[i]; f.Width > 0 && known {
			g.Fragments = append(g.Fragments, chart.Entry{Text: fragmentText(f), Critical: f.Critical})
			hues[i] = len(g.Fragments)
		}
	}
	if len(g.Fragments) > mostFragments {
		g.Fragments = nil
		clear(hues)
	}
	return hues
}

// courseOf returns the drawing of the predictions along a finished run: the predicted total length at each point with
// its range, and the actual length.
func courseOf(s *Report) page.Chart {
	points, took := s.PredictionHistory.Points, *s.PredictionHistory.TotalSeconds
	c := &chart.Curve{
		ID: "course", Name: "Predicted length of the run against time", To: float64(took),
		Levels: []chart.Level{{Y: float64(took), Text: "took " + units.Seconds(took)}},
		Desc: fmt.Sprintf("Predicted length of the run against time: %s. It took %s.", units.Count(len(points), "moment"),
			units.Seconds(took)),
	}
	for i := range points {
		p := &points[i]
		c.Points = append(c.Points, chart.Point{
			X: float64(p.AtSeconds), Y: (*float64)(p.TotalSeconds), Low: (*float64)(p.LowSeconds),
			High: (*float64)(p.HighSeconds),
		})
	}
	return page.Chart{
		ID: "course", Title: "Predicted length against time", Drawing: c.Inline(),
		Legend: c.Key("predicted length", "what happened"),
	}
}
