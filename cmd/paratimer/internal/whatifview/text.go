package whatifview

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/page"
	"github.com/paratimer/paratimer/estimators/whatif"
	"github.com/paratimer/paratimer/units"
)

// Text writes the view for people.
func (v *View) Text(out io.Writer) error { return v.page().Text(out) }

// page returns what is shown: a table of all changes, the curve, and warnings.
func (v *View) page() *page.Document {
	verb := "Takes"
	if v.Elapsed > 0 {
		verb = "Left"
	}
	table := func(rows []whatif.Row, name func(i int) string) []page.Block {
		t := &page.Table{Columns: page.Heads("Change", verb, "Saves", "8 of 10 runs", "By")}
		for i := range rows {
			t.Rows = append(t.Rows, v.row(name(i), &rows[i])...)
		}
		return []page.Block{t}
	}
	changes := append([]whatif.Row{v.Report.Base}, v.Report.Alone...)
	if v.Report.Together != nil {
		changes = append(changes, *v.Report.Together)
	}
	p := &page.Document{Kind: "what if", Title: v.heading(), Blocks: table(changes, func(i int) string {
		switch {
		case i == 0:
			return "as it is"
		case i > len(v.Report.Alone):
			return "all together"
		}
		return changes[i].Change.String()
	})}
	if rows := v.Report.Limits; len(rows) > 0 {
		p.Add(page.Section{
			Title: "Limits", Blocks: table(rows, func(i int) string { return limits[rows[i].Name] }),
		})
	}
	if rows := v.Report.Marginal; len(rows) > 0 {
		p.Add(page.Section{
			Title:  "What slots are worth",
			Blocks: table(rows, func(i int) string { return "slots " + rows[i].Name }),
		})
	}
	return p.Add(v.curve()...).Add(v.warnings()...)
}

// limits are the texts for the names of limits.
var limits = map[string]string{
	whatif.LimitSlots:    "a slot for every task",
	whatif.LimitSkew:     "no skew",
	whatif.LimitFailures: "no failures",
	whatif.LimitIdeal:    "ideal: no start-ups and pauses either",
}

// row returns a row for each model with an answer.
func (v *View) row(name string, r *whatif.Row) (rows []page.Row) {
	if len(r.Answers) == 0 {
		return []page.Row{{Cells: page.Texts(name, "?", "", "", "no model")}}
	}
	for i := range r.Answers {
		a := &r.Answers[i]
		by, spread := a.Model, ""
		if a.Note != "" {
			by += ": " + a.Note
		}
		if a.Low != nil && a.High != nil {
			spread = units.Exact(*a.Low) + " to " + units.Exact(*a.High)
		}
		rows = append(rows, page.Row{Cells: page.Texts(name, took(a), v.saves(a), spread, by)})
		name = ""
	}
	return rows
}

// saves returns how much sooner the query ends, compared with the same model's base.
func (v *View) saves(a *whatif.Answer) string {
	base := v.baseOf(a.Model)
	if a.Change.None() || base == nil || a.Remaining == nil || base.Remaining == nil || a.AssumedRatio > assumedMost {
		return ""
	}
	d := *base.Remaining - *a.Remaining
	if d.Abs() < 10*time.Millisecond || *base.Remaining == 0 {
		return "nothing"
	}
	return fmt.Sprintf("%s (%s)", units.Exact(d), units.Percent(float64(d)/float64(*base.Remaining)))
}

// baseOf returns a model's answer for the base, nil if it has none.
func (v *View) baseOf(model string) *whatif.Answer {
	for i := range v.Report.Base.Answers {
		if a := &v.Report.Base.Answers[i]; a.Model == model {
			return a
		}
	}
	return nil
}

// curve returns a bar for each point. A note marks a curve whose base is mostly assumed.
func (v *View) curve() []page.Block {
	c := v.Report.Curve
	switch {
	case c == nil || len(c.Points) == 0:
		return nil
	case c.Flat():
		return []page.Block{page.Say(nothingLeft)}
	}
	s := page.Section{Title: "Time against slots"}
	if a := v.Report.Base.Answers; len(a) > 0 && a[0].AssumedRatio > assumedMost {
		s.Title += ", most of it assumed"
	}
	most := slices.MaxFunc(c.Points, func(a, b whatif.Point) int { return int(a.Remaining - b.Remaining) }).Remaining
	t := &page.Table{Columns: page.Heads("Slots", "Takes", "", "")}
	for i, p := range c.Points {
		mark := ""
		if p.Base {
			mark = "now"
		}
		if i == c.Knee {
			mark += " knee: from here on a doubling saves less than " + units.Percent(whatif.KneeGain)
		}
		t.Rows = append(t.Rows, page.Row{Cells: []page.Cell{
			{Text: strconv.Itoa(p.Room.Total())},
			{Text: units.Exact(p.Remaining)},
			{Bar: &page.Bar{To: p.Remaining.Seconds() / most.Seconds()}},
			{Text: mark},
		}})
	}
	s.Blocks = []page.Block{t}
	if why := v.steps(); why != "" {
		s.Blocks = append(s.Blocks, page.Note(why))
	}
	return []page.Block{s}
}

// warnings returns each warning once, of the report and of its rows, with its change if the code needs it.
func (v *View) warnings() []page.Block {
	var all page.List
	add := func(text string) {
		if i := (page.Item{Lead: "warning", Text: text}); !slices.Contains(all, i) {
			all = append(all, i)
		}
	}
	for _, w := range v.Report.Warnings {
		add(w.Text)
	}
	rows := append([]whatif.Row{v.Report.Base}, v.Report.Alone...)
	if v.Report.Together != nil {
		rows = append(rows, *v.Report.Together)
	}
	for _, r := range rows {
		for _, w := range r.Warnings {
			text := w.Text
			if name := r.Change.String(); name != "" &&
				(w.Code == whatif.WarnDisagree || w.Code == whatif.WarnUnsupported) {
				text = name + ": " + text
			}
			add(text)
		}
	}
	if len(all) == 0 {
		return nil
	}
	return []page.Block{all}
}
