package ernest

import (
	"fmt"
	"math"
	"strconv"
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

var termNames = [terms]string{
	"1", "scale/machines", "machines", "log(machines)", "sqrt(scale)", "scale^2/machines",
	"scale*log(scale)^2/machines",
	"scale", "scale*log(scale)/machines", "sqrt(scale)/machines", "scale^2",
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

// At returns the value of the term. Its coefficient is in seconds per unit of that value.
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

// grows reports whether the term depends on scale.
func (t Term) grows() bool { return t != One && t != Machines && t != LogMachines }

// divided reports whether the term is work that is divided among machines.
func (t Term) divided() bool { return strings.HasSuffix(termNames[t], "/machines") }

// sized reports whether the term needs a scale of at least 1: the logarithm of a fraction is negative, and its square
// grows as the fraction falls.
func (t Term) sized() bool { return t == ScaleLogSquaredPerMachine || t == ScaleLogPerMachine }

// variables are the variables of a cost function.
var variables = []struct {
	name string
	of   func(machines, seconds float64) float64
}{
	{"machines", func(m, _ float64) float64 { return m }},
	{"seconds", func(_, s float64) float64 { return s }},
	{"minutes", func(_, s float64) float64 { return s / 60 }},
	{"hours", func(_, s float64) float64 { return s / 3600 }},
	{"minutes_started", func(_, s float64) float64 { return started(s / 60) }},
	{"hours_started", func(_, s float64) float64 { return started(s / 3600) }},
}

// maxFormula limits the length of a formula, in bytes.
const maxFormula = 1000

// A FormulaError reports where and why a cost function cannot be parsed.
type FormulaError struct {
	Formula string
	Column  int // from 1, in bytes
	Reason  string
}

func (e *FormulaError) Error() string {
	return fmt.Sprintf("cost %q, column %d: %s", e.Formula, e.Column, e.Reason)
}

// A product is a summand of a cost function: a number times variables.
type product struct {
	factor    float64
	variables []int
}

// ParseCost parses a user's cost function (§3.3): a sum of products of numbers and the variables machines, seconds,
// minutes, hours, minutes_started and hours_started. An example is "0.27*machines*hours_started + 0.05*machines". A
// product may be divided by numbers. A *FormulaError gives the position of an error.
func ParseCost(formula string) (func(machines, seconds float64) float64, error) {
	p := &formulaParser{text: formula}
	if len(formula) > maxFormula {
		return nil, &FormulaError{formula[:40] + "…", maxFormula + 1, fmt.Sprintf("longer than %d bytes", maxFormula)}
	}
	sum, err := p.sum()
	if err != nil {
		return nil, err
	}
	return func(machines, seconds float64) float64 {
		total := 0.0
		for _, s := range sum {
			v := s.factor
			for _, i := range s.variables {
				v *= variables[i].of(machines, seconds)
			}
			total += v
		}
		return total
	}, nil
}

type formulaParser struct {
	text string
	at   int
}

func (p *formulaParser) fail(at int, format string, args ...any) error {
	return &FormulaError{p.text, at + 1, fmt.Sprintf(format, args...)}
}

// next skips spaces and returns the byte that follows, 0 at the end.
func (p *formulaParser) next() byte {
	for p.at < len(p.text) && (p.text[p.at] == ' ' || p.text[p.at] == '\t') {
		p.at++
	}
	if p.at == len(p.text) {
		return 0
	}
	return p.text[p.at]
}

func (p *formulaParser) sum() ([]product, error) {
	var sum []product
	for sign := 1.0; ; {
		for c := p.next(); c == '-' || c == '+'; c = p.next() {
			if c == '-' {
				sign = -sign
			}
			p.at++
		}
		one, err := p.product(sign)
		if err != nil {
			return nil, err
		}
		sum = append(sum, one)
		switch c := p.next(); c {
		case 0:
			return sum, nil
		case '+', '-':
			sign = 1
		default:
			return nil, p.fail(p.at, "%q: +, -, * or / must come here", p.text[p.at:min(len(p.text), p.at+8)])
		}
	}
}

func (p *formulaParser) product(sign float64) (product, error) {
	one := product{factor: sign}
	for divide := false; ; {
		p.next()
		from := p.at
		word := p.word()
		if number, err := strconv.ParseFloat(word, 64); err == nil && finite(number) && word[0] <= '9' {
			if divide && number == 0 {
				return one, p.fail(from, "division by 0")
			}
			if divide {
				number = 1 / number
			}
			one.factor *= number
		} else if i := variable(word); i < 0 {
			return one, p.fail(from, "%q is neither a number nor one of %s", word, variableNames())
		} else if divide {
			return one, p.fail(from, "divide by numbers only")
		} else {
			one.variables = append(one.variables, i)
		}
		switch p.next() {
		case '*':
			divide = false
		case '/':
			divide = true
		default:
			if !finite(one.factor) {
				return one, p.fail(from, "the numbers are beyond 1e308 together")
			}
			return one, nil
		}
		p.at++
	}
}

// word reads up to a space or an operator. The sign of an exponent belongs to its number.
func (p *formulaParser) word() string {
	from := p.at
	for ; p.at < len(p.text); p.at++ {
		c := p.text[p.at]
		exponent := p.at > from && (p.text[p.at-1] == 'e' || p.text[p.at-1] == 'E') && p.text[from] <= '9'
		if strings.IndexByte(" \t*/", c) >= 0 || (c == '+' || c == '-') && !exponent {
			break
		}
	}
	return p.text[from:p.at]
}

func variable(name string) int {
	for i, v := range variables {
		if v.name == name {
			return i
		}
	}
	return -1
}

func variableNames() string {
	names := make([]string, len(variables))
	for i, v := range variables {
		names[i] = v.name
	}
	return strings.Join(names, ", ")
}
