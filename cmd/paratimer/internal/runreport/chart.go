package runreport

import (
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/pathfrag/attribution"
)

// A Chart is which task ran where and when: the paper's Fig. 3 and 4, of what happened and, while it runs, of what is
// to come.
type Chart struct {
	Summary     string         `json:"says"`
	FromSeconds frame.Seconds  `json:"from_seconds"`
	ToSeconds   frame.Seconds  `json:"to_seconds"`
	NowSeconds  *frame.Seconds `json:"now_seconds"` // null once it is over
	Panels      []Panel        `json:"panels"`
	Fragments   []Fragment     `json:"fragments"`
	Critical    []Segment      `json:"critical"` // covers from_seconds to to_seconds
	// Merged says that neighbouring bars are shown as one: there are too many tasks.
	Merged bool `json:"merged"`
}

// A Panel is the slots of one kind: "map slots", "reduce slots", or the containers of YARN.
type Panel struct {
	Title string   `json:"title"`
	Rows  []string `json:"rows"` // labels, one a slot; of merged bars, one for several
	Bars  []Bar    `json:"bars"` // by start
}

// A Bar is tasks that are drawn as one rectangle: rows Row to Row+Rows-1.
type Bar struct {
	Row          int           `json:"row"`
	Rows         int           `json:"rows"`
	StartSeconds frame.Seconds `json:"start_seconds"`
	EndSeconds   frame.Seconds `json:"end_seconds"`
	Job          int           `json:"job"` // index in Jobs
	Phase        frame.Phase   `json:"phase"`
	Name         string        `json:"name"` // of the attempt, or of how many tasks it is
	Tasks        int           `json:"tasks"`
	Outcome      Outcome       `json:"outcome"`
	Fragment     *int          `json:"fragment"` // index in Fragments
	Round        *int          `json:"round"`    // within the fragment, from 0
	Critical     bool          `json:"critical"`
	// CopiedSeconds is when a reduce had all its input; null for maps and where unknown.
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

// A Fragment is a path fragment: rounds of equal width that follow each other.
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

// Bounds of a chart: of more bars, neighbours that look alike are one; of more fragments, the shortest that the
// critical path does not name are left out; of more segments, those of one title that follow each other are one.
const (
	MostBars      = 6000
	MostRows      = 2000 // of a panel; of more, neighbours are one row
	MostFragments = 1000
	MostSegments  = 1000
)

// ChartOf draws what a run has had so far and, while it runs, what the model predicts of the rest. Of a query of which
// nothing was submitted, and nothing is predicted, it is empty.
func ChartOf(run dag.Run, model estimators.Model) (Chart, error) {
	c, _, err := chartAndNext(run, model)
	return c, err
}

// chartAndNext is the chart and, of a run that goes on, the running attempt that its critical path goes through now;
// nil where none is known.
func chartAndNext(run dag.Run, model estimators.Model) (Chart, *attribution.Attempt, error) {
	d, err := newDrawing(run, model)
	if err != nil {
		return Chart{}, nil, err
	}
	c := Chart{
		FromSeconds: d.seconds(d.sch.Now), ToSeconds: d.seconds(d.sch.End), Panels: []Panel{}, Critical: d.critical(),
	}
	if !d.s.State.Ended() {
		c.NowSeconds = frame.Since(d.s.At, d.sch.Now)
	}
	c.Fragments = d.fragments(c.Critical)
	d.panels(&c)
	c.Summary = d.summary()
	return c, d.waitedFor(), nil
}

// waitedFor is the attempt that the frame says is waited for; nil where it names none.
func (d *drawing) waitedFor() *attribution.Attempt {
	job, k, a := frame.WaitedFor(d.s, d.ahead)
	if a == nil || d.jobs[job] < 0 {
		return nil
	}
	return &attribution.Attempt{Job: d.jobs[job], Stage: k, Task: a.Task, Number: a.Number}
}
