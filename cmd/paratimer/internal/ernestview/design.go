package ernestview

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/partitions"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/estimators/ernest"
	"github.com/paratimer/paratimer/units"
)

// A Design is a plan of training runs.
type Design struct {
	Space  ernest.Space
	Plan   *ernest.Plan
	Greedy *ernest.Plan // nil if there is none
	Data   *partitions.Folder
	Sample *ernest.Sample // of Data's files; both are nil without data
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
	Sample     *sample            `json:"sample"` // null without --data
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
		TotalParts: d.Space.TotalParts, Candidates: p.Candidates,
		Sample: d.sample(), Warnings: warnings(d.warnings()),
	}
	if d.Greedy != nil {
		out.Greedy = &greedy{units.Float(d.Greedy.Objective), view.List(d.Greedy.Rows), units.Float(d.Greedy.Cost)}
	}
	return view.JSON(w, out, " ")
}

// Text writes the design as text.
func (d *Design) Text(w io.Writer) error {
	var b strings.Builder
	p := d.Plan
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "MACHINES\tCORES\tSCALE\tPARTS\tCOST\tWEIGHT\t")
	for _, r := range p.Rows {
		fmt.Fprintf(t, "%d\t%d\t%.6f\t%d\t%.2f\t%.2f\t\n", r.Machines, r.Cores, r.Scale, r.Parts, r.Cost, r.Weight)
	}
	_ = t.Flush() // a strings.Builder never fails
	unit := " smallest runs on one machine"
	if d.Space.Cost != nil {
		unit = ""
	}
	fmt.Fprintf(&b, "\n%s of %s; together they cost %s%s, the budget is %s\n",
		units.Count(len(p.Rows), "training run"), units.Count(p.Candidates, "candidate"),
		units.Number(p.RowsCost), unit, units.Number(d.Space.Budget))
	fmt.Fprintf(&b, "variance of the model %.6f, at most %.1g above the least that the budget can buy\n", p.Objective,
		max(p.Gap, shownGap))
	switch g := d.Greedy; {
	case g == nil:
	case !units.Float(g.Objective).Known():
		fmt.Fprintf(&b, "the cheapest %d runs for this budget would not determine the model\n", len(g.Rows))
	default:
		fmt.Fprintf(&b, "the cheapest %d runs for this budget: variance %.6f, %.1f times as much\n", len(g.Rows),
			g.Objective, g.Objective/p.Objective)
	}
	d.sampleText(&b)
	say(&b, "warning", warnings(d.warnings()))
	b.WriteString("next: make these runs, write machines,scale,seconds into a CSV, then `paratimer ernest fit`; `paratimer ernest run` does all that\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// shownGap is the least gap in the text: smaller ones are rounding errors.
const shownGap = 1e-9
