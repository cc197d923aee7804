package ernestview

import (
	"fmt"
	"io"
	"slices"

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

// sample is the JSON of the partitions for the training runs.
type sample struct {
	SpreadRatio float64      `json:"spread_ratio"`
	ReadBytes   int64        `json:"read_bytes"`
	Sizes       []sampleSize `json:"sizes"`
}

type sampleSize struct {
	Parts int `json:"parts"`
	ernest.SampleSize
	Files []string `json:"files"`
}

// JSON writes the design as JSON.
func (d *Design) JSON(w io.Writer) error {
	p := d.Plan
	out := design{
		Objective: units.Float(p.Objective), Gap: units.Float(p.Gap), Rows: view.List(p.Rows),
		Support: view.List(p.Support),
		Cost:    units.Float(p.Cost), RowsCost: units.Float(p.RowsCost), Budget: d.Space.Budget,
		TotalParts: d.Space.TotalParts, Candidates: p.Candidates, Warnings: warnings(d.warnings()),
	}
	if g := d.Greedy; g != nil {
		out.Greedy = &greedy{units.Float(g.Objective), view.List(g.Rows), units.Float(g.Cost)}
	}
	if d.Sample != nil {
		out.Sample = &sample{SpreadRatio: d.Sample.Spread, ReadBytes: d.Data.Read}
		for _, s := range d.Sample.Sizes {
			out.Sample.Sizes = append(out.Sample.Sizes, sampleSize{len(s.Chosen), s, d.Data.Of(s.Chosen)})
		}
	}
	return view.JSON(w, out, " ")
}

func (d *Design) warnings() []ernest.Warning {
	if d.Sample == nil {
		return d.Plan.Warnings
	}
	return slices.Concat(d.Plan.Warnings, d.Sample.Warnings())
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
	unit := " smallest runs on one machine"
	if d.Space.Cost != nil {
		unit = ""
	}
	t.line("\n%s of %s; together they cost %s%s, the budget is %s", units.Count(len(p.Rows), "training run"),
		units.Count(p.Candidates, "candidate"), units.Number(p.RowsCost), unit, units.Number(d.Space.Budget))
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
	if d.Sample != nil {
		d.sample(&t)
	}
	t.say("warning", d.warnings())
	t.line("next: make these runs, write machines,scale,seconds into a CSV, then `paratimer ernest fit`; " +
		"`paratimer ernest run` does all that")
	return t.to(w)
}

// papersSpread is the largest spread between partitions of the paper's data sets (§4.2).
const papersSpread = 0.35

// sample writes how similar the samples are to the whole.
func (d *Design) sample(t *text) {
	rows := [][]string{{"PARTS", "ENTRIES", "ROWS", "BYTES", "AT RANDOM"}}
	for _, s := range d.Sample.Sizes {
		rows = append(rows, []string{
			fmt.Sprint(len(s.Chosen)), units.Off(s.Entries), units.Off(s.Rows), units.Off(s.Bytes),
			"±" + units.Tenths(s.Random),
		})
	}
	t.line("")
	t.table(rows)
	random := "more than the paper's 35 %, so that random ones may be unlike the whole"
	if d.Sample.Spread <= papersSpread {
		random = "where the paper takes random ones up to 35 %"
	}
	t.line("\nof %s the one with the fewest non-zero entries has %s less than the one with the most, %s",
		units.Count(len(d.Data.Files), "partition"), units.Percent(d.Sample.Spread), random)
	if d.Data.Sampled > 0 {
		t.line("%s measured by pieces, %.0f MB of them in all", units.Count(d.Data.Sampled, "partition"),
			float64(d.Data.Read)/1e6)
	}
	t.line("--output json names the files of each run; `paratimer ernest run --data` has them in place of {files}")
}
