package ernestview

import (
	"io"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/ernestmodel"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/estimators/ernest"
	"github.com/paratimer/paratimer/units"
)

// A Fitted is a model and its predictions.
type Fitted struct {
	Name   string // of the input file
	Model  *ernestmodel.Model
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
	Terms        []string  `json:"terms"`
	Coefficients []float64 `json:"coefficients"`
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
		part: part{ernestmodel.Names(m.Terms[m.Setup:]), m.Coefficients[m.Setup:]}, Rank: m.Rank,
		Condition: units.Float(m.Condition), Predictions: []prediction{}, Retrain: f.signal(),
	}
	if m.Setup > 0 {
		out.Setup = &part{ernestmodel.Names(m.Terms[:m.Setup]), m.Coefficients[:m.Setup]}
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

// signal returns whether later runs suggest to train again; nil if there are none.
func (f *Fitted) signal() *ernest.Signal {
	if len(f.Ran) == 0 {
		return nil
	}
	s := ernest.Retrain(f.Model.Model, f.Ran...)
	return &s
}
