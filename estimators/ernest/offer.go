package ernest

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// An Offer is a type of machine with its own model and price (§4.1, §6.4).
type Offer struct {
	Name                string
	Model               *Model
	PricePerMachineHour float64 // in any currency, one for all offers
	MinMachines         int     // 0 for 1
	MaxMachines         int
	Step                int // machines come in multiples of Step, starting at MinMachines; 0 for 1
	Billing             Billing
	// Cost replaces price and billing if it is not nil (§3.3). It returns the cost of a run of that many seconds, 0
	// or more.
	Cost func(machines, seconds float64) float64
	// Speeds of machines of this type, for Spare; nil if none were measured.
	Speeds *Speeds
}

func (o *Offer) bad(format string, args ...any) error {
	return &OfferError{o.Name, fmt.Sprintf(format, args...)}
}

// checked returns the offer with its defaults, or an error if it is invalid.
func (o Offer) checked() (Offer, error) {
	if o.MinMachines == 0 {
		o.MinMachines = 1
	}
	if o.Step == 0 {
		o.Step = 1
	}
	b := o.Billing
	switch {
	case o.Model == nil:
		return o, o.bad("it has no model: fit one to its training runs")
	case !finite(o.PricePerMachineHour) || o.PricePerMachineHour < 0:
		return o, o.bad("a price of %v for a machine and hour: give a number of 0 or more", o.PricePerMachineHour)
	case o.MinMachines < 1 || o.Step < 1:
		return o, o.bad("from %d machines on by steps of %d: both are 1 or more", o.MinMachines, o.Step)
	case o.MaxMachines < o.MinMachines:
		return o, o.bad("%d machines at most are fewer than %d at least", o.MaxMachines, o.MinMachines)
	case !finite(b.Quantum) || !finite(b.Minimum) || b.Quantum < 0 || b.Minimum < 0:
		return o, o.bad("billing by %v s and at least %v s: give seconds of 0 or more", b.Quantum, b.Minimum)
	}
	return o, nil
}

// Billing is how time is charged. The zero value charges the exact time.
type Billing struct {
	Quantum float64 // seconds; each started quantum is charged in full; 0 for the exact time
	Minimum float64 // seconds charged at least
}

// The usual billings.
var (
	PerMoment = Billing{}
	PerSecond = Billing{Quantum: 1, Minimum: 60}
	PerHour   = Billing{Quantum: 3600}
)

// Charged returns the charged time in seconds.
func (b Billing) Charged(seconds float64) float64 {
	if b.Quantum > 0 {
		seconds = b.Quantum * started(seconds/b.Quantum)
	}
	return max(seconds, b.Minimum)
}

// started returns the number of quanta that have begun. It ignores rounding errors of a computed time.
func started(quanta float64) float64 {
	const rounding = 1e-9
	return math.Ceil(quanta * (1 - rounding))
}

// cost returns the cost of a run; NaN if seconds is NaN.
func (o *Offer) cost(machines, seconds float64) (float64, error) {
	if math.IsNaN(seconds) {
		return math.NaN(), nil
	}
	if o.Cost == nil {
		return o.PricePerMachineHour * machines * o.Billing.Charged(seconds) / 3600, nil
	}
	cost := o.Cost(machines, seconds)
	if !finite(cost) || cost < 0 {
		return 0, o.bad("its cost function says %v for %g machines and %.4g s: give 0 or more", cost, machines, seconds)
	}
	return cost, nil
}

// A formula is a part of a cost function.
type formula func(machines, seconds float64) float64

// variables are the variables of a cost function.
var variables = map[string]formula{
	"machines":        func(m, _ float64) float64 { return m },
	"seconds":         func(_, s float64) float64 { return s },
	"minutes":         func(_, s float64) float64 { return s / 60 },
	"hours":           func(_, s float64) float64 { return s / 3600 },
	"minutes_started": func(_, s float64) float64 { return started(s / 60) },
	"hours_started":   func(_, s float64) float64 { return started(s / 3600) },
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

// ParseCost parses a user's cost function (§3.3): a sum of products of numbers and the variables machines, seconds,
// minutes, hours, minutes_started and hours_started. An example is "0.27*machines*hours_started + 0.05*machines". A
// product may be divided by numbers. A *FormulaError gives the position of an error.
func ParseCost(text string) (func(machines, seconds float64) float64, error) {
	if len(text) > maxFormula {
		return nil, &FormulaError{text[:40] + "…", maxFormula + 1, fmt.Sprintf("longer than %d bytes", maxFormula)}
	}
	// The syntax is that of Go: a position is the offset plus 1.
	tree, err := parser.ParseExprFrom(token.NewFileSet(), "", text, 0)
	var list scanner.ErrorList
	if errors.As(err, &list) {
		return nil, &FormulaError{text, min(list[0].Pos.Offset, len(text)) + 1, list[0].Msg}
	}
	f, _, err := compile(text, tree)
	return f, err
}

// compile returns the function of a tree, and whether it is a number.
func compile(text string, tree ast.Expr) (f formula, constant bool, err error) {
	fail := func(at ast.Expr, format string, args ...any) (formula, bool, error) {
		return nil, false, &FormulaError{text, min(int(at.Pos()), len(text)+1), fmt.Sprintf(format, args...)}
	}
	switch e := tree.(type) {
	case *ast.Ident:
		if f = variables[e.Name]; f != nil {
			return f, false, nil
		}
	case *ast.BasicLit:
		if number, err := strconv.ParseFloat(e.Value, 64); err == nil {
			return func(_, _ float64) float64 { return number }, true, nil
		}
	case *ast.UnaryExpr:
		x, constant, err := compile(text, e.X)
		switch {
		case err != nil || e.Op == token.ADD:
			return x, constant, err
		case e.Op == token.SUB:
			return func(m, s float64) float64 { return -x(m, s) }, constant, nil
		}
	case *ast.BinaryExpr:
		x, xConstant, err := compile(text, e.X)
		if err != nil {
			return nil, false, err
		}
		y, yConstant, err := compile(text, e.Y)
		if err != nil {
			return nil, false, err
		}
		switch e.Op {
		case token.ADD:
			f = func(m, s float64) float64 { return x(m, s) + y(m, s) }
		case token.SUB:
			f = func(m, s float64) float64 { return x(m, s) - y(m, s) }
		case token.MUL:
			f = func(m, s float64) float64 { return x(m, s) * y(m, s) }
		case token.QUO:
			if !yConstant {
				return fail(e.Y, "divide by numbers only")
			}
			if y(0, 0) == 0 {
				return fail(e.Y, "division by 0")
			}
			f = func(m, s float64) float64 { return x(m, s) / y(m, s) }
		default:
			return fail(e, "%s is none of +, -, * and /", e.Op)
		}
		constant = xConstant && yConstant
		if constant && !finite(f(0, 0)) {
			return fail(e.Y, "the numbers are beyond 1e308 together")
		}
		return f, constant, nil
	}
	from := max(0, min(int(tree.Pos())-1, len(text)))
	word := text[from:max(from, min(int(tree.End())-1, len(text)))]
	return fail(tree, "%q is neither a number nor one of %s", word,
		strings.Join(slices.Sorted(maps.Keys(variables)), ", "))
}
