package ernest

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

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

// termTable has what is known of each term.
var termTable = [terms]struct {
	name    string
	at      func(m, s float64) float64
	grows   bool // it depends on scale
	divided bool // it is work that is divided among machines
	// sized means that the term needs a scale of at least 1: the logarithm of a fraction is negative, and its square
	// grows as the fraction falls.
	sized bool
}{
	{name: "1", at: func(_, _ float64) float64 { return 1 }},
	{name: "scale/machines", at: func(m, s float64) float64 { return s / m }, grows: true, divided: true},
	{name: "machines", at: func(m, _ float64) float64 { return m }},
	{name: "log(machines)", at: func(m, _ float64) float64 { return math.Log(m) }},
	{name: "sqrt(scale)", at: func(_, s float64) float64 { return math.Sqrt(s) }, grows: true},
	{name: "scale^2/machines", at: func(m, s float64) float64 { return s * s / m }, grows: true, divided: true},
	{name: "scale*log(scale)^2/machines", at: func(m, s float64) float64 {
		return s * math.Log(s) * math.Log(s) / m
	}, grows: true, divided: true, sized: true},
	{name: "scale", at: func(_, s float64) float64 { return s }, grows: true},
	{name: "scale*log(scale)/machines", at: func(m, s float64) float64 {
		return s * math.Log(s) / m
	}, grows: true, divided: true, sized: true},
	{name: "sqrt(scale)/machines", at: func(m, s float64) float64 { return math.Sqrt(s) / m }, grows: true, divided: true},
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
