package ernestmodel

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/paratimer/paratimer/estimators/ernest"
)

// format is the first field of a saved model.
const (
	format  = "paratimer ernest model"
	version = 1
	maxSize = 64 << 20
)

// saved is the content of a model's file. Only the rows and options matter: Read fits the model again, with the
// same result. Terms and coefficients, of an iterative job
// those of one iteration, are for other programs and to check the file.
type saved struct {
	Format       string        `json:"format"`
	Version      int           `json:"version"`
	Terms        []ernest.Term `json:"terms"`
	Coefficients []float64     `json:"coefficients"`
	Fit          struct {
		ernest.FitOptions
		// only in files from versions that drew ranges at random; ignored
		Seed      uint64 `json:"seed,omitempty"`
		Resamples int    `json:"resamples,omitempty"`
	} `json:"fit"`
	Rows []ernest.Row `json:"rows"`
	Of   any          `json:"of,omitempty"` // only in files from versions that kept checksums; ignored
}

// Write saves a model. Read returns the same model.
func Write(w io.Writer, m *ernest.Model) error {
	s := saved{
		Format: format, Version: version, Rows: m.Rows,
		Terms: m.Terms[m.Setup:], Coefficients: m.Coefficients[m.Setup:],
	}
	s.Fit.FitOptions = m.Options
	enc := json.NewEncoder(w)
	enc.SetIndent("", " ")
	return enc.Encode(s)
}

// Read reads a saved model; file is the name in messages.
func Read(r io.Reader, file string) (*ernest.Model, error) {
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

func (s *saved) model() (*ernest.Model, error) {
	switch {
	case s.Format != format:
		return nil, fmt.Errorf("this is not a saved model: it has not the format %q", format)
	case s.Version != version:
		return nil, fmt.Errorf("this is version %d of a saved model; version %d is known: fit the runs again",
			s.Version, version)
	}
	m, err := ernest.Fit(s.Rows, s.Fit.FitOptions)
	if err != nil {
		return nil, err
	}
	if !slices.EqualFunc(m.Coefficients[m.Setup:], s.Coefficients, near) {
		return nil, fmt.Errorf(
			"its coefficients are not those of its rows: it was changed, or another version wrote it; fit the runs again")
	}
	return m, nil
}

// near reports whether coefficients are equal, apart from the rounding of another machine.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-6*max(math.Abs(a), 1e-12) }
