package planview

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/page"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/whatif"
	"github.com/paratimer/paratimer/units"
)

// Document shows a table of all changes, the limits, the curve, and warnings.
func (v *WhatIf) Document() *page.Document {
	rows := append([]Row{v.Base}, v.Changes...)
	if v.Together != nil {
		rows = append(rows, *v.Together)
	}
	d := &page.Document{Title: v.heading(), Blocks: []page.Block{v.table(rows)}}
	d.Section("", "Limits", false, v.table(v.Limits))
	if v.Curve != nil && len(v.Curve.Points) > 0 {
		d.Add(v.curve())
	}
	var warnings page.List
	for _, r := range append([]Row{{Warnings: v.Warnings}}, rows...) {
		for _, w := range r.Warnings {
			if w.Code == whatif.WarnUnsupported && r.Name != "" {
				w.Text = r.Name + ": " + w.Text
			}
			warnings = append(warnings, page.Item{Lead: "warning", Text: w.Text})
		}
	}
	return d.Add(frame.Once(warnings))
}

// heading describes the query and what the times mean.
func (v *WhatIf) heading() string {
	name, where := cmp.Or(frame.ValueOf(v.Workflow.Name), "query"), " on "+v.Slots.String()
	switch {
	case v.Slots.Total == nil && v.Slots.Policy == dag.Executors:
		where = " on an unknown number of cores"
	case v.Slots.Total == nil:
		where = " on an unknown number of containers"
	case v.Slots.Policy == dag.YARN:
		where += fmt.Sprintf(" of %d MB", v.Slots.Room.ContainerMB)
	}
	switch miss := math.Round(100 * float64(v.MissRatio)); {
	case v.TookSeconds == nil && v.Workflow.State == dag.Blocked:
		return name + ", before it runs," + where
	case v.TookSeconds == nil:
		return fmt.Sprintf("%s after %s%s: changes are from now on, times what is left", name,
			units.Seconds(v.ElapsedSeconds), where)
	case miss > 0:
		where += "; a replay of it takes " + units.Percent(v.MissRatio) + " longer"
	case miss < 0:
		where += "; a replay of it takes " + units.Percent(-v.MissRatio) + " less"
	default:
		where += "; a replay of it takes as long"
	}
	return fmt.Sprintf("%s took %s%s", name, units.Seconds(*v.TookSeconds), where)
}

// table returns a line for each row.
func (v *WhatIf) table(rows []Row) *page.Table {
	verb := "Takes"
	if v.ElapsedSeconds > 0 {
		verb = "Left"
	}
	t := &page.Table{Columns: page.Heads("Change", verb, "Saves", "8 of 10 runs", "")}
	for _, r := range rows {
		spread, note := "", frame.ValueOf(r.Note)
		if r.LowSeconds != nil && r.HighSeconds != nil {
			spread = units.Seconds(*r.LowSeconds) + " to " + units.Seconds(*r.HighSeconds)
		}
		if slices.ContainsFunc(r.Warnings, func(w dag.Warning) bool { return w.Code == whatif.WarnUnsupported }) {
			note = "does not apply"
		}
		takes := atLeast(r.RemainingSeconds, r.FloorSeconds, float64(r.AssumedRatio))
		if r.RemainingSeconds != nil && !r.assumed {
			takes = units.Seconds(*r.RemainingSeconds)
		}
		t.Add(r.title, takes, r.saves(), spread, note)
	}
	return t.Compact()
}

// saves formats how much sooner the query ends than it does as it is.
func (r *Row) saves() string {
	switch {
	case r.Name == "", r.SavedSeconds == nil, r.assumed:
		return ""
	case math.Abs(float64(*r.SavedSeconds)) < 0.01, !r.SavedRatio.Known():
		return "nothing"
	case r.SavedRatio > 0 && r.SavedRatio < 0.01:
		return units.Percent(r.SavedRatio)
	}
	return fmt.Sprintf("%s (%s)", units.Seconds(*r.SavedSeconds), units.Percent(r.SavedRatio))
}

// leastStep is the least relative rise of a step upwards to be explained.
const leastStep = 0.02

// curve returns the section of time against slots, with a bar for each number of slots. If no number of them takes any
// time, all tasks are done, and only the end of the job is left. The title says so if most of the time is assumed. A
// note explains it if more slots take longer.
func (v *WhatIf) curve() page.Block {
	most, before, rises := frame.Seconds(0), frame.Seconds(math.Inf(1)), false
	for _, p := range v.Curve.Points {
		rises = rises || p.RemainingSeconds > (1+leastStep)*before
		before, most = p.RemainingSeconds, max(most, p.RemainingSeconds)
	}
	if most == 0 {
		return page.Say("nothing is left to do but the end of the job")
	}
	slots := v.Slots.Policy.Slot() + "s"
	t := &page.Table{Columns: page.Heads(page.Capital(slots), "Takes", "", "")}
	for _, p := range v.Curve.Points {
		mark := ""
		if p.Base {
			mark = "now"
		}
		if p.Knee {
			mark += " knee: from here on a doubling saves less than " + units.Percent(v.Curve.KneeGainRatio)
		}
		bar := page.Cell{Bar: &page.Bar{To: float64(p.RemainingSeconds / most)}}
		t.Row(false, page.Cell{Text: strconv.Itoa(p.Slots.Room.Total())},
			page.Cell{Text: units.Seconds(p.RemainingSeconds)}, bar, page.Cell{Text: mark})
	}
	s := page.Section{Title: "Time against " + slots, Blocks: []page.Block{t}}
	if v.Base.assumed {
		s.Title += ", most of it assumed"
	}
	if rises {
		s.Blocks = append(s.Blocks, page.Note(
			"where more "+slots+" take longer, tasks fall into other waves, so that a long one can start last"))
	}
	return s
}
