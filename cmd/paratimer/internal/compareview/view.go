package compareview

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/page"
	"github.com/paratimer/paratimer/units"
)

// Text writes the document as text, the most important part first.
func (d *Document) Text(out io.Writer) error { return d.page().Text(out) }

// HTML writes the document as one page that loads nothing.
func (d *Document) HTML(out io.Writer) error { return d.page().HTML(out) }

// page returns what is shown: the difference, why, and the tables behind it.
func (d *Document) page() *page.Document {
	p := &page.Document{Kind: "runs compared", Title: d.Workflow + ", run " + strconv.Itoa(d.Run)}
	if d.BaseRun != nil {
		p.Title += " against run " + strconv.Itoa(*d.BaseRun)
	}
	answer, why, _ := strings.Cut(d.Difference.Says, ": ")
	p.Blocks = []page.Block{page.Hero{Answer: answer, Note: page.Capital(why)}}
	if len(d.Otherwise) > 0 {
		p.Blocks = append(p.Blocks, page.Say("Other differences: "+strings.Join(d.Otherwise, "; ")+"."))
	}
	p.Blocks = append(p.Blocks, page.Say(d.CriticalPath.Says+"."))
	p.Blocks = append(p.Blocks, d.chart()...)
	p.Blocks = append(p.Blocks, d.findings()...)
	if len(d.Difference.Effects) > 0 {
		p.Blocks = append(p.Blocks, page.Section{
			Title: "What the difference is due to", Blocks: []page.Block{d.effects()},
		})
	}
	return p.Add(page.Section{Title: "Jobs", Blocks: []page.Block{d.jobs()}},
		page.Section{Title: "Runs", Folded: true, Blocks: []page.Block{d.runs()}})
}

func (d *Document) chart() []page.Block {
	if d.gantt == nil {
		return nil
	}
	return []page.Block{page.Section{ID: "gantt", Title: "What ran when", Blocks: []page.Block{page.Chart{
		ID: "gantt", Title: "Gantt chart", Before: d.gantt.Switch(), Drawing: d.gantt.Inline(), Legend: d.gantt.Key(),
	}}}}
}

// findings lists what became slower, then what became faster.
func (d *Document) findings() (blocks []page.Block) {
	lists := map[bool]page.List{}
	for _, f := range d.Findings {
		lists[f.Slower] = append(lists[f.Slower], page.Item{Text: f.Says})
	}
	if len(lists[true]) > 0 {
		blocks = append(blocks, page.Section{Title: "Slower", Blocks: []page.Block{lists[true]}})
	} else if d.BaseRun != nil {
		blocks = append(blocks, page.Say("No job takes longer for its records than chance allows."))
	}
	if len(lists[false]) > 0 {
		blocks = append(blocks, page.Section{Title: "Faster", Blocks: []page.Block{lists[false]}})
	}
	return blocks
}

// effects returns the table of the effects, the largest first. Bars begin in the middle.
func (d *Document) effects() *page.Table {
	all := bySize(d.Difference.Effects)
	t := &page.Table{
		Caption: "Along the critical path; the parts add up to the difference.",
		Columns: page.Heads("Effect", ">Difference", "", "Meaning"),
	}
	for _, e := range all {
		half := size(e) / size(all[0]) / 2
		bar := page.Bar{From: 0.5, To: 0.5 + half, Mark: 0.5, Class: page.Bad}
		if e.Seconds < 0 {
			bar = page.Bar{From: 0.5 - half, To: 0.5, Mark: 0.5, Class: page.Good}
		}
		t.Rows = append(t.Rows, page.Row{Cells: []page.Cell{
			{Text: string(e.Effect)}, {Text: units.Signed(e.Seconds)}, {Bar: &bar}, {Text: e.Meaning},
		}})
	}
	return t
}

// jobs returns the table of each job in the base and in the run: a row for each stage of either.
func (d *Document) jobs() *page.Table {
	t := &page.Table{
		Caption: "The base and the run; once if they are alike. ~: too short to tell work from start-up.",
		Columns: page.Heads("Job", "Took", "On the path", "Stage", "Tasks", "Median task", "Records", "Time a record",
			"Failed"),
	}
	for i := range d.Jobs {
		j := &d.Jobs[i]
		if j.Status == "other" { // neither of the two runs has it
			continue
		}
		now, before := cmp.Or(j.Runs[d.Run-1], &JobRun{}), &JobRun{}
		if d.BaseRun != nil {
			before = cmp.Or(j.Runs[*d.BaseRun-1], before)
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
			cells := append(first, s.Name)
			t.Rows = append(t.Rows, page.Row{Cells: page.Texts(append(cells, compared(before.stage(s.Name),
				now.stage(s.Name))...)...)})
			first = []string{"", "", ""}
		}
	}
	return t
}

// noStage is a stage that a run does not have.
var noStage = &Stage{InputRecords: units.Float(math.NaN()), SecondsPerRecord: units.Float(math.NaN())}

func (r *JobRun) stage(name string) *Stage {
	for i := range r.Stages {
		if r.Stages[i].Name == name {
			return &r.Stages[i]
		}
	}
	return noStage
}

// compared returns the cells of a stage in two runs.
func compared(was, is *Stage) []string {
	lost, cost := "", grown(was.SecondsPerRecord, is.SecondsPerRecord)
	if was.FailedAttempts+is.FailedAttempts > 0 {
		lost = counts(&was.FailedAttempts, &is.FailedAttempts)
	}
	if was.Short || is.Short {
		cost = "~"
	}
	return []string{
		counts(was.Tasks, is.Tasks), lengths(was.MedianSeconds, is.MedianSeconds),
		grown(was.InputRecords, is.InputRecords), cost, lost,
	}
}

func (d *Document) runs() *page.Table {
	t := &page.Table{
		Caption: "In the order of their starts.", Columns: page.Heads("Run", "Started", "Took", "State", "From", ""),
	}
	day := func(at frame.Time) string { return units.Day(at.Time().In(cmp.Or(d.zone, time.UTC))) }
	for i, r := range d.Runs {
		note := ""
		switch {
		case r.Excluded != nil:
			note = "left out: " + *r.Excluded
		case i+1 == d.Run:
			note = "the run"
		case d.BaseRun != nil && i+1 == *d.BaseRun:
			note = "the base"
		}
		t.Rows = append(t.Rows, page.Row{Cells: page.Texts(fmt.Sprint(i+1), units.Known(r.StartAt, day),
			units.Known(r.TotalSeconds, units.Seconds), r.State.String(), r.From, note)})
	}
	return t
}

// lengths formats two lengths, once if they look the same.
func lengths(before, now *frame.Seconds) string {
	return twice(units.Known(before, units.Seconds), units.Known(now, units.Seconds))
}

func counts(before, now *int) string {
	return twice(units.Known(before, strconv.Itoa), units.Known(now, strconv.Itoa))
}

func twice(before, now string) string {
	if before == now {
		return now
	}
	return before + " -> " + now
}

// grown formats a ratio as a change in percent.
func grown(before, now units.Float) string {
	if !(before > 0) {
		return units.Unknown
	}
	return units.More(now / before)
}
