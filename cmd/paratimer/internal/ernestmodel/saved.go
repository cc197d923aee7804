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
// same result. Terms and coefficients, of an iterative job
// those of one iteration, are for other programs and to check the file.
type saved struct {
	Format       string       `json:"format"`
	Version      int          `json:"version"`
	Terms        []string     `json:"terms"`
	Coefficients []float64    `json:"coefficients"`
	Fit          options      `json:"fit"`
	Rows         []ernest.Row `json:"rows"`
	Of           []Sum        `json:"of,omitempty"` // the job's program and inputs
}

type options struct {
	Terms       []string `json:"terms"` // null: the base terms
	Extra       []string `json:"extra"` // null with null terms: try the usual ones
	RefuseAbove float64  `json:"refuse_above,omitempty"`
	// only in files from versions that drew ranges at random; ignored
	Seed      uint64 `json:"seed,omitempty"`
	Resamples int    `json:"resamples,omitempty"` // as Seed
}

// Write saves a model.
func (m *Model) Write(w io.Writer) error {
	s := saved{
		Of: m.Of, Format: format, Version: version, Rows: m.Rows,
		Terms: Names(m.Terms[m.Setup:]), Coefficients: m.Coefficients[m.Setup:],
		Fit: options{Terms: Names(m.Options.Terms), Extra: Names(m.Options.Extra), RefuseAbove: m.Options.RefuseAbove},
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
	m, err := fit(s.Rows, o)
	if err != nil {
		return nil, err
	}
	if !near(m.Coefficients[m.Setup:], s.Coefficients) {
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
