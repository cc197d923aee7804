package ernestview

import (
	"io"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/ernestmodel"
	"github.com/paratimer/paratimer/estimators/ernest"
)

// A Fitted is a model and what it predicts.
type Fitted struct {
	Name   string // of the file that it is from
	Model  *ernestmodel.Model
	Points []ernestmodel.Point
	Force  bool         // show what is refused
	Ran    []ernest.Row // runs that were made since
	Next   string       // what to do next, a command; "" for none
}

// fitted is what `paratimer ernest fit` and `predict` print as JSON. Unknown, and refused, is null.
type fitted struct {
	File         string       `json:"file"`
	Rows         int          `json:"rows"`
	Terms        []string     `json:"terms"`
	Coefficients []float64    `json:"coefficients"`
	Setup        *part        `json:"setup,omitempty"` // of an iterative job: what is done once
	Residual     *float64     `json:"residual"`        // seconds
	LOOMeanRatio *float64     `json:"loo_mean_ratio"`
	Rank         int          `json:"rank"`
	Condition    *float64     `json:"condition"`
	Training     training     `json:"training"`
	Predictions  []prediction `json:"predictions"`
	Retrain      *retrain     `json:"retrain"` // null where no run was told
	Warnings     []warning    `json:"warnings"`
}

type part struct {
	Terms        []string  `json:"terms"`
	Coefficients []float64 `json:"coefficients"`
}

type training struct {
	Seconds        float64 `json:"seconds"`
	MachineSeconds float64 `json:"machine_seconds"`
}

type prediction struct {
	Machines         float64  `json:"machines"`
	Scale            float64  `json:"scale"`
	Iterations       *int     `json:"iterations,omitempty"`
	Seconds          *float64 `json:"seconds"`
	LowSeconds       *float64 `json:"low_seconds"`
	HighSeconds      *float64 `json:"high_seconds"`
	ExtrapolationLog *float64 `json:"extrapolation_doublings"`
	TrainingRatio    *float64 `json:"training_work_ratio"` // machine time of all training runs over this run's
	RiskRatio        *float64 `json:"risk_ratio"`          // how likely it is off by more than --refuse-above
	Next             *guess   `json:"next_best"`
	Refused          *warning `json:"refused"`
}

// A guess is what another method says, and how far it was off on the rows.
type guess struct {
	Method       string   `json:"method"`
	Seconds      *float64 `json:"seconds"`
	LOOMeanRatio *float64 `json:"loo_mean_ratio"`
}

type retrain struct {
	Retrain     bool     `json:"retrain"`
	Runs        int      `json:"runs"`
	Outside     int      `json:"outside"`
	BiasRatio   *float64 `json:"bias_ratio"`
	ChanceRatio *float64 `json:"chance_ratio"`
	Text        string   `json:"text"`
}

// shown says whether a prediction's number may be.
func (f *Fitted) shown(p *ernest.Prediction) bool { return f.Force || p.Refused == nil }

// predict asks the model.
func (f *Fitted) predict() []ernest.Prediction {
	var all []ernest.Prediction
	for _, at := range f.Points {
		all = append(all, f.Model.Predict(at))
	}
	return all
}

// JSON writes it for programs.
func (f *Fitted) JSON(w io.Writer) error {
	main := f.Model.Main()
	residual, loo := f.Model.Quality()
	out := fitted{
		File: f.Name, Rows: len(f.Model.Rows), Terms: ernestmodel.Names(main.Terms), Coefficients: main.Coefficients,
		Residual: known(residual), LOOMeanRatio: known(loo), Rank: main.Rank, Condition: known(main.Condition), Predictions: []prediction{},
	}
	if it := f.Model.Iterative; it != nil && it.Setup != nil {
		out.Setup = &part{ernestmodel.Names(it.Setup.Terms), it.Setup.Coefficients}
	}
	spent := ernest.Overhead(f.Model.Rows, ernest.Row{})
	out.Training = training{spent.Seconds, spent.MachineSeconds}
	predicted := f.predict()
	for i, p := range predicted {
		q := prediction{Machines: f.Points[i].Machines, Scale: f.Points[i].Scale, ExtrapolationLog: known(p.Extrapolation.Distance)}
		if f.Model.Iterative != nil {
			q.Iterations = &f.Points[i].Iterations
		}
		if p.Refused != nil {
			why := refusal(p.Refused)
			q.Refused = &warning{why.Code, why.Text}
		}
		q.RiskRatio = known(p.Risk)
		if p.Next != nil {
			q.Next = &guess{p.Next.Method, known(p.Next.Seconds), known(p.Next.Error)}
		}
		if f.shown(&p) {
			q.Seconds, q.LowSeconds, q.HighSeconds = known(p.Seconds), known(p.Low), known(p.High)
			q.TrainingRatio = known(spent.MachineSeconds / (p.Seconds * p.Machines))
		}
		out.Predictions = append(out.Predictions, q)
	}
	if s := f.signal(); s != nil {
		out.Retrain = &retrain{s.Retrain, s.Runs, s.Outside, known(s.Error), known(s.Chance), s.Text}
	}
	out.Warnings = warnings(f.Model.Warnings, f.refusals(predicted), f.remarks(predicted))
	return encode(w, out)
}

// signal is what runs that were made say of the model; nil where none was told.
func (f *Fitted) signal() *ernest.Signal {
	if len(f.Ran) == 0 || f.Model.Plain == nil {
		return nil
	}
	s := ernest.Retrain(f.Model.Plain, f.Ran...)
	return &s
}
