package planview

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/page"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/ernest"
	"github.com/paratimer/paratimer/units"
)

// A Fitted is a model of Ernest and its predictions. It is the JSON of `paratimer ernest fit` and `predict`. Unknown
// and refused values are null.
type Fitted struct {
	File         string                  `json:"file"` // of the runs
	Rows         int                     `json:"rows"`
	Runs         []ernest.Row            `json:"runs"` // that the model is fitted to
	ErnestPart                           // of an iterative job: one iteration
	Setup        *ErnestPart             `json:"setup,omitempty"` // of an iterative job: the part outside the iterations
	Residual     units.Float             `json:"residual"`        // seconds
	LOOMeanRatio units.Float             `json:"loo_mean_ratio"`
	Rank         int                     `json:"rank"`
	Condition    units.Float             `json:"condition"`
	Training     ernest.TrainingOverhead `json:"training"`
	Predictions  []Prediction            `json:"predictions"`
	Retrain      *ernest.Signal          `json:"retrain"` // null if no later run was given
	Warnings     []dag.Warning           `json:"warnings"`

	Next  string `json:"-"` // next step, a command; "" for none
	model *ernest.Model
}

// An ErnestPart is terms of the model, each with its coefficient.
type ErnestPart struct {
	Terms        []ernest.Term `json:"terms"`
	Coefficients []float64     `json:"coefficients"`
}

// A Prediction is a run that was not made. Its times are null if it is refused and not forced.
type Prediction struct {
	ernest.Point
	Seconds       units.Float   `json:"seconds"`
	LowSeconds    units.Float   `json:"low_seconds"`
	HighSeconds   units.Float   `json:"high_seconds"`
	Extrapolation units.Float   `json:"extrapolation_doublings"`
	TrainingRatio units.Float   `json:"training_work_ratio"` // machine time of all training runs over this run's
	RiskRatio     units.Float   `json:"risk_ratio"`          // probability that it is off by more than refuse-above
	Next          *ernest.Guess `json:"next_best"`
	Refused       *dag.Warning  `json:"refused"`

	beyond   ernest.Extrapolation
	warnings []dag.Warning // of a number that is shown
}

// Predict evaluates a model at points. Refused predictions have their numbers if forced. ran are runs that were made
// after the training.
func Predict(file string, m *ernest.Model, points []ernest.Point, ran []ernest.Row, forced bool) *Fitted {
	f := &Fitted{
		File: file, Rows: len(m.Rows), Runs: m.Rows, Residual: units.Float(m.Residual),
		LOOMeanRatio: units.Float(m.LOO),
		ErnestPart:   ErnestPart{m.Terms[m.Setup:], m.Coefficients[m.Setup:]},
		Rank:         m.Rank, Condition: units.Float(m.Condition), Training: ernest.Overhead(m.Rows),
		Predictions: []Prediction{}, model: m,
	}
	if m.Setup > 0 {
		f.Setup = &ErnestPart{m.Terms[:m.Setup], m.Coefficients[:m.Setup]}
	}
	if len(ran) > 0 {
		f.Retrain = new(ernest.Retrain(m, ran...))
	}
	for _, at := range points {
		a := m.Predict(at)
		if a.Refused != nil && !forced {
			a.Seconds, a.Low, a.High, a.Warnings = math.NaN(), math.NaN(), math.NaN(), nil
		}
		f.Predictions = append(f.Predictions, Prediction{
			Point: a.Point, Seconds: units.Float(a.Seconds), LowSeconds: units.Float(a.Low),
			HighSeconds: units.Float(a.High), Extrapolation: units.Float(a.Extrapolation.Distance),
			TrainingRatio: units.Float(f.Training.MachineSeconds / (a.Seconds * a.Machines)),
			RiskRatio:     units.Float(a.Risk), Next: a.Next, Refused: a.Refused, beyond: a.Extrapolation,
			warnings: a.Warnings,
		})
	}
	f.Warnings = view.List(slices.Concat(m.Warnings, f.remarks(refusal), f.remarks(doubts)))
	return f
}

// refusal returns the reason why a point has no reliable number.
func refusal(p *Prediction) []dag.Warning {
	if p.Refused == nil {
		return nil
	}
	return []dag.Warning{*p.Refused}
}

// doubts returns the warnings of a number that is shown.
func doubts(p *Prediction) []dag.Warning { return p.warnings }

// likelyOff reports whether the error of a prediction is probably larger than refuse-above.
func (p *Prediction) likelyOff() bool {
	return slices.ContainsFunc(p.warnings, func(w dag.Warning) bool { return w.Code == "likely_off" })
}

// nextBest returns the prediction of the next best method, for a point without a number or with one that is likely
// off.
func (f *Fitted) nextBest(p *Prediction) []dag.Warning {
	if p.Refused == nil && !p.likelyOff() || p.Next == nil {
		return nil
	}
	return []dag.Warning{{Code: p.Next.Method, Text: fmt.Sprintf(
		"%s says %s; leaving one out it is %s off in the mean, ernest %s", p.Next.Method, units.Seconds(p.Next.Seconds),
		units.Tenths(p.Next.Error), units.Tenths(f.LOOMeanRatio))}}
}

// remarks returns the first remark of each kind, with its point unless all points have it, and the number of others.
func (f *Fitted) remarks(of func(*Prediction) []dag.Warning) (out []dag.Warning) {
	seen := map[dag.Warning]bool{}
	for _, p := range f.Predictions {
		for _, w := range of(&p) {
			if seen[w] {
				continue
			}
			seen[w] = true
			lacks := func(other Prediction) bool { return !slices.Contains(of(&other), w) }
			if slices.ContainsFunc(f.Predictions, lacks) {
				w.Text = fmt.Sprintf("%s machines, scale %s: %s", units.Number(p.Machines), units.Number(p.Scale), w.Text)
			}
			out = append(out, w)
		}
	}
	return view.FirstOfKinds(out)
}

// Document shows the predictions: the answer, its uncertainty, the next step.
func (f *Fitted) Document() *page.Document {
	d := &page.Document{}
	if len(f.Predictions) > 0 {
		d.Add(f.table(), page.Say(""))
	}
	if f.Retrain != nil {
		d.Add(page.Say(f.Retrain.Text))
	}
	f.sure(d)
	say(d, "refused", f.remarks(refusal))
	say(d, "next best", f.remarks(f.nextBest))
	say(d, "warning", f.model.Warnings)
	say(d, "warning", f.remarks(doubts))
	next := f.Next
	if slices.ContainsFunc(f.Predictions, func(p Prediction) bool { return p.Refused != nil && !p.Seconds.Known() }) {
		next = "measure what is missing, try further terms (--try all), take another threshold (--set refuse-above=40%), or see " +
			"the numbers all the same (--force)"
	}
	if next != "" {
		d.Add(page.Say("next: " + next))
	}
	return d
}

func (f *Fitted) table() *page.Table {
	t := &page.Table{Columns: page.Heads("Machines", "Scale", "Iterations", "Time", "8 of 10 runs", "Beyond the runs")}
	for _, p := range f.Predictions {
		took, within, iterations := units.Seconds(p.Seconds), spanOf(p.LowSeconds, p.HighSeconds), ""
		switch {
		case !p.Seconds.Known():
			took, within = "refused", ""
		case p.likelyOff() && within != units.Unknown: // the range is the answer
			took, within = within, "about "+took
		}
		if f.model.Iterative() {
			iterations = fmt.Sprint(p.Iterations)
		}
		var beyond []string
		exceeds := func(name string, factor float64) {
			if factor > 1 {
				beyond = append(beyond, fmt.Sprintf("%s %s×", name, units.Number(math.Round(factor*10)/10)))
			}
		}
		exceeds("machines", p.beyond.Machines)
		exceeds("scale", p.beyond.Scale)
		t.Add(units.Number(p.Machines), units.Number(p.Scale), iterations, took, within,
			cmp.Or(strings.Join(beyond, ", "), "-"))
	}
	return t.Compact()
}

// sure adds lines about the model and its reliability.
func (f *Fitted) sure(d *page.Document) {
	line := func(format string, args ...any) { d.Add(page.Say(fmt.Sprintf(format, args...))) }
	line("from %s of %s: %s machines, scale %s", units.Count(f.Rows, "run"), f.File,
		f.between(func(r ernest.Row) float64 { return r.Machines }),
		f.between(func(r ernest.Row) float64 { return r.Scale }))
	line("each run predicted by the others: %s off in the mean (leave one out); residual %s",
		units.Tenths(f.LOOMeanRatio), units.Seconds(f.Residual))
	of := "time"
	if f.model.Iterative() {
		of = "time of an iteration"
	}
	if f.Setup != nil {
		line("set-up = %s", f.Setup)
	}
	line("%s = %s", of, &f.ErnestPart)
	if len(f.Predictions) == 0 {
		return
	}
	longest := slices.MinFunc(f.Predictions, func(a, b Prediction) int {
		return cmp.Compare(a.TrainingRatio, b.TrainingRatio)
	})
	if ratio := longest.TrainingRatio; longest.Seconds > 0 {
		share := units.Percent(ratio) + " of"
		if ratio > 10 {
			share = units.Number(math.Round(float64(ratio))) + " times"
		}
		line("training took %s, %s the machine time of %s machines for %s", units.Seconds(f.Training.Seconds), share,
			units.Number(longest.Machines), units.Seconds(longest.Seconds))
	}
}

// String formats terms as a formula, without those of coefficient 0.
func (p *ErnestPart) String() string {
	var parts []string
	for i, t := range p.Terms {
		switch c := p.Coefficients[i]; {
		case c == 0:
		case t == ernest.One:
			parts = append(parts, units.Number(c))
		default:
			parts = append(parts, units.Number(c)+"·"+t.String())
		}
	}
	return cmp.Or(strings.Join(parts, " + "), "0")
}

// between formats the range of a value of the rows.
func (f *Fitted) between(of func(ernest.Row) float64) string {
	less := func(a, b ernest.Row) int { return cmp.Compare(of(a), of(b)) }
	low, high := of(slices.MinFunc(f.model.Rows, less)), of(slices.MaxFunc(f.model.Rows, less))
	if low == high {
		return units.Number(low)
	}
	return units.Number(low) + " to " + units.Number(high)
}

// say adds a line for each warning, with a word such as "warning" before it.
func say(d *page.Document, word string, all []dag.Warning) {
	for _, w := range all {
		d.Add(page.Say(word + ": " + w.Text))
	}
}

func spanOf(low, high units.Float) string {
	if !low.Known() || !high.Known() {
		return units.Unknown
	}
	return units.Seconds(low) + " – " + units.Seconds(high)
}
