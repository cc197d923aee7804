package ernestview

import (
	"io"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/ernestmodel"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/estimators/ernest"
	"github.com/paratimer/paratimer/units"
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
	File         string                  `json:"file"`
	Rows         int                     `json:"rows"`
	Terms        []string                `json:"terms"`
	Coefficients []float64               `json:"coefficients"`
	Setup        *part                   `json:"setup,omitempty"` // of an iterative job: what is done once
	Residual     units.Float             `json:"residual"`        // seconds
	LOOMeanRatio units.Float             `json:"loo_mean_ratio"`
	Rank         int                     `json:"rank"`
	Condition    units.Float             `json:"condition"`
	Training     ernest.TrainingOverhead `json:"training"`
	Predictions  []prediction            `json:"predictions"`
	Retrain      *ernest.Signal          `json:"retrain"` // null where no run was told
	Warnings     []ernest.Warning        `json:"warnings"`
}

type part struct {
	Terms        []string  `json:"terms"`
	Coefficients []float64 `json:"coefficients"`
}

type prediction struct {
	ernestmodel.Point
	outlook
	Extrapolation units.Float     `json:"extrapolation_doublings"`
	TrainingRatio units.Float     `json:"training_work_ratio"` // machine time of all training runs over this run's
	RiskRatio     units.Float     `json:"risk_ratio"`          // how likely it is off by more than --refuse-above
	Next          *ernest.Guess   `json:"next_best"`
	Refused       *ernest.Warning `json:"refused"`
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
		Residual: units.Float(residual), LOOMeanRatio: units.Float(loo), Rank: main.Rank,
		Condition: units.Float(main.Condition), Predictions: []prediction{}, Retrain: f.signal(),
	}
	if it := f.Model.Iterative; it != nil && it.Setup != nil {
		out.Setup = &part{ernestmodel.Names(it.Setup.Terms), it.Setup.Coefficients}
	}
	out.Training = ernest.Overhead(f.Model.Rows, ernest.Row{})
	predicted := f.predict()
	for i, p := range predicted {
		q := prediction{
			Point: f.Points[i], outlook: outlookOf(&p, f.shown(&p)),
			Extrapolation: units.Float(p.Extrapolation.Distance),
			TrainingRatio: nan, RiskRatio: units.Float(p.Risk), Next: p.Next, Refused: refusal(&p),
		}
		if f.shown(&p) {
			q.TrainingRatio = units.Float(out.Training.MachineSeconds / (p.Seconds * p.Machines))
		}
		out.Predictions = append(out.Predictions, q)
	}
	out.Warnings = warnings(f.Model.Warnings, f.refusals(predicted), f.remarks(predicted))
	return view.JSON(w, out, " ")
}

// signal is what runs that were made say of the model; nil where none was told.
func (f *Fitted) signal() *ernest.Signal {
	if len(f.Ran) == 0 || f.Model.Plain == nil {
		return nil
	}
	s := ernest.Retrain(f.Model.Plain, f.Ran...)
	return &s
}
