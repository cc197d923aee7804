// Package ernest predicts how long a job takes on numbers of machines that it never ran on, from a few runs on a part
// of its input.
//
// S. Venkataraman, Z. Yang, M. Franklin, B. Recht, I. Stoica, "Ernest: Efficient Performance Prediction for
// Large-Scale Advanced Analytics", NSDI 2016; comments name its sections. The order of the terms and the candidates
// of a design follow the authors' program (github.com/amplab/ernest), which differs from the paper in some places.
//
// The steps are Design (which runs to make), Fit (a non-negative linear model of their times), Predict, Choose
// (machines for a deadline or a budget), and Retrain (whether real runs show that the model is outdated). The
// package does no I/O: runs are rows of floats.
//
// Machines are the units that the work is divided among: machines, cores or containers. Scale is the amount of input:
// a fraction of the whole, or any size, if all rows use the same unit. Times are seconds. Unknown numbers are NaN.
//
// # Stability
//
// Young: names may change in a minor version; the changelog lists such changes (CONTRIBUTING.md).
package ernest

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
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

const (
	// most limits the machines, scale, seconds and iterations of a run in any unit, and the inverse of its scale.
	// Within it everything that a model computes is finite.
	most = 1e18
	// rounding is the relative error of computed numbers that counts as none.
	rounding = 1e-9
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
		{"machines", r.Machines, r.Machines <= most, "more than there are anywhere"},
		{"scale", r.Scale, finite(r.Scale), "give a finite number"},
		{"scale", r.Scale, r.Scale > 0, "a run has some input: give a number above 0"},
		{"scale", r.Scale, r.Scale <= most && r.Scale >= 1/most, "give scale in another unit"},
		{"seconds", r.Seconds, finite(r.Seconds), "give a finite number"},
		{
			"iterations", float64(r.Iterations), r.Iterations >= 0 && r.Iterations <= most,
			"a run has at least 1 and at most 1e18",
		},
		{"seconds", r.Seconds, math.Abs(r.Seconds) <= most, "no run takes so long: give seconds"},
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

// longRun is the median time in seconds that training runs rarely exceed: they are small.
const longRun = 3600

// unitWarnings warns if the magnitude of the times suggests a wrong unit.
func unitWarnings(rows []Row) []dag.Warning {
	var warnings []dag.Warning
	seconds := column(rows, func(r Row) float64 { return r.Seconds })
	if median := taskcost.Quantile(seconds, 0.5); median >= longRun {
		warnings = append(warnings, dag.Warningf("seconds_large",
			"half of the runs take %s or more: if the times are milliseconds, divide them by 1000", units.Seconds(median)))
	}
	if n := notPositive(rows); n > 0 {
		first := slices.IndexFunc(rows, func(r Row) bool { return r.Seconds <= 0 })
		warnings = append(warnings, dag.Warningf("seconds_not_positive",
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

func (r Row) scale() float64 { return r.Scale }

func (r Row) machines() float64 { return r.Machines }

// column returns one value of each row, ascending.
func column[T any](rows []T, of func(T) float64) []float64 {
	values := make([]float64, len(rows))
	for i, r := range rows {
		values[i] = of(r)
	}
	slices.Sort(values)
	return values
}

// distinct returns the different values of the rows, ascending.
func distinct[T any](rows []T, of func(T) float64) []float64 { return slices.Compact(column(rows, of)) }

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// A Term is a summand of a model: a function of machines and scale. Its coefficient is in seconds.
type Term uint8

// The terms. The first four are the model of §3.2, in the order of the authors' program. The others are for jobs with
// other growth of work or communication (§3.4, §6.6).
const (
	One                    Term = iota // constant time: start-up, serial work
	ScalePerMachine                    // work that is divided
	Machines                           // all-to-one communication; a fixed cost a machine
	LogMachines                        // a tree of aggregation; the natural logarithm
	SqrtScale                          // work that grows with the root of the input, such as features of text
	ScaleSquaredPerMachine             // pairs of records
	// scale·ln²(scale)/machines: random projections; scale is a size, not a fraction
	ScaleLogSquaredPerMachine
	Scale               // work that is not divided: one reducer
	ScaleLogPerMachine  // scale·ln(scale)/machines: sorting; scale is a size, not a fraction
	SqrtScalePerMachine // √scale/machines
	ScaleSquared        // pairs of records that are not divided: a reducer of quadratic time

	terms = iota
)

// termTable has the properties of each term.
var termTable = [terms]struct {
	name  string
	at    func(m, s float64) float64
	grows bool // it depends on scale
	// sized means that the term needs a scale of at least 1: the logarithm of a fraction is negative, and its square
	// grows as the fraction falls.
	sized bool
}{
	{name: "1", at: func(_, _ float64) float64 { return 1 }},
	{name: "scale/machines", at: func(m, s float64) float64 { return s / m }, grows: true},
	{name: "machines", at: func(m, _ float64) float64 { return m }},
	{name: "log(machines)", at: func(m, _ float64) float64 { return math.Log(m) }},
	{name: "sqrt(scale)", at: func(_, s float64) float64 { return math.Sqrt(s) }, grows: true},
	{name: "scale^2/machines", at: func(m, s float64) float64 { return s * s / m }, grows: true},
	{name: "scale*log(scale)^2/machines", at: func(m, s float64) float64 {
		return s * math.Log(s) * math.Log(s) / m
	}, grows: true, sized: true},
	{name: "scale", at: func(_, s float64) float64 { return s }, grows: true},
	{name: "scale*log(scale)/machines", at: func(m, s float64) float64 {
		return s * math.Log(s) / m
	}, grows: true, sized: true},
	{name: "sqrt(scale)/machines", at: func(m, s float64) float64 { return math.Sqrt(s) / m }, grows: true},
	{name: "scale^2", at: func(_, s float64) float64 { return s * s }, grows: true},
}

// BaseTerms are those of §3.2: 1, scale/machines, machines, log(machines).
func BaseTerms() []Term { return []Term{One, ScalePerMachine, Machines, LogMachines} }

// AllTerms returns all terms, the base terms first.
func AllTerms() []Term {
	all := make([]Term, terms)
	for i := range all {
		all[i] = Term(i)
	}
	return all
}

// String returns the name that ParseTerm reads.
func (t Term) String() string {
	if t >= terms {
		return fmt.Sprintf("Term(%d)", uint8(t))
	}
	return termTable[t].name
}

// ParseTerm reads a term by its name. Spaces do not matter.
func ParseTerm(name string) (Term, error) {
	short := strings.ReplaceAll(strings.ToLower(name), " ", "")
	for i, known := range termTable {
		if short == known.name {
			return Term(i), nil
		}
	}
	return 0, fmt.Errorf("no term is called %q: there are %s", name, names(AllTerms()))
}

// MarshalText returns the term's name.
func (t Term) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText reads a term by its name, as ParseTerm does.
func (t *Term) UnmarshalText(name []byte) (err error) {
	*t, err = ParseTerm(string(name))
	return err
}

// At returns the value of the term. Its coefficient is in seconds per unit of that value.
func (t Term) At(machines, scale float64) float64 {
	if t >= terms {
		return math.NaN()
	}
	return termTable[t].at(machines, scale)
}

func features(terms []Term, machines, scale float64) []float64 {
	f := make([]float64, len(terms))
	for j, t := range terms {
		f[j] = t.At(machines, scale)
	}
	return f
}

func names(terms []Term) string {
	s := make([]string, len(terms))
	for i, t := range terms {
		s[i] = t.String()
	}
	return strings.Join(s, ", ")
}

// check returns an error if there is no such term, or if it has no value at the rows' scale.
func (t Term) check(rows []Row) error {
	if t >= terms {
		return bad("term "+t.String(), "there is no such term")
	}
	if termTable[t].sized && slices.ContainsFunc(rows, func(r Row) bool { return r.Scale < 1 }) {
		return bad("term "+t.String(), "it wants scale as a size of at least 1, such as records, not as a fraction")
	}
	return nil
}

// checkTerms rejects unknown terms, a repeated term, and a term that has no value at the rows' scale.
func checkTerms(terms []Term, rows []Row) error {
	for i, t := range terms {
		if slices.Contains(terms[:i], t) {
			return bad("term "+t.String(), "it is given twice")
		}
		if err := t.check(rows); err != nil {
			return err
		}
	}
	return nil
}

// An InputError names an input that cannot be used, and what to change.
type InputError struct {
	Row    int    // the row's number from 1; 0 if the input is no row
	Field  string // of a Row or a Space, a term or an offer; "" if no single one is the cause
	Reason string
}

func (e *InputError) Error() string {
	text := e.Reason
	if e.Field != "" {
		text = e.Field + ": " + text
	}
	if e.Row > 0 {
		text = fmt.Sprintf("row %d: %s", e.Row, text)
	}
	return text
}

func bad(field, format string, args ...any) error {
	return &InputError{0, field, fmt.Sprintf(format, args...)}
}

// doubt returns the reason why a model or a prediction must give no number unless forced.
func doubt(code, format string, args ...any) *dag.Warning {
	w := dag.Warningf(code, format, args...)
	return &w
}
