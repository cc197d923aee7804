package ernestmodel

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/paratimer/paratimer/estimators/ernest"
)

// A Model is fitted to runs, of one iteration or of several. One of Plain and Iterative is nil.
type Model struct {
	Plain      *ernest.Model
	Iterative  *ernest.Iterative
	Rows       []ernest.Row
	Iterations []int // of each row; nil for Plain
	Options    ernest.FitOptions
	Warnings   []ernest.Warning // of the runs, then of the model
	Of         []Sum            // checksums of the job's program and inputs
}

// A Point is a run to predict. Iterations is 0 if the model has none.
type Point struct {
	Machines   float64 `json:"machines"`
	Scale      float64 `json:"scale"`
	Iterations int     `json:"iterations,omitempty"`
}

// Fit fits a model to a table of runs. Errors contain the line in the table.
func Fit(r *Runs, o ernest.FitOptions) (*Model, error) {
	m, err := fit(r.Rows, r.Iterations, o)
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
	with, err := fit(m.Rows, m.Iterations, o)
	if err == nil {
		with.Of, with.Warnings = m.Of, m.Warnings
	}
	return with, err
}

func fit(rows []ernest.Row, iterations []int, o ernest.FitOptions) (*Model, error) {
	m := &Model{Rows: rows, Iterations: iterations, Options: o}
	if iterations == nil {
		plain, err := ernest.Fit(rows, o)
		if err != nil {
			return nil, err
		}
		m.Plain, m.Warnings = plain, plain.Warnings
		return m, nil
	}
	several := make([]ernest.IterationRow, len(rows))
	for i := range rows {
		several[i] = ernest.IterationRow{Row: rows[i], Iterations: iterations[i]}
	}
	it, err := ernest.Iterations(several, o)
	if err != nil {
		return nil, err
	}
	m.Iterative, m.Warnings = it, it.Warnings
	return m, nil
}

// Main returns the model for display: for an iterative job that of one iteration.
func (m *Model) Main() *ernest.Model {
	if m.Iterative != nil {
		return m.Iterative.Each
	}
	return m.Plain
}

// Quality returns the residual in seconds and the leave-one-out error, of whole runs.
func (m *Model) Quality() (residual, loo float64) {
	if m.Iterative != nil {
		return m.Iterative.Residual, m.Iterative.LOO
	}
	return m.Plain.Residual, m.Plain.LOO
}

// Predict predicts the length of a run.
func (m *Model) Predict(p Point) ernest.Prediction {
	if m.Iterative != nil {
		return m.Iterative.Predict(p.Machines, p.Scale, max(1, p.Iterations))
	}
	return m.Plain.Predict(p.Machines, p.Scale)
}

// A Sum is the checksum of a file of the job at the time of the training runs. If the program or the inputs change,
// the model must be trained again (§5.1).
type Sum struct {
	File   string `json:"file"`
	SHA256 string `json:"sha256"`
}

// SumOf computes the checksum of a regular file.
func SumOf(file string) (Sum, error) {
	info, err := os.Stat(file) // before it is opened: opening a pipe would block
	if err != nil {
		return Sum{}, err
	}
	if !info.Mode().IsRegular() {
		return Sum{}, fmt.Errorf("%s is not a regular file", file)
	}
	f, err := os.Open(file)
	if err != nil {
		return Sum{}, err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return Sum{}, fmt.Errorf("%s: %w", file, err)
	}
	return Sum{file, hex.EncodeToString(h.Sum(nil))}, nil
}

// Changed warns about files that have changed since, or cannot be read.
func Changed(sums []Sum) []ernest.Warning {
	var warnings []ernest.Warning
	for _, was := range sums {
		switch is, err := SumOf(was.File); {
		case err != nil:
			warnings = append(warnings, ernest.Warning{
				Code: "unknown_change",
				Text: fmt.Sprintf("whether %s has changed since the model was trained is not known: %v", was.File,
					err),
			})
		case is != was:
			warnings = append(warnings, ernest.Warning{Code: "changed", Text: was.File +
				" has changed since the model was trained: train again"})
		}
	}
	return warnings
}
