package ernestmodel

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"

	"github.com/paratimer/paratimer/estimators/ernest"
)

// format is the first field of a saved model.
const (
	format  = "paratimer ernest model"
	version = 1
	maxRows = 100_000
	maxSize = 64 << 20
)

// saved is the content of a model's file. Only the rows and options matter: Read fits the model again, with the
// same result. Terms and coefficients are for other programs, and to check the file.
type saved struct {
	Format       string     `json:"format"`
	Version      int        `json:"version"`
	Terms        []string   `json:"terms"`
	Coefficients []float64  `json:"coefficients"`
	Fit          options    `json:"fit"`
	Rows         []savedRow `json:"rows"`
	Of           []Sum      `json:"of,omitempty"` // the job's program and inputs
}

type options struct {
	Terms       []string `json:"terms"` // null: the base terms
	Extra       []string `json:"extra"` // null with null terms: try the usual ones
	RefuseAbove float64  `json:"refuse_above,omitempty"`
	// only in files from versions that drew ranges at random; ignored
	Seed      uint64 `json:"seed,omitempty"`
	Resamples int    `json:"resamples,omitempty"` // as Seed
}

type savedRow struct {
	Machines   float64 `json:"machines"`
	Scale      float64 `json:"scale"`
	Seconds    float64 `json:"seconds"`
	Iterations *int    `json:"iterations,omitempty"`
}

// Write saves a model.
func (m *Model) Write(w io.Writer) error {
	main := m.Main()
	s := saved{
		Of: m.Of, Format: format, Version: version, Terms: Names(main.Terms), Coefficients: main.Coefficients,
		Fit: options{Terms: Names(m.Options.Terms), Extra: Names(m.Options.Extra), RefuseAbove: m.Options.RefuseAbove},
	}
	for i, r := range m.Rows {
		row := savedRow{Machines: r.Machines, Scale: r.Scale, Seconds: r.Seconds}
		if m.Iterations != nil {
			row.Iterations = &m.Iterations[i]
		}
		s.Rows = append(s.Rows, row)
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", " ")
	return enc.Encode(s)
}

// Read reads a saved model; file is the name in messages.
func Read(r io.Reader, file string) (*Model, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxSize+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", file, err)
	case len(b) > maxSize:
		return nil, fmt.Errorf("%s: the file is too large for a model", file)
	}
	var s saved
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&s); err != nil {
		return nil, fmt.Errorf("%s: this is not a saved model: %w", file, err)
	}
	m, err := s.model()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return m, nil
}

func (s *saved) model() (*Model, error) {
	switch {
	case s.Format != format:
		return nil, fmt.Errorf("this is not a saved model: it has not the format %q", format)
	case s.Version != version:
		return nil, fmt.Errorf("this is version %d of a saved model; version %d is known: fit the runs again",
			s.Version, version)
	case len(s.Rows) == 0 || len(s.Rows) > maxRows:
		return nil, fmt.Errorf("it has %d rows; a model has 1 to %d", len(s.Rows), maxRows)
	}
	o := ernest.FitOptions{RefuseAbove: s.Fit.RefuseAbove}
	var err error
	if o.Terms, err = Terms(s.Fit.Terms); err != nil {
		return nil, err
	}
	if o.Extra, err = Terms(s.Fit.Extra); err != nil {
		return nil, err
	}
	rows := make([]ernest.Row, len(s.Rows))
	var iterations []int
	for i, r := range s.Rows {
		rows[i] = ernest.Row{Machines: r.Machines, Scale: r.Scale, Seconds: r.Seconds}
		if r.Iterations != nil {
			iterations = append(iterations, *r.Iterations)
		}
	}
	if iterations != nil && len(iterations) != len(rows) {
		return nil, fmt.Errorf("%d of %d rows have iterations: all have them, or none", len(iterations), len(rows))
	}
	m, err := fit(rows, iterations, o)
	if err != nil {
		return nil, err
	}
	if !near(m.Main().Coefficients, s.Coefficients) {
		return nil, fmt.Errorf(
			"its coefficients are not those of its rows: it was changed, or another version wrote it; fit the runs again")
	}
	m.Of = s.Of
	return m, nil
}

// near reports whether coefficients are equal, apart from the rounding of another machine.
func near(a, b []float64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if math.Abs(a[i]-b[i]) > 1e-6*math.Max(math.Abs(a[i]), 1e-12) {
			return false
		}
	}
	return true
}

// Names returns the names of terms; nil for nil.
func Names(terms []ernest.Term) []string {
	if terms == nil {
		return nil
	}
	names := []string{}
	for _, t := range terms {
		names = append(names, t.String())
	}
	return names
}

// Terms parses the names of terms; nil for nil.
func Terms(names []string) ([]ernest.Term, error) {
	if names == nil {
		return nil, nil
	}
	terms := []ernest.Term{}
	for _, n := range names {
		t, err := ernest.ParseTerm(n)
		if err != nil {
			return nil, err
		}
		terms = append(terms, t)
	}
	return terms, nil
}
