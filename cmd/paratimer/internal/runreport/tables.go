package runreport

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/paratimer/paratimer/adapters/naming"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/chart"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/page"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

const inOrder = "In the order of the plan; ● on the critical path"

// jobsTable returns the table of jobs; of a query that is one job, the table of its stages.
func jobsTable(s *Report) *page.Table {
	if s.Workflow.IsWhole(len(s.Jobs)) {
		return stagesTable(s)
	}
	t := &page.Table{Caption: inOrder, Sorted: true, Columns: page.Heads("Job", "State", ">Took", ">On the path",
		">Tasks", ">Maps", ">Reduces", ">Read", ">Shuffled", ">Wrote", ">Lost attempts")}
	for _, j := range s.Jobs {
		first, took := page.Cell{Text: j.Node}, timeCell(j.LengthSeconds)
		if name := frame.ValueOf(j.Name); name != j.Node && name != "" {
			first.Notes = []string{chart.Cut(name, 48)}
		}
		if j.WaitSeconds != nil {
			took.Notes = []string{"waited " + units.Seconds(*j.WaitSeconds)}
		}
		var tasks, maps, reduces, lost page.Cell
		if j.IsMapReduce() {
			maps, reduces = tasksCell(j.Maps, j.MapSeconds), tasksCell(j.Reduces, j.ReduceSeconds)
		} else {
			tasks = tasksCell(j.Count(), nil)
		}
		read := sizeCell(j.InputBytes, "B")
		if j.InputRecords != nil {
			read.Notes = []string{units.Size(*j.InputRecords, "") + " records"}
		}
		if n := j.FailedAttempts + j.KilledAttempts; n > 0 {
			lost = page.Number(float64(n), strconv.Itoa(n))
		}
		t.Row(j.Critical || j.OnPathSeconds != nil && *j.OnPathSeconds > 0, first, page.Cell{Text: j.State.String()},
			took, timeCell(j.OnPathSeconds), tasks, maps, reduces, read, sizeCell(j.ShuffleBytes, "B"),
			sizeCell(j.OutputRecords, ""), lost)
	}
	return t.Compact()
}

// stagesTable returns the table of the stages of a query that is one job.
func stagesTable(s *Report) *page.Table {
	j, critical, ran := &s.Jobs[0], map[string]bool{}, map[string]frame.Stretch{}
	for _, f := range s.Chart.Fragments {
		if f.Critical {
			critical[f.Phase.String()] = true
		}
	}
	for _, r := range j.Stretches {
		ran[r.Phase.String()] = r
	}
	t := &page.Table{
		Caption: inOrder, Sorted: true,
		Columns: page.Heads(page.Capital(s.Workflow.Whole.Part), "Job", ">Tasks", ">From", ">To", "After"),
	}
	for _, v := range j.Stages {
		after := make([]string, len(v.After))
		for i, from := range v.After {
			after[i] = from + " (" + movements[v.Edges[i]] + ")"
			if s.Workflow.Engine == naming.Spark && v.Edges[i] == dag.Broadcast.String() {
				after[i] = from + " (by the driver)" // it uses what an earlier job has returned
			}
		}
		var job page.Cell
		if v.Group != nil {
			job = page.Cell{Text: v.Group.Name, Link: v.Group.URL}
		}
		t.Row(critical[v.Name], page.Cell{Text: v.Name, Link: v.URL}, job, tasksCell(v.Tasks, nil),
			timeCell(ran[v.Name].StartSeconds), timeCell(ran[v.Name].EndSeconds), page.Wide(strings.Join(after, ", ")))
	}
	return t.Compact()
}

// movements are words for the kinds of edges.
var movements = map[string]string{
	dag.Barrier.String(): "after its end", dag.SlowStart.String(): "shuffle", dag.Pipelined.String(): "as it comes",
	dag.OneToOne.String(): "one to one", dag.Broadcast.String(): "broadcast",
}

// known returns the cell of a number that may be unknown.
func known[T ~float64](v *T, format func(T) string) page.Cell {
	if v == nil {
		return page.Cell{Text: units.Unknown}
	}
	return page.Number(float64(*v), format(*v))
}

func timeCell(s *frame.Seconds) page.Cell { return known(s, units.Seconds) }

func sizeCell(v *float64, unit string) page.Cell {
	return known(v, func(v float64) string { return units.Size(v, unit) })
}

func tasksCell(n frame.Tasks, lengths *Spread) page.Cell {
	c := page.Cell{Text: units.Unknown}
	if n.Total != nil {
		c = page.Number(float64(*n.Total), strconv.Itoa(*n.Total))
		if n.Done < *n.Total {
			c.Text = fmt.Sprintf("%d of %d", n.Done, *n.Total)
		}
	}
	if lengths != nil && lengths.Tasks > 0 {
		c.Notes = []string{"median " + units.Seconds(lengths.Median)}
		if lengths.Max > lengths.Median {
			c.Notes = append(c.Notes, "longest "+units.Seconds(lengths.Max))
		}
	}
	return c
}

// alertsTable returns the table of deadlines and limits.
func alertsTable(s *Report, zone *time.Location) *page.Table {
	t := &page.Table{Columns: page.Heads("Name", "Status", "Deadline", "Risk", "Details")}
	for _, a := range s.Alerts {
		status := page.Cell{Text: strings.ReplaceAll(string(a.State), "_", " "), Class: page.Open, Badge: true}
		if a.Outcome != nil { // a bound that was missed is in standings
			status.Text, status.Class = string(*a.Outcome), page.Good
		}
		status.Class = cmp.Or(standings[view.StandingOf(&a)], status.Class)
		t.Row(false, page.Cell{Text: a.Bound}, status, page.Cell{Text: clock(a.DeadlineAt, s.At, time.Second, zone)},
			page.Cell{Text: units.Have(a.Probability, units.Chance)}, page.Wide(a.Text))
	}
	return t
}

// causeKinds classes causes by what a user may do about them: work is necessary, skew and failures had no use, and
// the others might be shorter.
var causeKinds = map[string]string{
	"work": page.Open, "map_work": page.Open, "reduce_work": page.Open, "shuffle": page.Open, "sort": page.Open,
	"merge": page.Open, "skew": page.Bad, "straggler": page.Bad, "failures": page.Bad,
}

// causesTable returns the table of where the time went. Each bar begins where the one above it ends.
func causesTable(s *Report) *page.Table {
	t := &page.Table{
		Caption: "Along the critical path; the parts add up to the run. A part is not what the run would save without " +
			"it, because other tasks would move or end last",
		Columns: page.Heads("Cause", ">Time", ">Share", "", "Meaning"),
	}
	at := 0.0
	for _, c := range s.TimeAttribution.Causes {
		share := float64(*cmp.Or(c.Ratio, frame.RatioOf(0)))
		t.Row(false, page.Cell{Text: c.Title}, timeCell(&c.Seconds), page.Number(share, units.Percent(share)),
			page.Cell{Bar: &page.Bar{From: at, To: at + share, Class: causeKinds[c.Cause]}}, page.Wide(c.Meaning))
		at += share
	}
	return t
}

// limitsTable returns the table of changes that would shorten the run. All bars have one scale, and a mark at the run's
// length.
func limitsTable(s *Report) *page.Table {
	t := &page.Table{Columns: page.Heads("Change", ">Takes", ">Sooner", "")}
	top := frame.Seconds(0.001)
	for _, r := range s.Limits.Rows {
		top = max(top, 1.02*(r.TotalSeconds+r.GainSeconds))
	}
	for _, r := range s.Limits.Rows {
		name, none := page.Cell{Text: page.Capital(r.Question)}, func(note string) bool { return note == "" }
		name.Notes = slices.DeleteFunc([]string{r.Change, frame.ValueOf(r.Doubt)}, none)
		t.Row(false, name, timeCell(&r.TotalSeconds), timeCell(&r.GainSeconds), page.Cell{Bar: &page.Bar{
			To: float64(r.TotalSeconds / top), Mark: float64((r.TotalSeconds + r.GainSeconds) / top),
		}})
	}
	return t
}

// eventsTable returns the table of failures, lost nodes and alerts, and of the moves of the predicted end.
func eventsTable(s *Report) *page.Table {
	h := &s.PredictionHistory
	t := &page.Table{Caption: h.Replans.Text(), Columns: page.Heads("At", "Kind", "Details")}
	marks := slices.Clone(h.Marks)
	for _, m := range h.Moves {
		marks = append(marks, Mark{
			AtSeconds: m.AtSeconds, Kind: "prediction", Text: units.Signed(m.DeltaSeconds) + ": " + m.Why(),
		})
	}
	slices.SortStableFunc(marks, byTime)
	for _, m := range marks {
		t.Row(false, page.Cell{Text: units.Seconds(m.AtSeconds)}, page.Cell{Text: m.Kind}, page.Wide(m.Text))
	}
	return t
}

func warningsTable(s *Report, zone *time.Location) *page.Table {
	t := &page.Table{Columns: page.Heads("Code", "Warning")}
	for _, w := range s.Warnings {
		t.Row(false, page.Cell{Text: w.Code}, page.Wide(units.InZone(w.Text, s.At.Time(), zone)))
	}
	return t
}

// courseOf returns the drawing of the predictions along a finished run: the predicted total length at each point with
// its range, and the actual length.
func courseOf(s *Report) page.Chart {
	c := &chart.Curve{Took: float64(*s.PredictionHistory.TotalSeconds)}
	c.Points = units.Each(s.PredictionHistory.Points, func(p Point) chart.Point {
		return chart.Point{
			X: float64(p.AtSeconds), Y: (*float64)(p.TotalSeconds), Low: (*float64)(p.LowSeconds),
			High: (*float64)(p.HighSeconds),
		}
	})
	return page.Chart{ID: "course", Title: "Predicted length against time", Figure: c.Inline()}
}
