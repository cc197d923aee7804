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

// A Model is a fitted model with what is known of its runs.
type Model struct {
	*ernest.Model
	Options  ernest.FitOptions
	Warnings []ernest.Warning // of the table, then of the model
	Of       []Sum            // checksums of the job's program and inputs
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
		with.Of, with.Warnings = m.Of, m.Warnings
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
