package runreport

import (
	"fmt"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/chart"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/planview"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/pathfrag/attribution"
	"github.com/paratimer/paratimer/units"
)

// A Chart shows which task ran where and when: the paper's Fig. 3 and 4, for the past and, while the run is running,
// for the prediction.
type Chart struct {
	Summary     string         `json:"says"`
	FromSeconds frame.Seconds  `json:"from_seconds"`
	ToSeconds   frame.Seconds  `json:"to_seconds"`
	NowSeconds  *frame.Seconds `json:"now_seconds"` // null once it has ended
	Panels      []Panel        `json:"panels"`
	Fragments   []Fragment     `json:"fragments"`
	Critical    []Segment      `json:"critical"` // covers from_seconds to to_seconds
	// Merged means that neighbouring bars are shown as one: there are too many tasks.
	Merged bool `json:"merged"`
}

// A Panel is the slots of one kind: "map slots", "reduce slots", or the containers of YARN.
type Panel struct {
	Title string   `json:"title"`
	Rows  []string `json:"rows"` // labels, one a slot; for merged bars, one for several
	Bars  []Bar    `json:"bars"` // by start
}

// A Bar is one rectangle for one or more tasks: rows Row to Row+Rows-1.
type Bar struct {
	Row          int           `json:"row"`
	Rows         int           `json:"rows"`
	StartSeconds frame.Seconds `json:"start_seconds"`
	EndSeconds   frame.Seconds `json:"end_seconds"`
	Job          int           `json:"job"` // index in Jobs
	Phase        frame.Phase   `json:"phase"`
	Name         string        `json:"name"` // of the attempt, or how many tasks it is
	Tasks        int           `json:"tasks"`
	Outcome      Outcome       `json:"outcome"`
	Fragment     *int          `json:"fragment"` // index in Fragments
	Round        *int          `json:"round"`    // within the fragment, from 0
	Critical     bool          `json:"critical"`
	// CopiedSeconds is when a reduce had all its input; null for maps and if unknown.
	CopiedSeconds *frame.Seconds `json:"copied_seconds"`
}

// An Outcome is how a bar ended.
type Outcome string

// The outcomes.
const (
	OK       Outcome = "ok"
	Failed   Outcome = "failed"
	Killed   Outcome = "killed"
	Running  Outcome = "running"
	Expected Outcome = "expected" // to come, predicted by standard
)

// A Fragment is a path fragment: consecutive rounds of equal width.
type Fragment struct {
	Jobs         []string      `json:"jobs"`
	Phase        frame.Phase   `json:"phase"`
	Width        int           `json:"width"`
	Rounds       int           `json:"rounds"`
	StartSeconds frame.Seconds `json:"start_seconds"`
	EndSeconds   frame.Seconds `json:"end_seconds"`
	Critical     bool          `json:"critical"`
}

// A Segment is a part of the critical path.
type Segment struct {
	Fragment     int           `json:"fragment"` // index in Fragments
	Title        string        `json:"title"`
	StartSeconds frame.Seconds `json:"start_seconds"`
	EndSeconds   frame.Seconds `json:"end_seconds"`
}

// Rows returns the rows for a drawing. look returns the tone of a bar, its hue and its labels, the longest first;
// node the name of a job, "" if unknown.
func (c *Chart) Rows(node func(job int) string, look func(b *Bar) chart.Mark) []chart.Rows {
	all := make([]chart.Rows, len(c.Panels))
	for i := range c.Panels {
		p := &c.Panels[i]
		all[i] = chart.Rows{Title: p.Title, Labels: p.Rows, Marks: make([]chart.Mark, len(p.Bars))}
		for k := range p.Bars {
			b := &p.Bars[k]
			m := look(b)
			m.Row, m.Rows, m.From, m.To = b.Row, b.Rows, float64(b.StartSeconds), float64(b.EndSeconds)
			m.Critical, m.Tip = b.Critical, c.tip(b, node(b.Job))
			switch b.Outcome {
			case Failed, Killed, Running, Expected:
				m.Kind = string(b.Outcome)
			case OK:
			}
			if b.CopiedSeconds != nil {
				m.Copied = float64(*b.CopiedSeconds)
			}
			all[i].Marks[k] = m
		}
	}
	return all
}

// tip returns the tooltip of a bar.
func (c *Chart) tip(b *Bar, node string) string {
	tip := b.Name
	if node != "" {
		tip += fmt.Sprintf(", %s of %s", b.Phase.Name, node)
	}
	tip += fmt.Sprintf(": %s – %s (%s)", units.Seconds(b.StartSeconds), units.Seconds(b.EndSeconds),
		units.Seconds(b.EndSeconds-b.StartSeconds))
	tip += map[Outcome]string{
		Failed: ", failed", Killed: ", killed or lost", Running: ", runs now", Expected: ", to come",
	}[b.Outcome]
	if b.CopiedSeconds != nil {
		tip += ", had its input at " + units.Seconds(*b.CopiedSeconds)
	}
	if b.Fragment != nil && b.Round != nil && *b.Fragment >= 0 && *b.Fragment < len(c.Fragments) {
		if n := c.Fragments[*b.Fragment].Rounds; n > 1 {
			tip += fmt.Sprintf(", round %d of %d", *b.Round+1, n)
		}
	}
	if b.Critical {
		tip += ", on the critical path"
	}
	return tip
}

// Limits of a chart. Beyond MostBars, neighbours that look alike are merged. Beyond MostFragments, the shortest
// fragments off the critical path are left out. Beyond MostSegments, consecutive segments of one title are merged.
const (
	MostBars      = 6000
	MostRows      = 2000 // of a panel; beyond it, neighbours share a row
	MostFragments = 1000
	MostSegments  = 1000
)

// ChartOf returns the chart of a run so far and, if it is running, of the model's prediction. It is empty if nothing
// was submitted and nothing is predicted.
func ChartOf(run dag.Run, model estimators.Model) (Chart, error) {
	c, _, err := chartAndNext(run, model)
	return c, err
}

// chartAndNext returns the chart and, for a running run, the running attempt that its critical path goes through now;
// nil if unknown.
func chartAndNext(run dag.Run, model estimators.Model) (Chart, *attribution.Attempt, error) {
	d, err := newDrawing(run, model)
	if err != nil {
		return Chart{}, nil, err
	}
	return d.chart(), d.waitedFor(), nil
}

// ChartOfPlan returns the chart of a plan that has not started. All its bars are OK: none of them differs.
func ChartOfPlan(v *planview.View) Chart {
	d := &drawing{s: planview.Before(v.Plan, nil), path: v.Path, sch: v.Path.Schedule, view: *v, planned: true}
	d.match(d.s)
	d.index()
	return d.chart()
}

func (d *drawing) chart() Chart {
	c := Chart{
		FromSeconds: d.seconds(d.sch.Now), ToSeconds: d.seconds(d.sch.End), Panels: []Panel{}, Critical: d.critical(),
	}
	if !d.s.State.Ended() && !d.planned {
		c.NowSeconds = frame.Since(d.s.At, d.sch.Now)
	}
	c.Fragments = d.fragments(c.Critical)
	d.panels(&c)
	c.Summary = chartSummary(&c)
	return c
}

// waitedFor returns the attempt that the frame waits for; nil if it names none.
func (d *drawing) waitedFor() *attribution.Attempt {
	job, k, a := frame.WaitedFor(d.s, d.ahead)
	if a == nil || d.jobs[job] < 0 {
		return nil
	}
	return &attribution.Attempt{Job: d.jobs[job], Stage: k, Task: a.Task, Number: a.Number}
}
