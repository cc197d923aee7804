package planview

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/chart"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/page"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/whatif"
	"github.com/paratimer/paratimer/units"
)

// Text writes the answers for people: a table of all changes, the limits, the curve, and warnings.
func (v *WhatIf) Text(out io.Writer) error {
	named := func(lead string, rows []Row) (names []string) {
		for i := range rows {
			names = append(names, lead+rows[i].Name)
		}
		return names
	}
	rows, names := append([]Row{v.Base}, v.Changes...), append([]string{"as it is"}, named("", v.Changes)...)
	if v.Together != nil {
		rows, names = append(rows, *v.Together), append(names, "all together")
	}
	texts := make([]string, len(limits))
	for i := range limits {
		texts[i] = limits[i].text
	}
	p := &page.Document{Title: v.heading(), Blocks: []page.Block{v.table(names, rows)}}
	p.Add(page.Section{Title: "Limits", Blocks: []page.Block{v.table(texts, v.Limits)}})
	if len(v.Marginal) > 0 {
		p.Add(page.Section{
			Title: "What slots are worth", Blocks: []page.Block{v.table(named("slots ", v.Marginal), v.Marginal)},
		})
	}
	return p.Add(v.curve()...).Add(v.warnings(rows)).Text(out)
}

// heading describes the query and what the times mean.
func (v *WhatIf) heading() string {
	name, where := v.name(), " on "+v.Slots.String()
	switch {
	case v.Slots.Total == nil && v.Slots.Policy == dag.Executors:
		where = " on an unknown number of cores"
	case v.Slots.Total == nil:
		where = " on an unknown number of containers"
	case v.Slots.Policy == dag.YARN:
		where += fmt.Sprintf(" of %d MB", v.Slots.Room.ContainerMB)
	}
	switch {
	case v.TookSeconds != nil:
		return fmt.Sprintf("%s took %s%s; a replay of it %s", name, units.Seconds(*v.TookSeconds), where, missed(v.MissRatio))
	case v.Workflow.State == dag.Blocked:
		return name + ", before it runs," + where
	}
	return fmt.Sprintf("%s after %s%s: changes are from now on, times what is left", name,
		units.Seconds(v.ElapsedSeconds), where)
}

func (v *WhatIf) name() string {
	if v.Workflow.Name == nil {
		return "query"
	}
	return view.Escape(*v.Workflow.Name)
}

func missed(r units.Float) string {
	switch n := math.Round(100 * float64(r)); {
	case n == 0:
		return "takes as long"
	case n > 0:
		return "takes " + units.Percent(r) + " longer"
	default:
		return "takes " + units.Percent(-r) + " less"
	}
}

// table returns a line for each row.
func (v *WhatIf) table(names []string, rows []Row) *page.Table {
	verb := "Takes"
	if v.ElapsedSeconds > 0 {
		verb = "Left"
	}
	t := &page.Table{Columns: page.Heads("Change", verb, "Saves", "8 of 10 runs", "")}
	for i := range rows {
		r := &rows[i]
		spread, note := "", ""
		if r.Note != nil {
			note = *r.Note
		}
		if r.LowSeconds != nil && r.HighSeconds != nil {
			spread = units.Seconds(*r.LowSeconds) + " to " + units.Seconds(*r.HighSeconds)
		}
		if slices.ContainsFunc(r.Warnings, func(w whatif.Warning) bool { return w.Code == whatif.WarnUnsupported }) {
			note = "does not apply"
		}
		t.Rows = append(t.Rows, page.Row{Cells: page.Texts(names[i], r.took(), r.saves(), spread, note)})
	}
	return t.Compact()
}

// saves formats how much sooner the query ends than it does as it is.
func (r *Row) saves() string {
	switch {
	case r.Name == "", r.SavedSeconds == nil, r.AssumedRatio > assumedMost:
		return ""
	case r.SavedSeconds.Duration().Abs() < 10*time.Millisecond, !r.SavedRatio.Known():
		return "nothing"
	}
	return fmt.Sprintf("%s (%s)", units.Seconds(*r.SavedSeconds), units.Percent(r.SavedRatio))
}

// curve returns a bar for each point. A note marks a curve whose base is mostly assumed.
func (v *WhatIf) curve() []page.Block {
	switch {
	case v.Curve == nil || len(v.Curve.Points) == 0:
		return nil
	case v.flat():
		return []page.Block{page.Say(nothingLeft)}
	}
	s := page.Section{Title: "Time against slots"}
	if v.Base.AssumedRatio > assumedMost {
		s.Title += ", most of it assumed"
	}
	most := frame.Seconds(0)
	for _, p := range v.Curve.Points {
		most = max(most, p.RemainingSeconds)
	}
	t := &page.Table{Columns: page.Heads("Slots", "Takes", "", "")}
	for _, p := range v.Curve.Points {
		mark := ""
		if p.Base {
			mark = "now"
		}
		if p.Knee {
			mark += " knee: from here on a doubling saves less than " + units.Percent(v.Curve.KneeGainRatio)
		}
		t.Rows = append(t.Rows, page.Row{Cells: []page.Cell{
			{Text: strconv.Itoa(p.Slots.Room.Total())},
			{Text: units.Seconds(p.RemainingSeconds)},
			{Bar: &page.Bar{To: float64(p.RemainingSeconds / most)}},
			{Text: mark},
		}})
	}
	s.Blocks = []page.Block{t}
	if why := v.steps(); why != "" {
		s.Blocks = append(s.Blocks, page.Note(why))
	}
	return []page.Block{s}
}

// flat reports whether no task is left at any point, so that slots make no difference.
func (v *WhatIf) flat() bool {
	return !slices.ContainsFunc(v.Curve.Points, func(p Point) bool { return p.RemainingSeconds > 0 })
}

// nothingLeft is the text once every task is done and the engine still commits the output or ends the job.
const nothingLeft = "nothing is left to do but the end of the job"

// leastStep is the least relative rise of a step upwards to be explained.
const leastStep = 0.02

// steps explains the curve's steps upwards: points that take longer than the one with fewer slots, the largest step
// in numbers. It is "" if there is none, and nothingLeft if no task is left.
func (v *WhatIf) steps() string {
	if v.flat() {
		return nothingLeft
	}
	points := v.Curve.Points
	n, at, most := 0, 0, frame.Seconds(0)
	for i := 1; i < len(points); i++ {
		up := points[i].RemainingSeconds - points[i-1].RemainingSeconds
		if up <= 0 || up < leastStep*points[i-1].RemainingSeconds {
			continue
		}
		if n++; up > most {
			at, most = i, up
		}
	}
	if n == 0 {
		return ""
	}
	word := map[dag.Policy]string{dag.YARN: "containers", dag.Executors: "cores"}[v.Slots.Policy]
	text := fmt.Sprintf("%d %s take %s longer than %d: tasks fall into other waves, so that a long one can start last",
		points[at].Slots.Room.Total(), cmp.Or(word, "slots"), units.Seconds(most), points[at-1].Slots.Room.Total())
	if n > 1 {
		text += "; smaller steps upwards: " + strconv.Itoa(n-1)
	}
	return text
}

// warnings returns each warning of the answers and of the changes once. A change that does not apply is named.
func (v *WhatIf) warnings(rows []Row) page.List {
	var all page.List
	add := func(text string) {
		if i := (page.Item{Lead: "warning", Text: text}); !slices.Contains(all, i) {
			all = append(all, i)
		}
	}
	for _, w := range v.Warnings {
		add(w.Text)
	}
	for _, r := range rows {
		for _, w := range r.Warnings {
			if w.Code == whatif.WarnUnsupported && r.Name != "" {
				w.Text = r.Name + ": " + w.Text
			}
			add(w.Text)
		}
	}
	return all
}

// SVG draws time against slots, with slots on a logarithmic axis.
func (v *WhatIf) SVG(out io.Writer) error {
	if v.Curve == nil || len(v.Curve.Points) == 0 {
		why := "the time of the query is unknown"
		if v.Base.RemainingSeconds != nil {
			why = "the slots of the cluster are unknown"
		}
		return errors.New("there is no curve to draw: " + why)
	}
	c := &chart.Curve{
		Name: v.name(), Head: []string{v.heading(), page.Capital(v.steps())},
		Axis: "slots, maps' and reduces' together",
	}
	switch v.Slots.Policy {
	case dag.YARN:
		c.Axis = "containers, application masters' among them"
	case dag.Executors:
		c.Axis = "cores of all executors together"
	}
	for _, p := range v.Curve.Points {
		y, text := float64(p.RemainingSeconds), units.Seconds(p.RemainingSeconds)
		at := chart.Point{X: float64(p.Slots.Room.Total()), Y: &y, Tip: p.Slots.String() + ": " + text}
		if p.Base {
			at.Notes = append(at.Notes, "now: "+text)
		}
		if p.Knee {
			at.Notes = append(at.Notes, fmt.Sprintf("knee at %s: a doubling saves less than %s", p.Slots,
				units.Percent(v.Curve.KneeGainRatio)))
		}
		c.Points = append(c.Points, at)
	}
	for i := range v.Limits { // the first is a slot for every task
		if l := v.Limits[i].RemainingSeconds; i == 0 && l != nil {
			c.Levels = append(c.Levels, chart.Level{
				Y: float64(*l), Text: "a slot for every task: " + units.Seconds(*l), Below: true,
			})
		}
	}
	return c.SVG(out)
}
