package ernest

import (
	"fmt"
	"strconv"
	"strings"
)

// variables are what a cost function may be made of.
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

// maxFormula bounds what is read, in bytes.
const maxFormula = 1000

// A FormulaError says where a cost function cannot be read.
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

// ParseCost reads a cost function of the user's (§3.3): a sum of products of numbers and the variables machines,
// seconds, minutes, hours, minutes_started and hours_started. "0.27*machines*hours_started + 0.05*machines" is one. A
// product may be divided by numbers. A *FormulaError says where it cannot be read.
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

// next skips spaces and is the byte that follows, 0 at the end.
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

// word is what comes up to a space or an operator. The sign of an exponent belongs to its number.
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
