package ernestview

import (
	"fmt"
	"io"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
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

// JSON writes the design as JSON.
func (d *Design) JSON(w io.Writer) error { return view.JSON(w, d, " ") }

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
		units.Number(d.Budget))
	t.line("variance of the model %.6f, at most %.1g above the least that the budget can buy", p.Objective,
		max(p.Gap, shownGap))
	switch g := d.Greedy; {
	case g == nil:
	case !g.Objective.Known():
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
