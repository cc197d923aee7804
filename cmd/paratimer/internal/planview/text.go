package planview

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/page"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/units"
)

// Document shows totals, the critical path, and a bar for each path fragment.
func (v *View) Document() *page.Document {
	doc := &page.Document{Title: v.heading(), Blocks: []page.Block{v.scenarios()}}
	warnings := units.Each(v.warnings(), func(w dag.Warning) page.Item { return page.Item{Lead: "warning", Text: w.Text} })
	skew := func(s frame.Skew) page.Item { return page.Item{Lead: "skew", Text: view.SkewSentence(&s)} }
	doc.Add(page.List(append(warnings, units.Each(v.Skew, skew)...)))
	doc.Section("", "Critical path, "+units.Exact(v.Path.Length()), false, v.criticalPath())
	doc.Section("", "Path fragments (# on the critical path)", false, v.fragments())
	return doc
}

// scenarios returns the table of the totals; equal ones share a row.
func (v *View) scenarios() *page.Table {
	cases := units.Each(v.Estimates, func(e estimators.Estimate) view.Case {
		return view.Case{Scenario: e.Scenario, Left: total(&e)}
	})
	t := &page.Table{Columns: page.Heads("Scenario", "Takes", "Meaning")}
	for _, r := range view.MergeCases(cases) {
		e := &v.Estimates[r[0]]
		t.Add(e.Scenario, cases[r[0]].Left, e.Meaning+v.likely(e))
		if len(r) == 1 {
			continue
		}
		same := units.Each(r[1:], func(s int) string { return cases[s].Scenario + v.likely(&v.Estimates[s]) })
		word := "the same: "
		if r[0] == 0 {
			word = "no difference: "
		}
		t.Add("", "", word+strings.Join(same, ", "))
	}
	return t
}

// likely returns the probability of the failures that a scenario assumes, if the plan gives a failure rate.
func (v *View) likely(e *estimators.Estimate) string {
	if e.Probability == nil || v.Plan.Cluster.FailRate == 0 {
		return ""
	}
	return " (" + units.Chance(*e.Probability) + ")"
}

// Head returns the heading and the totals as two lines, for a drawing.
func (v *View) Head() []string {
	_, heading, _ := strings.Cut(v.heading(), ": ")
	totals := units.Each(v.Estimates, func(e estimators.Estimate) string { return e.Scenario + " " + total(&e) })
	return []string{heading, strings.Join(totals, " · ")}
}

// heading counts the jobs and tasks, and describes the cluster that they run on.
func (v *View) heading() string {
	stages, tasks := 0, [2]int{} // tasks of the first stage of each job, and of the others: maps and reduces
	for i := range v.Plan.Jobs {
		stages += len(v.Plan.Jobs[i].Stages)
		for k := range v.Plan.Jobs[i].NumStages() {
			tasks[min(k, 1)] += v.Plan.Jobs[i].Stages[k].Count()
		}
	}
	counts := units.Count(tasks[0], "map") + ", " + units.Count(tasks[1], "reduce")
	if !v.Plan.OnlyMapReduce() {
		counts = units.Count(stages, "stage") + ", " + units.Count(tasks[0]+tasks[1], "task")
	}
	c := &v.Plan.Cluster
	on := fmt.Sprintf("%d MB of containers", c.MemoryMB)
	switch {
	case c.Policy == dag.FIFO:
		on = fmt.Sprintf("%s and %s", units.Count(c.MapSlots, "map slot"), units.Count(c.ReduceSlots, "reduce slot"))
	case c.Policy == dag.Executors && len(c.Nodes) > 0:
		on = fmt.Sprintf("%s of %s", units.Count(c.Cores, "core"), units.Count(len(c.Nodes), "executor"))
	case c.Policy == dag.Executors:
		on = units.Count(c.Cores, "core")
	case c.QueueMB > 0 && c.QueueMB < c.MemoryMB:
		on = fmt.Sprintf("%d of %s", c.QueueMB, on)
	}
	return fmt.Sprintf("%s: %s, %s on %s", cmp.Or(v.Plan.Name, "plan"), units.Count(len(v.Plan.Jobs), "job"), counts, on)
}

func total(e *estimators.Estimate) string {
	return atLeast(frame.SecondsIn(e.Remaining), frame.SecondsIn(e.Low), e.AssumedRatio)
}

// atLeast formats a time. assumed is the share of it that is assumed, NaN if unknown. If that is large, the text is a
// lower bound: floor, else the known part of the time.
func atLeast(d, floor *frame.Seconds, assumed float64) string {
	switch {
	case d != nil && !(assumed > frame.MostAssumed):
		return units.Seconds(*d)
	case d != nil && floor == nil:
		floor = new(*d * frame.Seconds(1-assumed))
	}
	if floor != nil && *floor >= 1 {
		return "at least " + units.Seconds(*floor)
	}
	return units.Unknown
}

// The size of the text.
const (
	shownSegments = 40
	shownRows     = 30
)

func (v *View) criticalPath() *page.Table {
	path := v.Path.Critical
	t := &page.Table{Columns: page.Heads("From", "To", "Takes", "What"), More: max(0, len(path)-shownSegments)}
	for _, s := range path[:len(path)-t.More] {
		f := &v.Path.Fragments[s.Fragment]
		what := v.Title(s.Fragment)
		if f.Width > 0 {
			what += fmt.Sprintf(", %d at once", f.Width)
		}
		if len(f.Rounds) > 1 {
			what += fmt.Sprintf(", %d rounds", len(f.Rounds))
		}
		if s.Extra {
			what += " (the rest of them)"
		}
		t.Add(v.clock(s.Start), v.clock(s.End), units.Exact(s.End.Sub(s.Start)), what)
	}
	return t
}

func (v *View) clock(t dag.Instant) string { return units.Exact(t.Sub(v.Path.Schedule.Now)) }

// fragments returns a bar for each path fragment, dark on the critical path. It shows as many of that path as fit, then
// the longest others, and leaves out pauses beside the path.
func (v *View) fragments() *page.Table {
	critical := map[int]bool{}
	for _, s := range v.Path.Critical {
		critical[s.Fragment] = true
	}
	var onPath, others []int
	from, to := v.Path.Schedule.Now, v.Path.Schedule.End
	for f := range v.Path.Fragments {
		one := &v.Path.Fragments[f]
		switch {
		case len(one.Rounds) == 0 || one.Width == 0 && !critical[f]:
			continue
		case critical[f]:
			onPath = append(onPath, f)
		default:
			others = append(others, f)
		}
		from, to = min(from, one.Start), max(to, one.End)
	}
	length := func(f int) dag.Instant { return v.Path.Fragments[f].End - v.Path.Fragments[f].Start }
	longestFirst := func(a, b int) int { return cmp.Compare(length(b), length(a)) }
	slices.SortStableFunc(onPath, longestFirst)
	slices.SortStableFunc(others, longestFirst)
	shown := slices.Concat(onPath, others)
	t := &page.Table{
		Columns: page.Heads("Fragment", "At once", "Rounds", "From", "To", ""), More: max(0, len(shown)-shownRows),
	}
	shown = shown[:len(shown)-t.More]
	slices.Sort(shown)
	at := func(t dag.Instant) float64 { return float64(t-from) / float64(max(1, to-from)) }
	for _, f := range shown {
		one := &v.Path.Fragments[f]
		bar := &page.Bar{From: at(one.Start), To: at(one.End)}
		if !critical[f] {
			bar.Class = page.Soft
		}
		cells := page.Texts(v.Title(f), "", "", v.clock(one.Start), v.clock(one.End))
		if one.Width > 0 { // no pause
			cells[1].Text, cells[2].Text = fmt.Sprintf("×%d", one.Width), fmt.Sprint(len(one.Rounds))
		}
		t.Row(false, append(cells, page.Cell{Bar: bar})...)
	}
	return t
}
