package ernest

import (
	"math"
	"slices"

	"github.com/paratimer/paratimer/estimators/internal/nnls"
	"gonum.org/v1/gonum/mat"
)

// FitOptions select what to fit. The zero value is the model of the paper, plus usual extra terms that pass
// cross-validation.
type FitOptions struct {
	// Terms of the model, nil for BaseTerms.
	Terms []Term
	// Extra are candidate terms. Those that lower the leave-one-out error enough are added to the model, with a
	// warning. If neither Terms nor Extra are given, Fit tries the usual ones (§3.4).
	Extra []Term
	// RefuseAbove is the error |predicted/actual - 1| above which a number is useless (the threshold of §3.4), 0 for
	// DefaultRefuseAbove. A prediction that is likely off by more is refused.
	RefuseAbove float64
}

// DefaultRefuseAbove is the default of FitOptions.RefuseAbove.
const DefaultRefuseAbove = 0.20

func (o *FitOptions) refuseAbove() float64 {
	if !(o.RefuseAbove > 0) {
		return DefaultRefuseAbove
	}
	return o.RefuseAbove
}

// A Model is a sum of terms with non-negative coefficients. For an iterative job (§4.1) the first Setup terms are work
// that is done once, and the others are multiplied by the number of iterations.
type Model struct {
	Terms        []Term
	Setup        int       // number of terms of the set-up; 0 if the rows cannot separate it from the iterations
	Coefficients []float64 // seconds per unit of the term of the same index
	Residual     float64   // Euclidean norm of the residuals, seconds
	// LOO is the mean of |predicted/actual - 1| if each row is predicted by a model of the others. Repeated runs of
	// one configuration are left out together; above 100 configurations, several are left out at a time. If there are
	// as many configurations as terms, only the terms with a coefficient above 0 are used. NaN if no row can be
	// predicted.
	LOO float64
	// Left are these predictions, one for each row, seconds. NaN if the other rows do not determine it.
	Left []float64
	Rows []Row
	Rank int // of the features of the rows
	// Condition is the condition number of the rows' features with columns scaled to length 1; +Inf if the rank is
	// below the number of terms.
	Condition float64
	Warnings  []Warning

	options  FitOptions
	base     *regression
	reach    reach
	unseen   bool // scale has no effect in the rows
	doubt    error
	rivals   []rival
	suspects []suspect
	*evidence
	students []float64 // quantiles of errors, in units of their deviation
}

// Fit finds the non-negative coefficients that fit rows with the least squared error (§3.3). It needs at least one
// row. Warnings name what few rows cannot determine, and Trusted reports whether the model can be used. A *RowError
// names an invalid row, a *TermError an invalid term.
func Fit(rows []Row, o FitOptions) (*Model, error) {
	if err := checkRows(rows); err != nil {
		return nil, err
	}
	rows = slices.Clone(rows)
	usual := o.Terms == nil && o.Extra == nil
	if len(o.Terms) == 0 {
		o.Terms = BaseTerms()
	}
	if err := checkTerms(o.Terms, rows); err != nil {
		return nil, err
	}
	m := &Model{Rows: rows, Warnings: unitWarnings(rows), options: o, reach: reachOf(rows)}
	if err := m.regressSetup(o.Terms); err != nil {
		return nil, err
	}
	group, groups := configurations(rows)
	if m.Iterative() { // further terms, rivals and patterns are not tried: none of them has iterations
		m.compare(configured(rows, group, groups, m.base.a.RawRowView), false)
		m.Warnings = append(m.Warnings, m.undetermined()...)
		m.doubt = m.judge()
		return m, nil
	}
	if usual {
		o.Extra = usualExtra(rows)
	}
	if err := m.tryExtra(o.Extra, !usual); err != nil {
		return nil, err
	}
	m.compare(configured(rows, group, groups, m.base.a.RawRowView), true)
	m.Warnings = append(m.Warnings, m.undetermined()...)
	m.Warnings = append(m.Warnings, m.missed()...)
	m.suspects = m.findSuspects()
	m.doubt = m.judge()
	return m, nil
}

// Iterative reports whether the model is of an iterative job.
func (m *Model) Iterative() bool { return m.Rows[0].Iterations > 0 }

// regressSetup fits the terms. To the model of an iterative job it adds as much of the set-up as the rows determine
// with one row left to check the model.
func (m *Model) regressSetup(terms []Term) error {
	setups := [][]Term{nil}
	if m.Iterative() {
		setups = [][]Term{{One, ScalePerMachine}, {One}, nil}
	}
	for _, setup := range setups {
		m.Terms, m.Setup = slices.Concat(setup, terms), len(setup)
		if err := m.regress(); err != nil {
			return err
		}
		if m.Rank == len(m.Terms) && m.Rank < len(m.Rows) {
			break
		}
	}
	if m.Iterative() && m.Setup == 0 {
		m.Warnings = append(m.Warnings,
			Warning{"setup_within", "the rows cannot tell set-up from iterations, so that it is counted in each: " +
				"measure some machines and scales with different numbers of iterations"})
	}
	return nil
}

// compare gathers the evidence for the model and, if rivals is true, for the rival methods.
func (m *Model) compare(all []configuration, rivals bool) {
	m.evidence = gather(all, byModel)
	tests := m.tests
	if rivals && len(all) > 0 {
		m.rivals = findRivals(all)
	}
	if tests == 0 {
		for _, r := range m.rivals {
			tests = max(tests, r.tests)
		}
	}
	m.students = students(tests)
}

// regress fits the terms of the model and computes the leave-one-out predictions.
func (m *Model) regress() error {
	r, err := m.with(m.Terms)
	if err != nil {
		return err
	}
	m.base, m.Coefficients, m.Residual = r, r.x, r.residual
	m.Rank, m.Condition = r.span.Rank, r.span.Condition
	group, groups := configurations(m.Rows)
	m.Left = r.leaveOut(group, groups, maxFolds)
	if m.LOO, _ = meanError(m.Left, r.seconds); math.IsNaN(m.LOO) && groups == len(m.Terms) {
		return m.leaveActive(group, groups)
	}
	return nil
}

// with fits terms to the rows.
func (m *Model) with(terms []Term) (*regression, error) {
	a, seconds := mat.NewDense(len(m.Rows), len(terms), nil), make([]float64, len(m.Rows))
	for i, row := range m.Rows {
		a.SetRow(i, m.features(terms, row.Point()))
		seconds[i] = row.Seconds
	}
	return regress(a, seconds)
}

// features returns the values of terms at a point. Those after the set-up count once for each iteration.
func (m *Model) features(terms []Term, at Point) []float64 {
	f := features(terms, at.Machines, at.Scale)
	for j := m.Setup; j < len(f) && at.Iterations > 0; j++ {
		f[j] *= float64(at.Iterations)
	}
	return f
}

func features(terms []Term, machines, scale float64) []float64 {
	f := make([]float64, len(terms))
	for j, t := range terms {
		f[j] = t.At(machines, scale)
	}
	return f
}

// checkTerms rejects unknown terms, a repeated term, and a term that has no value at the rows' scale.
func checkTerms(terms []Term, rows []Row) error {
	for i, t := range terms {
		if t.String() == "" || int(t) >= len(termNames) {
			return &TermError{t, "there is no such term"}
		}
		if slices.Contains(terms[:i], t) {
			return &TermError{t, "it is given twice"}
		}
		if err := checkSized(t, rows); err != nil {
			return err
		}
	}
	return nil
}

func checkSized(t Term, rows []Row) error {
	if t.sized() && slices.ContainsFunc(rows, func(r Row) bool { return r.Scale < 1 }) {
		return &TermError{t, "it wants scale as a size of at least 1, such as records, not as a fraction"}
	}
	return nil
}

// A regression explains times by a non-negative combination of features.
type regression struct {
	a        *mat.Dense // runs x features
	seconds  []float64
	x        []float64
	residual float64
	span     *nnls.Span // of the features
}

func regress(a *mat.Dense, seconds []float64) (*regression, error) {
	x, residual, err := nnls.Solve(a, seconds)
	if err != nil {
		return nil, err
	}
	return &regression{a, seconds, x, residual, nnls.SpanOf(a)}, nil
}

// active returns the number of features with a coefficient above 0.
func (r *regression) active() int {
	n := 0
	for _, v := range r.x {
		if v > 0 {
			n++
		}
	}
	return n
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i, v := range a {
		sum += float64(v * b[i])
	}
	return sum
}
