package ernest

import (
	"fmt"
	"math"
	"slices"

	"github.com/paratimer/paratimer/units"
)

// A Row is a run that has been made.
type Row struct {
	Machines float64 `json:"machines"` // at least 1
	Scale    float64 `json:"scale"`    // above 0
	Seconds  float64 `json:"seconds"`  // above 0; a model of rows with other times gives no number unless forced
	// Iterations is how often an iterative job repeats its work, at least 1 (§4.1). It is 0 for other jobs. All rows of
	// a model have iterations, or none.
	Iterations int `json:"iterations,omitempty"`
}

// Point returns the row without its time.
func (r Row) Point() Point { return Point{r.Machines, r.Scale, r.Iterations} }

// A Point is a run to predict. Its fields are those of a Row.
type Point struct {
	Machines   float64 `json:"machines"`
	Scale      float64 `json:"scale"`
	Iterations int     `json:"iterations,omitempty"`
}

// MaxRows limits the rows of a fit.
const MaxRows = 20_000

// Limits of a run in any unit. Within them everything that a model computes is finite.
const (
	mostMachines = 1e9
	mostScale    = 1e30
	mostSeconds  = 1e12

	mostIterations = 1_000_000_000
)

// checkRow returns an error if no model can use the row. It accepts times of 0 or less: see notPositive.
func checkRow(i int, r Row) *InputError {
	for _, c := range []struct {
		column string
		value  float64
		valid  bool
		reason string
	}{
		{"machines", r.Machines, finite(r.Machines), "give a finite number"},
		{"machines", r.Machines, r.Machines >= 1, "a run has at least 1"},
		{"machines", r.Machines, r.Machines <= mostMachines, "more than there are anywhere"},
		{"scale", r.Scale, finite(r.Scale), "give a finite number"},
		{"scale", r.Scale, r.Scale > 0, "a run has some input: give a number above 0"},
		{"scale", r.Scale, r.Scale <= mostScale && r.Scale >= 1/mostScale, "give scale in another unit"},
		{"seconds", r.Seconds, finite(r.Seconds), "give a finite number"},
		{
			"iterations", float64(r.Iterations), r.Iterations >= 0 && r.Iterations <= mostIterations,
			"a run has at least 1 and at most 1e9",
		},
		{"seconds", r.Seconds, math.Abs(r.Seconds) <= mostSeconds, "no run takes so long: give seconds"},
	} {
		if !c.valid {
			return &InputError{i + 1, fmt.Sprintf("%s %v", c.column, c.value), c.reason}
		}
	}
	return nil
}

func checkRows(rows []Row) error {
	if len(rows) == 0 {
		return fmt.Errorf("no rows: a model needs runs to learn from")
	}
	if len(rows) > MaxRows {
		return fmt.Errorf("%d rows: at most %d are taken; a model of four terms needs a few dozen", len(rows), MaxRows)
	}
	for i, r := range rows {
		if err := checkRow(i, r); err != nil {
			return err
		}
		if (r.Iterations > 0) != (rows[0].Iterations > 0) {
			return &InputError{i + 1, fmt.Sprintf("iterations %d", r.Iterations), "all runs have iterations, at least 1, or none has"}
		}
	}
	return nil
}

// Limits that the times and scales of training runs rarely exceed.
const (
	longRun  = 3600 // seconds at the median: training runs are small
	shortRun = 0.01 // seconds at the median: no job on a cluster starts as fast
	manyMS   = 1000 // all times are whole and at least this: likely milliseconds
	byteLike = 1e6  // scale: a count of bytes or records, not a fraction
)

// unitWarnings warns if the magnitude of a column suggests a wrong unit.
func unitWarnings(rows []Row) []Warning {
	var warnings []Warning
	seconds := column(rows, func(r Row) float64 { return r.Seconds })
	whole := !slices.ContainsFunc(seconds, func(s float64) bool { return s != math.Trunc(s) || s < manyMS })
	switch median := quantile(seconds, 0.5); {
	case median >= longRun || whole:
		warnings = append(warnings, warning("seconds_large",
			"half of the runs take %s or more: if the times are milliseconds, divide them by 1000", units.Seconds(median)))
	case median > 0 && median < shortRun:
		warnings = append(warnings, warning("seconds_small",
			"half of the runs take %.3g s or less: the times should be seconds, not minutes or hours", median))
	}
	if top := slices.Max(column(rows, Row.scale)); top >= byteLike {
		warnings = append(warnings, warning("scale_large",
			"scale goes up to %.3g: bytes or records are fine, if predictions are asked in the same unit", top))
	}
	if n := notPositive(rows); n > 0 {
		first := slices.IndexFunc(rows, func(r Row) bool { return r.Seconds <= 0 })
		warnings = append(warnings, warning("seconds_not_positive",
			"%d of %d rows have a time of 0 or less, row %d the first: no run has", n, len(rows), 1+first))
	}
	return warnings
}

func notPositive(rows []Row) int {
	n := 0
	for _, r := range rows {
		if r.Seconds <= 0 {
			n++
		}
	}
	return n
}

func (r Row) scale() float64    { return r.Scale }
func (r Row) machines() float64 { return r.Machines }

// column returns one value of each row, ascending.
func column(rows []Row, of func(Row) float64) []float64 {
	values := make([]float64, len(rows))
	for i, r := range rows {
		values[i] = of(r)
	}
	slices.Sort(values)
	return values
}

// distinct returns the different values of the rows, ascending.
func distinct(rows []Row, of func(Row) float64) []float64 { return slices.Compact(column(rows, of)) }

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// quantile interpolates between sorted values.
func quantile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	at := q * float64(len(sorted)-1)
	i := min(int(at), len(sorted)-1)
	j := min(i+1, len(sorted)-1)
	return sorted[i] + (at-float64(i))*(sorted[j]-sorted[i])
}
