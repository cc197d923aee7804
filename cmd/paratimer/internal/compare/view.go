package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/chart"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/page"
	"github.com/paratimer/paratimer/units"
)

// Document shows the difference, why, and the tables behind it.
func (c *Comparison) Document() *page.Document {
	p := &page.Document{Kind: "runs compared", Title: c.Workflow + ", run " + strconv.Itoa(c.Run)}
	if c.BaseRun != nil {
		p.Title += " against run " + strconv.Itoa(*c.BaseRun)
	}
	answer, why, _ := strings.Cut(c.Difference.Says, ": ")
	p.Add(page.Hero{Answer: answer, Note: page.Capital(why)})
	if len(c.Otherwise) > 0 {
		p.Add(page.Say("Other differences: " + strings.Join(c.Otherwise, "; ") + "."))
	}
	p.Add(page.Say(c.CriticalPath.Says + "."))
	if g := c.gantt(); g != nil && g.ToSeconds > 0 {
		p.Section("gantt", g.Name, false, page.Chart{ID: "gantt", Title: "Gantt chart", Figure: g.Inline()})
	}
	lists := map[bool]page.List{} // what became slower, and what became faster
	for _, f := range c.Findings {
		lists[f.Slower] = append(lists[f.Slower], page.Item{Text: f.Says})
	}
	if p.Section("", "Slower", false, lists[true]); len(lists[true]) == 0 && c.BaseRun != nil {
		p.Add(page.Say("No job takes longer for its records than chance allows."))
	}
	p.Section("", "Faster", false, lists[false])
	p.Section("", "What the difference is due to", false, c.effects())
	p.Section("", "Jobs", false, c.jobs())
	return p.Section("", "Runs", true, c.runs())
}

// effects returns the table of the effects, the largest first. Bars begin in the middle.
func (c *Comparison) effects() *page.Table {
	all := bySize(c.Difference.Effects)
	t := &page.Table{
		Caption: "Along the critical path; the parts add up to the difference.",
		Columns: page.Heads("Effect", ">Difference", "", "Meaning"),
	}
	for _, e := range all {
		half := e.size() / all[0].size() / 2
		bar := page.Bar{From: 0.5, To: 0.5 + half, Mark: 0.5, Class: page.Bad}
		if e.Seconds < 0 {
			bar = page.Bar{From: 0.5 - half, To: 0.5, Mark: 0.5, Class: page.Good}
		}
		t.Row(false, page.Cell{Text: string(e.Effect)}, page.Cell{Text: units.Signed(e.Seconds)}, page.Cell{Bar: &bar},
			page.Cell{Text: e.Meaning})
	}
	return t
}

// A job and a stage that a run does not have.
var (
	noJob   = &Job{LengthSeconds: unknown}
	noStage = &Stage{MedianSeconds: unknown, InputRecords: unknown, SecondsPerRecord: unknown}
)

// jobs returns the table of each job in the base and in the run: a row for each stage of either.
func (c *Comparison) jobs() *page.Table {
	t := &page.Table{
		Caption: "The base and the run, or one value if they are equal. ~: too short to separate work from start-up.",
		Columns: page.Heads("Job", "Took", "On the path", "Stage", "Tasks", "Median task", "Records", "Time a record",
			"Failed"),
	}
	for _, j := range c.Jobs {
		if j.Status == "other" { // neither of the two runs has it
			continue
		}
		now, before := cmp.Or(j.Runs[c.subject], noJob), noJob
		if c.base >= 0 {
			before = cmp.Or(j.Runs[c.base], noJob)
		}
		name := j.Node
		if j.Status != "both" {
			name += ", " + j.Status
		}
		first := []string{
			name, lengths(before.LengthSeconds, now.LengthSeconds), lengths(j.BeforeSeconds, j.OnPathSeconds),
		}
		stages := slices.Clone(now.Stages)
		for _, s := range before.Stages {
			if now.stage(s.Name) == noStage {
				stages = append(stages, s)
			}
		}
		for _, s := range stages {
			cells := append(first, cmp.Or(s.Title, s.Name))
			t.Add(append(cells, sideBySide(before.stage(s.Name), now.stage(s.Name))...)...)
			first = []string{"", "", ""}
		}
	}
	return t
}

// stage returns a stage by its name, or noStage.
func (j *Job) stage(name string) *Stage {
	for _, s := range j.Stages {
		if s.Name == name {
			return s
		}
	}
	return noStage
}

// sideBySide returns the cells of a stage in two runs.
func sideBySide(was, is *Stage) []string {
	lost, cost := "", units.More(is.SecondsPerRecord/was.SecondsPerRecord)
	if was.FailedAttempts+is.FailedAttempts > 0 {
		lost = twice(strconv.Itoa(was.FailedAttempts), strconv.Itoa(is.FailedAttempts))
	}
	if was.Short || is.Short {
		cost = "~"
	}
	return []string{
		twice(units.Known(was.Tasks, strconv.Itoa), units.Known(is.Tasks, strconv.Itoa)),
		lengths(was.MedianSeconds, is.MedianSeconds), units.More(is.InputRecords / was.InputRecords), cost, lost,
	}
}

func (c *Comparison) runs() *page.Table {
	t := &page.Table{
		Caption: "In the order of their starts.", Columns: page.Heads("Run", "Started", "Took", "State", "From", ""),
	}
	day := func(at frame.Time) string { return units.Day(at.Time().In(cmp.Or(c.Zone, time.UTC))) }
	for i, r := range c.Runs {
		note := ""
		switch {
		case r.Excluded != nil:
			note = "left out: " + *r.Excluded
		case i == c.subject:
			note = "the run"
		case i == c.base:
			note = "the base"
		}
		t.Add(strconv.Itoa(i+1), units.Known(r.StartAt, day), units.Seconds(r.TotalSeconds), r.State.String(), r.From,
			note)
	}
	return t
}

// lengths formats two lengths, once if they look the same.
func lengths(before, now units.Float) string { return twice(units.Seconds(before), units.Seconds(now)) }

func twice(before, now string) string {
	if before == now {
		return now
	}
	return before + " → " + now
}

// gantt returns one chart of the base and of the run, on one scale of time and in the same colors; nil if one of them
// is not drawn.
func (c *Comparison) gantt() *chart.Gantt {
	if c.base < 0 || c.Runs[c.base].Chart == nil || c.Runs[c.subject].Chart == nil {
		return nil
	}
	g := &chart.Gantt{Name: "What ran when"}
	g.Jobs = units.Each(c.Jobs, func(row Row) chart.Job { return chart.Job{Name: row.Node} })
	for _, at := range []int{c.base, c.subject} {
		r := c.Runs[at]
		g.ToSeconds, g.Merged = max(g.ToSeconds, r.Chart.ToSeconds), g.Merged || r.Chart.Merged
		for _, p := range r.Chart.Panels {
			p.Title = fmt.Sprintf("Run %d, %s after %s: %s", at+1, r.State, units.Seconds(r.Chart.ToSeconds), p.Title)
			p.Bars = slices.Clone(p.Bars)
			for k := range p.Bars {
				b := &p.Bars[k]
				b.Job, b.Fragment = slices.IndexFunc(c.Jobs, func(row Row) bool {
					return b.Job >= 0 && row.index[at] == b.Job
				}), nil
			}
			g.Panels = append(g.Panels, p)
		}
	}
	return g
}
