package planview

import (
	"fmt"
	"math"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/page"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/ernest"
	"github.com/paratimer/paratimer/units"
)

// A Design is a plan of training runs. It is the JSON of `paratimer ernest design`.
type Design struct {
	*ernest.Plan
	Budget     float64      `json:"budget"`
	TotalParts int          `json:"total_parts"` // of the whole input
	Greedy     *ernest.Plan `json:"greedy"`      // null if there is none
}

// shownGap is the least gap in the text: smaller ones are rounding errors.
const shownGap = 1e-9

// Document shows the design.
func (d *Design) Document() *page.Document {
	p := d.Plan
	t := &page.Table{Columns: page.Heads("Machines", "Cores", "Scale", "Parts", "Cost", "Weight")}
	for _, r := range p.Rows {
		t.Add(fmt.Sprint(r.Machines), fmt.Sprint(r.Cores), fmt.Sprintf("%.6f", r.Scale), fmt.Sprint(r.Parts),
			fmt.Sprintf("%.2f", r.Cost), fmt.Sprintf("%.2f", r.Weight))
	}
	out := &page.Document{Blocks: []page.Block{t, page.Say("")}}
	line := func(format string, args ...any) { out.Add(page.Say(fmt.Sprintf(format, args...))) }
	line("%s of %s; together they cost %s smallest runs on one machine, the budget is %s",
		units.Count(len(p.Rows), "training run"), units.Count(p.Candidates, "candidate"), units.Number(p.RowsCost),
		units.Number(d.Budget))
	line("variance of the model %.6f, at most %.1g above the least that the budget can buy", p.Objective,
		max(p.Gap, shownGap))
	switch g := d.Greedy; {
	case g == nil:
	case !g.Objective.Known():
		line("the cheapest %d runs for this budget would not determine the model", len(g.Rows))
	default:
		line("the cheapest %d runs for this budget: variance %.6f, %.1f times as much", len(g.Rows), g.Objective,
			g.Objective/p.Objective)
	}
	say(out, "warning", p.Warnings)
	line("next: make these runs, write machines,scale,seconds into a CSV, then `paratimer ernest fit`; " +
		"`paratimer ernest run` does all that")
	return out
}

// A Choice is the result of a choice between offers, in the order of ernest.Choose. It is the JSON of `paratimer ernest
// predict --offer`. Unknown and refused values are null.
type Choice struct {
	ernest.Want
	Best     *ernest.Choice  `json:"best"` // null if no choice meets the limits
	Choices  []ernest.Choice `json:"choices"`
	Warnings []dag.Warning   `json:"warnings"` // of the offers' models
}

// shownChoices is the number of choices in the text; the best one of each offer is always included.
const shownChoices = 8

// Document shows the best choice, then the others.
func (v *Choice) Document() *page.Document {
	d := &page.Document{Title: v.Goal.String()}
	limits := " "
	if v.Deadline > 0 {
		d.Title += limits + "within " + units.Seconds(v.Deadline)
		limits = ", "
	}
	if v.Budget > 0 {
		d.Title += limits + "for at most " + money(units.Float(v.Budget))
	}
	d.Title += " for scale " + units.Number(v.Scale)
	if v.Iterations > 0 {
		d.Title += " and " + units.Count(v.Iterations, "iteration")
	}
	if c := v.Best; c == nil {
		d.Title += ": nothing"
	} else {
		d.Title += fmt.Sprintf(": %d × %s, %s (%s), costs %s", c.Machines, c.Offer, units.Seconds(c.Seconds),
			spanOf(c.Low, c.High), money(c.Cost))
	}
	t := &page.Table{Columns: page.Heads("Offer", "Machines", "Time", "8 of 10 runs", "Cost", "In time", "In budget")}
	seen := map[string]bool{}
	for _, c := range v.Choices {
		switch {
		case len(t.Rows) >= shownChoices && seen[c.Offer]:
			t.More++
			continue
		case !c.Seconds.Known():
			t.Add(c.Offer, fmt.Sprint(c.Machines), "refused", "", "", "", "")
		default:
			t.Add(c.Offer, fmt.Sprint(c.Machines), units.Seconds(c.Seconds), spanOf(c.Low, c.High), money(c.Cost),
				likely(c.InTime, v.Deadline), likely(c.InBudget, v.Budget))
		}
		seen[c.Offer] = true
	}
	d.Add(page.Say(""), t)
	if v.Best == nil && len(v.Choices) > 0 {
		d.Add(page.Say("the first: " + v.Choices[0].Why))
	}
	say(d, "warning", v.Warnings)
	return d
}

// likely formats the probability of meeting a limit; "-" if there is no limit.
func likely(p units.Float, limit float64) string {
	if limit <= 0 {
		return "-"
	}
	return units.Chance(p)
}

// money formats an amount: two decimals, more digits below one.
func money(v units.Float) string {
	switch {
	case !v.Known():
		return units.Unknown
	case v != 0 && math.Abs(float64(v)) < 1:
		return fmt.Sprintf("%.3g", v)
	}
	return fmt.Sprintf("%.2f", v)
}
