package ernestview

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/estimators/ernest"
	"github.com/paratimer/paratimer/units"
)

// A Fitted is a model and its predictions.
type Fitted struct {
	Name   string // of the input file
	Model  *ernest.Model
	Points []ernest.Point
	Force  bool         // show refused predictions
	Ran    []ernest.Row // runs made after the training
	Next   string       // next step, a command; "" for none
}

// fitted is the JSON of `paratimer ernest fit` and `predict`. Unknown and refused values are null.
type fitted struct {
	File         string                  `json:"file"`
	Rows         int                     `json:"rows"`
	part                                 // of an iterative job: one iteration
	Setup        *part                   `json:"setup,omitempty"` // of an iterative job: the part outside the iterations
	Residual     units.Float             `json:"residual"`        // seconds
	LOOMeanRatio units.Float             `json:"loo_mean_ratio"`
	Rank         int                     `json:"rank"`
	Condition    units.Float             `json:"condition"`
	Training     ernest.TrainingOverhead `json:"training"`
	Predictions  []prediction            `json:"predictions"`
	Retrain      *ernest.Signal          `json:"retrain"` // null if no later run was given
	Warnings     []ernest.Warning        `json:"warnings"`
}

type part struct {
	Terms        []ernest.Term `json:"terms"`
	Coefficients []float64     `json:"coefficients"`
}

type prediction struct {
	ernest.Point
	outlook
	Extrapolation units.Float     `json:"extrapolation_doublings"`
	TrainingRatio units.Float     `json:"training_work_ratio"` // machine time of all training runs over this run's
	RiskRatio     units.Float     `json:"risk_ratio"`          // probability that it is off by more than --refuse-above
	Next          *ernest.Guess   `json:"next_best"`
	Refused       *ernest.Warning `json:"refused"`
}

// shown reports whether a prediction's number may be shown.
func (f *Fitted) shown(p *ernest.Prediction) bool { return f.Force || p.Refused == nil }

// predict evaluates the model at the points.
func (f *Fitted) predict() []ernest.Prediction {
	var all []ernest.Prediction
	for _, at := range f.Points {
		all = append(all, f.Model.Predict(at))
	}
	return all
}

// JSON writes the predictions as JSON.
func (f *Fitted) JSON(w io.Writer) error {
	m := f.Model
	out := fitted{
		File: f.Name, Rows: len(m.Rows), Residual: units.Float(m.Residual), LOOMeanRatio: units.Float(m.LOO),
		part: part{m.Terms[m.Setup:], m.Coefficients[m.Setup:]}, Rank: m.Rank,
		Condition: units.Float(m.Condition), Training: ernest.Overhead(m.Rows),
		Predictions: []prediction{}, Retrain: f.signal(),
	}
	if m.Setup > 0 {
		out.Setup = &part{m.Terms[:m.Setup], m.Coefficients[:m.Setup]}
	}
	predicted := f.predict()
	for _, p := range predicted {
		q := prediction{
			Point: p.Point, outlook: outlookOf(&p, f.shown(&p)), Extrapolation: units.Float(p.Extrapolation.Distance),
			TrainingRatio: nan, RiskRatio: units.Float(p.Risk), Next: p.Next, Refused: p.Refused,
		}
		if f.shown(&p) {
			q.TrainingRatio = units.Float(out.Training.MachineSeconds / (p.Seconds * p.Machines))
		}
		out.Predictions = append(out.Predictions, q)
	}
	out.Warnings = warnings(m.Warnings, each(predicted, refusals), each(predicted, f.remarks))
	return view.JSON(w, out, " ")
}

// signal returns whether later runs suggest to train again; nil if there are none.
func (f *Fitted) signal() *ernest.Signal {
	if len(f.Ran) == 0 {
		return nil
	}
	s := ernest.Retrain(f.Model, f.Ran...)
	return &s
}

// Text writes the predictions as text: the answer, its uncertainty, the next step.
func (f *Fitted) Text(w io.Writer) error {
	var t text
	predicted := f.predict()
	if len(predicted) > 0 {
		f.table(&t, predicted)
	}
	if s := f.signal(); s != nil {
		t.line("%s", view.Escape(s.Text))
	}
	f.sure(&t, predicted)
	refused := brief(each(predicted, refusals))
	t.say("refused", refused)
	t.say("next best", each(predicted, f.instead))
	t.say("warning", f.Model.Warnings, brief(each(predicted, f.remarks)))
	next := f.Next
	if len(refused) > 0 && !f.Force {
		next = "measure what is missing, try further terms (--try all), take another threshold (--refuse-above), or see the numbers all the same (--force)"
	}
	if next != "" {
		t.line("next: %s", view.Escape(next))
	}
	return t.to(w)
}

func (f *Fitted) table(t *text, predicted []ernest.Prediction) {
	rows := [][]string{{"MACHINES", "SCALE", "ITERATIONS", "TIME", "8 OF 10 RUNS", "BEYOND THE RUNS"}}
	for _, p := range predicted {
		took, within := "refused", ""
		if f.shown(&p) {
			took, within = units.Seconds(p.Seconds), span(units.Float(p.Low), units.Float(p.High))
		}
		if f.shown(&p) && doubted(&p) && within != "?" { // the range is the answer
			took, within = within, "about "+took
		}
		rows = append(rows, []string{
			units.Number(p.Machines), units.Number(p.Scale), fmt.Sprint(p.Iterations), took, within,
			beyond(p.Extrapolation),
		})
	}
	if !f.Model.Iterative() {
		for i := range rows {
			rows[i] = slices.Delete(rows[i], 2, 3)
		}
	}
	t.table(rows)
	t.line("")
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
	return cmp.Or(strings.Join(parts, ", "), "-")
}

// sure writes what the model is and how reliable it is.
func (f *Fitted) sure(t *text, predicted []ernest.Prediction) {
	m := f.Model
	t.line("from %s of %s: %s machines, scale %s", units.Count(len(m.Rows), "run"), view.Escape(f.Name),
		between(m.Rows, func(r ernest.Row) float64 { return r.Machines }),
		between(m.Rows, func(r ernest.Row) float64 { return r.Scale }))
	t.line("each run predicted by the others: %s off in the mean (leave one out); residual %s", units.Tenths(m.LOO),
		units.Seconds(m.Residual))
	of := "time"
	if m.Iterative() {
		of = "time of an iteration"
	}
	if m.Setup > 0 {
		t.line("set-up = %s", sum(m.Terms[:m.Setup], m.Coefficients))
	}
	t.line("%s = %s", of, sum(m.Terms[m.Setup:], m.Coefficients[m.Setup:]))
	if len(predicted) == 0 {
		return
	}
	longest := slices.MaxFunc(predicted, func(a, b ernest.Prediction) int {
		return cmp.Compare(a.Seconds*a.Machines, b.Seconds*b.Machines)
	})
	spent := ernest.Overhead(m.Rows)
	if ratio := spent.MachineSeconds / (longest.Seconds * longest.Machines); f.shown(&longest) && longest.Seconds > 0 {
		share := units.Percent(ratio) + " of"
		if ratio > 10 {
			share = units.Number(math.Round(ratio)) + " times"
		}
		t.line("training took %s, %s the machine time of %s machines for %s", units.Seconds(spent.Seconds), share,
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
	return cmp.Or(strings.Join(parts, " + "), "0")
}

// between formats the range of a value of the rows.
func between(rows []ernest.Row, of func(ernest.Row) float64) string {
	low, high := math.Inf(1), math.Inf(-1)
	for _, r := range rows {
		low, high = min(low, of(r)), max(high, of(r))
	}
	if low == high {
		return units.Number(low)
	}
	return units.Number(low) + " to " + units.Number(high)
}

// refusals returns the reason why a point has no reliable number.
func refusals(p *ernest.Prediction) []ernest.Warning {
	if p.Refused != nil {
		return []ernest.Warning{*p.Refused}
	}
	return nil
}

// instead returns the prediction of the next best method, for a point without a number or with one that is likely
// off.
func (f *Fitted) instead(p *ernest.Prediction) []ernest.Warning {
	if p.Refused == nil && !doubted(p) || p.Next == nil {
		return nil
	}
	return []ernest.Warning{{
		Code: "next_best",
		Text: fmt.Sprintf("%s says %s; leaving one out it is %s off in the mean, ernest %s",
			p.Next.Method, units.Seconds(p.Next.Seconds), units.Tenths(p.Next.Error), units.Tenths(f.Model.LOO)),
	}}
}

// doubted reports whether a number is more likely off than not.
func doubted(p *ernest.Prediction) bool {
	return slices.ContainsFunc(p.Warnings, func(w ernest.Warning) bool { return w.Code == "likely_off" })
}

// remarks returns the warnings of a number that is shown.
func (f *Fitted) remarks(p *ernest.Prediction) []ernest.Warning {
	if !f.shown(p) {
		return nil
	}
	return p.Warnings
}

// each returns the warnings of all points. It adds the point to a warning that only one of several points has.
func each(predicted []ernest.Prediction, of func(*ernest.Prediction) []ernest.Warning) (out []ernest.Warning) {
	points := map[ernest.Warning]int{}
	for i := range predicted {
		for _, w := range of(&predicted[i]) {
			points[w]++
		}
	}
	for i := range predicted {
		p := &predicted[i]
		for _, w := range of(p) {
			if points[w] == 1 && len(predicted) > 1 {
				w.Text = fmt.Sprintf("%s machines, scale %s: %s", units.Number(p.Machines), units.Number(p.Scale), w.Text)
			}
			out = append(out, w)
		}
	}
	return out
}

// brief keeps the first remark of each kind, and adds the number of others.
func brief(all []ernest.Warning) []ernest.Warning {
	var out []ernest.Warning
	more := map[string]int{}
	for _, w := range warnings(all) {
		if more[w.Code]++; more[w.Code] == 1 {
			out = append(out, w)
		}
	}
	for i := range out {
		if n := more[out[i].Code] - 1; n > 0 {
			out[i].Text += fmt.Sprintf(" (and the like of %s)",
				strings.Replace(units.Count(n, "other point"), "1 other", "another", 1))
		}
	}
	return out
}
