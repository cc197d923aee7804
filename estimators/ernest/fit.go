package ernest

import (
	"math"
	"slices"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// FitOptions select what to fit. The zero value is the model of the paper, plus usual extra terms that pass
// cross-validation.
type FitOptions struct {
	// Terms of the model, nil for BaseTerms.
	Terms []Term `json:"terms"`
	// Extra are candidate terms. Those that lower the leave-one-out error enough are added to the model, with a
	// warning. If neither Terms nor Extra are given, Fit tries the usual ones (§3.4).
	Extra []Term `json:"extra"`
	// RefuseAbove is the error |predicted/actual - 1| above which a number is useless (the threshold of §3.4), 0 for
	// DefaultRefuseAbove. A prediction that is likely off by more is refused.
	RefuseAbove float64 `json:"refuse_above,omitempty"`
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
	Options      FitOptions // as given to Fit
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
	Warnings  []dag.Warning
	// Doubt is nil, or the reason why the model must give no number unless forced: nothing can check it, or it does not
	// fit its own rows.
	Doubt *dag.Warning
	// Relative means that the model has the least squared errors relative to the times, not the least squared seconds:
	// leaving one out, its mean error is much lower. This is so where few long runs follow another law than the others,
	// such as runs on machines with a full memory.
	Relative bool

	all      []configuration
	group    []int // the configuration of each row
	base     *regression
	reach    reach
	unseen   bool // scale has no effect in the rows
	rivals   []rival
	suspects []suspect
	*evidence
	students []float64 // quantiles of errors, in units of their deviation
}

// Fit finds the non-negative coefficients that fit rows with the least squared error (§3.3). It needs at least one
// row. Warnings name what few rows cannot determine. An *InputError names an invalid row or term.
func Fit(rows []Row, o FitOptions) (*Model, error) {
	if err := checkRows(rows); err != nil {
		return nil, err
	}
	m := &Model{Options: o, Rows: slices.Clone(rows), Warnings: unitWarnings(rows)}
	usual := o.Terms == nil && o.Extra == nil
	if len(o.Terms) == 0 {
		o.Terms = BaseTerms()
	}
	if err := checkTerms(o.Terms, rows); err != nil {
		return nil, err
	}
	m.all, m.group = configurations(rows)
	m.reach = reachOf(m.all)
	if err := m.regressSetup(o.Terms); err != nil {
		return nil, err
	}
	alone := !m.Iterative() // further terms, rivals and patterns are not tried: none of them has iterations
	if usual {
		o.Extra = usualExtra
	}
	if alone {
		if err := m.tryExtra(o.Extra, !usual); err != nil {
			return nil, err
		}
	}
	if notPositive(rows) == 0 {
		if err := m.tryRelative(); err != nil {
			return nil, err
		}
	}
	m.compare(alone)
	m.undetermined()
	if alone && notPositive(rows) == 0 {
		m.suspects = m.findSuspects()
	}
	m.Doubt = m.judge()
	return m, nil
}

// Iterative reports whether the model is of an iterative job.
func (m *Model) Iterative() bool { return m.Rows[0].Iterations > 0 }

// warn adds a warning.
func (m *Model) warn(code, format string, args ...any) {
	m.Warnings = append(m.Warnings, dag.Warningf(code, format, args...))
}

// regressSetup fits the terms. To the model of an iterative job it adds as much of the set-up as the rows determine
// with one row left to check the model.
func (m *Model) regressSetup(terms []Term) error {
	setups := [][]Term{nil}
	if m.Iterative() {
		setups = [][]Term{{One, ScalePerMachine}, {One}, nil}
	}
	for _, setup := range setups {
		m.Setup = len(setup)
		if err := m.regress(slices.Concat(setup, terms)); err != nil {
			return err
		}
		if m.Rank == len(m.Terms) && m.Rank < len(m.Rows) {
			break
		}
	}
	if m.Iterative() && m.Setup == 0 {
		m.warn("setup_within", "the rows cannot separate set-up from iterations, so that it is counted in each: "+
			"measure some machines and scales with different numbers of iterations")
	}
	return nil
}

// compare gathers the evidence for the model and, if rivals is true, for the rival methods. Times of 0 or less are no
// evidence.
func (m *Model) compare(rivals bool) {
	for i := range m.all {
		m.all[i].features = m.features(m.Terms)(&m.all[i])
	}
	if notPositive(m.Rows) > 0 {
		return
	}
	m.evidence = gather(m.all, byFeatures(ownFeatures, m.Relative))
	if rivals {
		m.rivals = findRivals(m.all, m.Relative)
	}
	tests := m.tests
	for _, r := range m.rivals {
		if m.tests == 0 {
			tests = max(tests, r.tests)
		}
	}
	m.students = students(tests)
}

// regress fits terms and computes the leave-one-out predictions.
func (m *Model) regress(terms []Term) error {
	of := m.features(terms)
	r, err := regress(m.all, of, m.Relative)
	if err != nil {
		return err
	}
	m.Terms, m.base, m.Coefficients, m.Rank, m.Condition = terms, r, r.x, r.span.Rank, r.span.Condition
	m.Residual = 0
	for i, row := range m.Rows {
		m.Residual = math.Hypot(m.Residual, row.Seconds-dot(of(&m.all[m.group[i]]), r.x))
	}
	m.Left = m.leaveOut(of, maxFolds)
	if _, n := m.meanError(m.Left); n == 0 && len(m.all) == len(terms) && r.active() > 0 {
		// Fewer configurations determine the terms that have a coefficient above 0.
		m.Left = m.leaveOut(func(c *configuration) (active []float64) {
			for j, f := range of(c) {
				if r.x[j] > 0 {
					active = append(active, f)
				}
			}
			return active
		}, maxFolds)
	}
	m.LOO, _ = m.meanError(m.Left)
	return nil
}

// features returns the values of terms. Those after the set-up count once for each iteration.
func (m *Model) features(terms []Term) featurer {
	return func(c *configuration) []float64 {
		f := features(terms, c.Machines, c.Scale)
		for j := m.Setup; j < len(f) && c.Iterations > 0; j++ {
			f[j] *= float64(c.Iterations)
		}
		return f
	}
}

// leaveOut predicts each row by a model of other configurations.
func (m *Model) leaveOut(of featurer, folds int) []float64 {
	tests := byFeatures(of, m.Relative).leaveOut(m.all, folds)
	left := make([]float64, len(m.Rows))
	for i, at := range m.group {
		left[i] = tests[at].predicted
	}
	return left
}

// meanError returns the mean of |predicted/actual - 1| over the rows that have a prediction and took time, and their
// number. The mean is NaN if there are none.
func (m *Model) meanError(predicted []float64) (mean float64, count int) {
	sum := 0.0
	for i, p := range predicted { // one of each row
		if actual := m.Rows[i].Seconds; actual > 0 && !math.IsNaN(p) {
			e := math.Abs(p/actual - 1)
			sum += e
			count++
		}
	}
	return sum / float64(count), count
}

// A further term must lower the leave-one-out error by this share and this amount. One of several terms always lowers
// it somewhat by chance.
const (
	extraShare  = 0.3
	extraAmount = 0.005
)

// leastRelative is the leave-one-out error, and spareRows the number of rows beyond the terms, from which relative
// errors are tried: below them such a model would fit the noise.
const leastRelative, spareRows = 0.10, 4

// tryRelative fits the errors relative to the times, and keeps that model if it is as much better as a further term
// must be.
func (m *Model) tryRelative() error {
	absolute := *m
	m.Relative = true
	if err := m.regress(m.Terms); err != nil {
		return err
	}
	_, scored := m.meanError(m.Left)
	_, before := absolute.meanError(absolute.Left)
	if scored >= before && m.LOO < absolute.LOO*(1-extraShare) && absolute.LOO >= leastRelative &&
		len(m.Rows)-len(m.Terms) >= spareRows {
		m.warn("relative_errors", "fitted to errors relative to the times, as the longest runs follow another law: leaving "+
			"one out, the mean error falls from %s to %s", units.Tenths(absolute.LOO), units.Tenths(m.LOO))
		return nil
	}
	*m = absolute
	return nil
}

// usualExtra are the terms that Fit tries by default if the rows allow them: those of §3.4, undivided work, and pairs
// of records.
var usualExtra = []Term{Scale, SqrtScale, ScaleSquaredPerMachine, ScaleLogSquaredPerMachine}

// tryExtra adds the extra term that lowers the leave-one-out error most, and repeats while that is worthwhile (§3.4).
// With the parameter asked, warnings list the terms that were not added.
func (m *Model) tryExtra(extra []Term, asked bool) error {
	var left []Term
	for _, t := range extra {
		err := t.check(m.Rows)
		switch {
		case t >= terms:
			return err
		case slices.Contains(m.Terms, t) || slices.Contains(left, t):
		case err == nil:
			left = append(left, t)
		case asked:
			m.warn("extra_term_impossible", "%v", err)
		}
	}
	for len(left) > 0 {
		_, scored := m.meanError(m.Left)
		best, least := -1, math.Inf(1)
		for i, t := range left {
			of := m.features(append(slices.Clone(m.Terms), t))
			r, err := regress(m.all, of, false)
			if err != nil || r.span.Rank <= m.Rank {
				continue // it overflows, or depends on the others
			}
			if loo, n := m.meanError(m.leaveOut(of, maxFolds)); n >= scored && loo < least {
				best, least = i, loo
			}
		}
		if best < 0 || !(least < m.LOO*(1-extraShare) && least < m.LOO-extraAmount) {
			break
		}
		before := m.LOO
		if err := m.regress(append(m.Terms, left[best])); err != nil {
			return err
		}
		m.warn("extra_term", "%s is in the model by cross-validation: leaving one out, the mean error falls from %s to %s",
			left[best], units.Tenths(before), units.Tenths(m.LOO))
		left = slices.Delete(left, best, best+1)
	}
	if len(left) > 0 && asked {
		m.warn("extra_term_left_out", "not in the model: %s would not lower the leave-one-out error of %s enough",
			names(left), units.Tenths(m.LOO))
	}
	return nil
}
