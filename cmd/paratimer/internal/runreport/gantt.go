package runreport

import (
	"cmp"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/chart"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/planview"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/pathfrag"
	"github.com/paratimer/paratimer/schedule"
	"github.com/paratimer/paratimer/units"
)

// A drawing is the data that a chart is made from.
type drawing struct {
	s     *dag.Snapshot  // its plan is completed by the model as far as possible
	path  *pathfrag.Path // with the schedule of the history and the rest
	ahead *pathfrag.Path // standard's path of the rest of the run; nil without a prediction
	jobs  []int          // by job of the plan: its index in the report, -1 for a job that only a profile has
	known []int          // by fragment: its index in the chart, -1 for one that is left out

	fragment, round []int32 // by span: its fragment and its round there, -1 none
	onPath          []bool  // by fragment
	planned         bool    // nothing has started
}

// Limits of a chart. Beyond MostBars or MostRows, neighbors that look alike are merged. Beyond MostFragments, only the
// fragments that the critical path names are kept. Beyond MostSegments, consecutive segments of one title are merged.
const (
	MostBars      = 6000
	MostRows      = 2000 // of a panel
	MostFragments = 1000
	MostSegments  = 1000
)

// ChartOf returns the chart of a run so far and, if it is running, of the model's prediction, with the running attempt
// that its critical path goes through now; nil if unknown. The chart joins the history with standard's schedule for the
// rest. Without a prediction it is the history alone. It is empty if nothing was submitted and nothing is predicted.
func ChartOf(run dag.Run, model estimators.Model) (chart.Gantt, *pathfrag.Attempt, error) {
	d := &drawing{s: run.Now()}
	sch, err := schedule.History(d.s)
	if !d.s.State.Ended() && model != nil {
		w := estimators.NewReplayContext(run, model, estimators.Options{})
		if e, cannot := estimators.Scenarios()[0].Of(w); cannot == nil && e.Path != nil {
			d.s, d.ahead = w.Now(), e.Path
			sch, err = schedule.HistoryAndPlan(d.s, e.Path.Schedule)
		}
	}
	if err != nil {
		return chart.Gantt{}, nil, err
	}
	if d.path, err = pathfrag.Find(d.s.Plan, sch, estimators.Tolerances(sch, d.s.Plan, run)); err != nil {
		return chart.Gantt{}, nil, err
	}
	g := d.chart(run.Now())
	on, _ := frame.WaitedFor(d.s, d.ahead)
	a := on.Attempt
	if a == nil || d.jobs[on.Job] < 0 {
		return g, nil, nil
	}
	return g, &pathfrag.Attempt{Job: d.jobs[on.Job], Stage: on.Stage, Task: a.Task, Number: a.Number}, nil
}

// OfPlan returns the chart of a plan that has not started. All its bars are OK: none of them differs.
func OfPlan(v *planview.View) *chart.Gantt {
	d := &drawing{s: planview.Before(v.Plan, nil), path: v.Path, planned: true}
	g := d.chart(d.s)
	g.Name, g.Head, g.NowSeconds = cmp.Or(v.Plan.Name, "plan"), v.Head(), nil
	return &g
}

// chart returns the chart. Jobs are those of the observed plan.
func (d *drawing) chart(observed *dag.Snapshot) chart.Gantt {
	sch := d.path.Schedule
	g := chart.Gantt{
		Name: "What ran when", FromSeconds: d.seconds(sch.Now), ToSeconds: d.seconds(sch.End), Panels: []chart.Panel{},
		Fragments: []chart.Fragment{}, Critical: []chart.Segment{},
	}
	if !d.s.State.Ended() {
		g.NowSeconds = frame.Since(d.s.At, sch.Now)
	}
	for j := range observed.Plan.Jobs {
		job := chart.Job{Name: observed.Plan.Jobs[j].Node}
		for k := range observed.Plan.Jobs[j].NumStages() {
			if !observed.Plan.Jobs[j].IsMapReduce() {
				job.Stages = append(job.Stages, observed.Plan.StageName(j, k))
			}
		}
		g.Jobs = append(g.Jobs, job)
	}
	d.match(observed)
	d.index()
	d.parts(&g)
	d.panels(&g)
	g.Summary = chartSummary(&g)
	return g
}

// match finds the observed job for each job of the plan. Their names differ if a profile replaces the plan.
func (d *drawing) match(observed *dag.Snapshot) {
	d.jobs = make([]int, len(d.s.Plan.Jobs))
	byID, byNode := map[string]int{}, map[string]int{}
	for j := range observed.Plan.Jobs {
		byID[observed.Jobs[j].ID], byNode[observed.Plan.Jobs[j].Node] = j, j
	}
	for j := range d.jobs {
		i, ok := byID[d.s.Jobs[j].ID]
		if !ok || d.s.Jobs[j].ID == "" {
			i, ok = byNode[d.s.Plan.Jobs[j].Node]
		}
		if d.jobs[j] = i; !ok {
			d.jobs[j] = -1
		}
	}
}

// index records the fragment and the round of each span.
func (d *drawing) index() {
	n := len(d.path.Schedule.Spans)
	d.fragment, d.round = slices.Repeat([]int32{-1}, n), slices.Repeat([]int32{-1}, n)
	for f := range d.path.Fragments {
		for at, r := range d.path.Fragments[f].Rounds {
			for _, i := range d.path.Rounds[r].Spans {
				d.fragment[i], d.round[i] = int32(f), int32(at)
			}
		}
	}
	d.onPath = make([]bool, len(d.path.Fragments))
	for _, seg := range d.path.Critical {
		d.onPath[seg.Fragment] = true
	}
}

func (d *drawing) seconds(t dag.Instant) frame.Seconds { return *frame.Since(t, d.path.Schedule.Now) }

// parts fills in the critical path, which covers the chart, and the fragments.
func (d *drawing) parts(g *chart.Gantt) {
	titles, named := planview.View{Plan: d.s.Plan, Path: d.path}, map[int]bool{}
	for _, seg := range d.path.Critical {
		s := chart.Segment{
			Fragment: seg.Fragment, Title: titles.Title(seg.Fragment), StartSeconds: d.seconds(seg.Start),
			EndSeconds: d.seconds(seg.End),
		}
		if n := len(g.Critical); len(d.path.Critical) > MostSegments && n > 0 && g.Critical[n-1].Title == s.Title {
			g.Critical[n-1].EndSeconds = s.EndSeconds
			continue
		}
		named[seg.Fragment] = true
		g.Critical = append(g.Critical, s)
	}
	d.known = slices.Repeat([]int{-1}, len(d.path.Fragments))
	for f := range d.path.Fragments {
		if len(d.path.Fragments) > MostFragments && !named[f] {
			continue
		}
		from := &d.path.Fragments[f]
		d.known[f] = len(g.Fragments)
		g.Fragments = append(g.Fragments, chart.Fragment{
			Jobs:  frame.NodesOf(d.s.Plan, d.path, from),
			Phase: frame.PhaseOf(d.s.Plan, d.path.JobOf(from), from.Stage, from.Pause),
			Width: from.Width, Rounds: len(from.Rounds), Critical: d.onPath[f],
			StartSeconds: d.seconds(from.Start), EndSeconds: d.seconds(from.End),
		})
	}
	for i := range g.Critical {
		g.Critical[i].Fragment = d.known[g.Critical[i].Fragment]
	}
}

// mostNamed bounds the stages that the chart's sentence names.
const mostNamed = 6

// chartSummary names the stages that the critical path goes through, without the pauses between them.
func chartSummary(c *chart.Gantt) string {
	var through []string
	for _, seg := range c.Critical {
		title := view.Escape(seg.Title)
		if dag.IsNumbered(title) { // the tables have the names
			title, _, _ = strings.Cut(title, " · ")
		}
		if f := seg.Fragment; f < 0 || c.Fragments[f].Width == 0 || slices.Contains(through, title) {
			continue
		}
		through = append(through, title)
	}
	if len(through) == 0 {
		return ""
	}
	if len(through) > mostNamed {
		through = append(through[:mostNamed-1:mostNamed-1], units.Count(len(through)-mostNamed+1, "other"))
	}
	path := "Critical path: "
	if c.NowSeconds != nil {
		path = "Critical path, as predicted now: "
	}
	return path + strings.Join(through, ", then ") + "."
}
