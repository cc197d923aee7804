package ernestview

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/estimators/ernest"
	"github.com/paratimer/paratimer/units"
)

// Text writes the predictions as text: the answer, its uncertainty, the next step.
func (f *Fitted) Text(w io.Writer) error {
	var b strings.Builder
	predicted := f.predict()
	f.table(&b, predicted)
	if s := f.signal(); s != nil {
		fmt.Fprintf(&b, "%s\n", view.Escape(s.Text))
	}
	f.sure(&b, predicted)
	refused := warnings(brief(f.refusals(predicted)))
	say(&b, "refused", refused)
	say(&b, "next best", warnings(f.instead(predicted)))
	say(&b, "warning", warnings(f.Model.Warnings, brief(f.remarks(predicted))))
	next := f.Next
	if len(refused) > 0 && !f.Force {
		next = "measure what is missing, try further terms (--try all), take another threshold (--refuse-above), or see the numbers all the same (--force)"
	}
	if next != "" {
		fmt.Fprintf(&b, "next: %s\n", view.Escape(next))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (f *Fitted) table(b *strings.Builder, predicted []ernest.Prediction) {
	if len(predicted) == 0 {
		return
	}
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)
	head, iterations := "MACHINES\tSCALE", f.Model.Iterative()
	if iterations {
		head += "\tITERATIONS"
	}
	fmt.Fprintln(t, head+"\tTIME\t8 OF 10 RUNS\tBEYOND THE RUNS\t")
	for i, p := range predicted {
		at := f.Points[i]
		fmt.Fprintf(t, "%s\t%s\t", units.Number(at.Machines), units.Number(at.Scale))
		if iterations {
			fmt.Fprintf(t, "%d\t", at.Iterations)
		}
		took, within := "refused", ""
		if f.shown(&p) {
			took, within = units.Seconds(p.Seconds), span(p.Low, p.High)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t\n", took, within, beyond(p.Extrapolation))
	}
	_ = t.Flush() // a strings.Builder never fails
	b.WriteString("\n")
}

// beyond formats how far a point is outside the rows.
func beyond(e ernest.Extrapolation) string {
	var parts []string
	if e.Machines > 1 {
		parts = append(parts, fmt.Sprintf("machines %s×", units.Number(math.Round(e.Machines*10)/10)))
	}
	if e.Scale > 1 {
		parts = append(parts, fmt.Sprintf("scale %s×", units.Number(math.Round(e.Scale*10)/10)))
	}
	if parts == nil {
		return "-"
	}
	return strings.Join(parts, ", ")
}

// sure writes what the model is and how reliable it is.
func (f *Fitted) sure(b *strings.Builder, predicted []ernest.Prediction) {
	m := f.Model
	machines, scale := bounds(m.Rows)
	fmt.Fprintf(b, "from %s of %s: %s machines, scale %s\n", units.Count(len(m.Rows), "run"), view.Escape(f.Name),
		machines, scale)
	fmt.Fprintf(b, "each run predicted by the others: %s off in the mean (leave one out); residual %s\n",
		units.Tenths(m.LOO), units.Seconds(m.Residual))
	of := "time"
	if m.Iterative() {
		of = "time of an iteration"
	}
	if m.Setup > 0 {
		fmt.Fprintf(b, "set-up = %s\n", sum(m.Terms[:m.Setup], m.Coefficients))
	}
	fmt.Fprintf(b, "%s = %s\n", of, sum(m.Terms[m.Setup:], m.Coefficients[m.Setup:]))
	if len(predicted) == 0 {
		return
	}
	longest := slices.MaxFunc(predicted, func(a, b ernest.Prediction) int {
		return cmp.Compare(a.Seconds*a.Machines, b.Seconds*b.Machines)
	})
	spent := ernest.Overhead(f.Model.Rows, ernest.Row{
		Machines: longest.Machines, Scale: longest.Scale,
		Seconds: longest.Seconds,
	})
	if f.shown(&longest) && spent.WorkRatio > 0 {
		share := units.Percent(spent.WorkRatio) + " of"
		if spent.WorkRatio > 10 {
			share = units.Number(math.Round(spent.WorkRatio)) + " times"
		}
		fmt.Fprintf(b, "training took %s, %s the machine time of %s machines for %s\n", units.Seconds(spent.Seconds),
			share,
			units.Number(longest.Machines), units.Seconds(longest.Seconds))
	}
}

// sum formats terms as a formula, without those of coefficient 0.
func sum(terms []ernest.Term, coefficients []float64) string {
	var parts []string
	for i, t := range terms {
		switch c := coefficients[i]; {
		case c == 0:
		case t == ernest.One:
			parts = append(parts, units.Number(c))
		default:
			parts = append(parts, units.Number(c)+"·"+t.String())
		}
	}
	if parts == nil {
		return "0"
	}
	return strings.Join(parts, " + ")
}

// bounds formats the ranges of machines and scales in the rows.
func bounds(rows []ernest.Row) (machines, scale string) {
	between := func(of func(ernest.Row) float64) string {
		low, high := math.Inf(1), math.Inf(-1)
		for _, r := range rows {
			low, high = min(low, of(r)), max(high, of(r))
		}
		if low == high {
			return units.Number(low)
		}
		return units.Number(low) + " to " + units.Number(high)
	}
	return between(func(r ernest.Row) float64 { return r.Machines }),
		between(func(r ernest.Row) float64 { return r.Scale })
}
