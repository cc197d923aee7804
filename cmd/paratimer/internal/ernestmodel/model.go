package ernestmodel

import (
	"slices"

	"github.com/paratimer/paratimer/estimators/ernest"
)

// A Model is a fitted model with what is known of its runs.
type Model struct {
	*ernest.Model
	Options  ernest.FitOptions
	Warnings []ernest.Warning // of the table, then of the model
}

// Fit fits a model to a table of runs. Errors contain the line in the table.
func Fit(r *Runs, o ernest.FitOptions) (*Model, error) {
	m, err := fit(r.Rows, o)
	if err != nil {
		return nil, r.Place(err)
	}
	of := m.Warnings
	m.Warnings = slices.Clone(r.Warnings)
	for _, w := range of {
		if err := r.notTimes(); err != nil && w.Code == "seconds_not_positive" {
			w.Text = err.Error()
		}
		m.Warnings = append(m.Warnings, w)
	}
	return m, nil
}

// With returns the model with another error threshold, above which predictions are refused.
func (m *Model) With(refuseAbove float64) (*Model, error) {
	o := m.Options
	o.RefuseAbove = refuseAbove
	with, err := fit(m.Rows, o)
	if err == nil {
		with.Warnings = m.Warnings
	}
	return with, err
}

func fit(rows []ernest.Row, o ernest.FitOptions) (*Model, error) {
	m, err := ernest.Fit(rows, o)
	if err != nil {
		return nil, err
	}
	return &Model{Model: m, Options: o, Warnings: m.Warnings}, nil
}
