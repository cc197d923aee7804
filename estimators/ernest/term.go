package ernest

import (
	"fmt"
	"math"
	"strings"
)

// A Term is a summand of a model, a function of machines and scale that is worth its coefficient in seconds.
type Term uint8

// The terms. The first four are the model of §3.2, in the order of the authors' program; the others are for jobs whose
// work or communication grows otherwise (§3.4, §6.6).
const (
	One                    Term = iota // what takes the same always: start-up, serial work
	ScalePerMachine                    // work that is divided
	Machines                           // all-to-one communication; a fixed cost a machine
	LogMachines                        // a tree of aggregation; the natural logarithm
	SqrtScale                          // work that grows by the root of the input, such as features of text
	ScaleSquaredPerMachine             // pairs of records
	// scale·ln²(scale)/machines: random projections; scale is a size, not a fraction
	ScaleLogSquaredPerMachine
	Scale               // work that is not divided: one reducer
	ScaleLogPerMachine  // scale·ln(scale)/machines: sorting; scale is a size, not a fraction
	SqrtScalePerMachine // √scale/machines
	ScaleSquared        // pairs of records that are not divided: a reducer of quadratic time

	terms = iota
)

var termNames = [terms]string{
	"1", "scale/machines", "machines", "log(machines)", "sqrt(scale)", "scale^2/machines",
	"scale*log(scale)^2/machines",
	"scale", "scale*log(scale)/machines", "sqrt(scale)/machines", "scale^2",
}

// BaseTerms are those of §3.2: 1, scale/machines, machines, log(machines).
func BaseTerms() []Term { return []Term{One, ScalePerMachine, Machines, LogMachines} }

// AllTerms are all that there are, the base terms first.
func AllTerms() []Term {
	all := make([]Term, terms)
	for i := range all {
		all[i] = Term(i)
	}
	return all
}

// String is the name that ParseTerm reads.
func (t Term) String() string {
	if int(t) >= terms {
		return fmt.Sprintf("Term(%d)", uint8(t))
	}
	return termNames[t]
}

// ParseTerm reads a term by its name. Spaces do not matter.
func ParseTerm(name string) (Term, error) {
	short := strings.ReplaceAll(strings.ToLower(name), " ", "")
	for i, known := range termNames {
		if short == known {
			return Term(i), nil
		}
	}
	return 0, fmt.Errorf("no term is called %q: there are %s", name, strings.Join(termNames[:], ", "))
}

// At is the value of the term; its coefficient is seconds per unit of it.
func (t Term) At(machines, scale float64) float64 {
	switch t {
	case One:
		return 1
	case ScalePerMachine:
		return scale / machines
	case Machines:
		return machines
	case LogMachines:
		return math.Log(machines)
	case SqrtScale:
		return math.Sqrt(scale)
	case ScaleSquaredPerMachine:
		return scale * scale / machines
	case ScaleLogSquaredPerMachine:
		l := math.Log(scale)
		return scale * l * l / machines
	case Scale:
		return scale
	case ScaleLogPerMachine:
		return scale * math.Log(scale) / machines
	case SqrtScalePerMachine:
		return math.Sqrt(scale) / machines
	case ScaleSquared:
		return scale * scale
	default:
		return math.NaN()
	}
}

// grows says that the term depends on scale.
func (t Term) grows() bool { return t != One && t != Machines && t != LogMachines }

// divided says that the term is work that machines share.
func (t Term) divided() bool { return strings.HasSuffix(termNames[t], "/machines") }

// sized says that the term needs a scale of at least 1: the logarithm of a fraction is negative, and its square grows
// as the fraction falls.
func (t Term) sized() bool { return t == ScaleLogSquaredPerMachine || t == ScaleLogPerMachine }
