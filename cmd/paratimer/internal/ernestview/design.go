package ernestview

import (
	"fmt"
	"io"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/estimators/ernest"
	"github.com/paratimer/paratimer/units"
)

// A Design is a plan of training runs.
type Design struct {
	Space  ernest.Space
	Plan   *ernest.Plan
	Greedy *ernest.Plan // nil if there is none
}

// design is the JSON of `paratimer ernest design`.
type design struct {
	Objective  units.Float        `json:"objective"`
	Gap        units.Float        `json:"gap"`
	Rows       []ernest.DesignRow `json:"rows"`
	Support    []ernest.DesignRow `json:"support"` // every candidate with a weight
	Cost       units.Float        `json:"cost"`
	RowsCost   units.Float        `json:"rows_cost"`
	Budget     float64            `json:"budget"`
	TotalParts int                `json:"total_parts"` // of the whole input
	Candidates int                `json:"candidates"`
	Greedy     *greedy            `json:"greedy"`
	Warnings   []ernest.Warning   `json:"warnings"`
}

type greedy struct {
	Objective units.Float        `json:"objective"` // null if its runs do not determine the model
	Rows      []ernest.DesignRow `json:"rows"`
	Cost      units.Float        `json:"cost"`
}

// JSON writes the design as JSON.
func (d *Design) JSON(w io.Writer) error {
	p := d.Plan
	out := design{
		Objective: units.Float(p.Objective), Gap: units.Float(p.Gap), Rows: view.List(p.Rows),
		Support: view.List(p.Support),
		Cost:    units.Float(p.Cost), RowsCost: units.Float(p.RowsCost), Budget: d.Space.Budget,
		TotalParts: d.Space.TotalParts, Candidates: p.Candidates, Warnings: warnings(p.Warnings),
	}
	if g := d.Greedy; g != nil {
		out.Greedy = &greedy{units.Float(g.Objective), view.List(g.Rows), units.Float(g.Cost)}
	}
	return view.JSON(w, out, " ")
}

// shownGap is the least gap in the text: smaller ones are rounding errors.
const shownGap = 1e-9

// Text writes the design as text.
func (d *Design) Text(w io.Writer) error {
	var t text
	p := d.Plan
	rows := [][]string{{"MACHINES", "CORES", "SCALE", "PARTS", "COST", "WEIGHT"}}
	for _, r := range p.Rows {
		rows = append(rows, []string{
			fmt.Sprint(r.Machines), fmt.Sprint(r.Cores), fmt.Sprintf("%.6f", r.Scale), fmt.Sprint(r.Parts),
			fmt.Sprintf("%.2f", r.Cost), fmt.Sprintf("%.2f", r.Weight),
		})
	}
	t.table(rows)
	t.line("\n%s of %s; together they cost %s smallest runs on one machine, the budget is %s",
		units.Count(len(p.Rows), "training run"), units.Count(p.Candidates, "candidate"), units.Number(p.RowsCost),
		units.Number(d.Space.Budget))
	t.line("variance of the model %.6f, at most %.1g above the least that the budget can buy", p.Objective,
		max(p.Gap, shownGap))
	switch g := d.Greedy; {
	case g == nil:
	case !units.Float(g.Objective).Known():
		t.line("the cheapest %d runs for this budget would not determine the model", len(g.Rows))
	default:
		t.line("the cheapest %d runs for this budget: variance %.6f, %.1f times as much", len(g.Rows), g.Objective,
			g.Objective/p.Objective)
	}
	t.say("warning", p.Warnings)
	t.line("next: make these runs, write machines,scale,seconds into a CSV, then `paratimer ernest fit`; " +
		"`paratimer ernest run` does all that")
	return t.to(w)
}
