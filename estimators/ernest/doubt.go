package ernest

import (
	"fmt"
	"math"
)

// When a model is doubted. Of models of the right form and runs with 20 % of noise, one in ten fails the first; runs with 5 %
// do not come near. TestTrusted has how often each kind of wrong model is found.
const (
	looseFit    = 0.30 // mean leave-one-out error
	looseErrors = 0.15 // mean error of the rows themselves: few rows that are noisy predict each other badly, though they fit

	// A shape that the model does not have explains its errors: it lowers the leave-one-out error to a share. Small errors must
	// be explained better, since they matter only where the model is extrapolated far.
	patternError, patternShare         = 0.10, 0.45
	finePatternError, finePatternShare = 0.02, 0.25

	// With fewer rows beyond the terms some shape or other explains noise; then it only says why a model does not fit.
	patternRows = 4
)

// Trusted is nil, or a *DoubtError that says why the model must give no number unless forced: there is nothing to check it by, or
// it does not fit its own rows.
func (m *Model) Trusted() error { return m.doubt }

// judge is misfit, and looks for a shape that explains it.
func (m *Model) judge() error {
	err := m.misfit()
	if m.LOO < finePatternError || math.IsNaN(m.LOO) || notPositive(m.Rows) > 0 {
		return err
	}
	p, share := m.pattern()
	coarse := m.LOO > looseFit || m.LOO >= patternError && len(m.Rows)-len(m.Terms) >= patternRows
	if p != nil && (share <= finePatternShare || coarse && share <= patternShare) {
		return &DoubtError{p.code, fmt.Sprintf("the model misses a pattern: %s; leaving one out, its mean error is %s, with %s it were %s%s",
			p.text, percent(m.LOO), p.name, percent(m.LOO*share), p.advice())}
	}
	return err
}

func (m *Model) misfit() error {
	switch n := notPositive(m.Rows); {
	case n > 0:
		return &DoubtError{"seconds_not_positive", fmt.Sprintf("%d of the %d runs took no time: correct the rows", n, len(m.Rows))}
	case math.IsNaN(m.LOO):
		return &DoubtError{"unchecked", fmt.Sprintf("no row can be predicted from the others, so that nobody knows how wrong the model of %d terms is: add runs until there are more than terms",
			len(m.Terms))}
	case m.LOO > looseFit && !(m.errors() <= looseErrors):
		return &DoubtError{"does_not_fit", fmt.Sprintf("leaving one out, the mean error is %s: the runs vary too much, or take their time by another law", percent(m.LOO))}
	}
	return nil
}

// errors is the mean of |fitted/actual - 1|, as much larger as the fit has made it smaller; NaN where there are not more rows
// than coefficients above 0.
func (m *Model) errors() float64 {
	fitted := make([]float64, len(m.Rows))
	for i := range fitted {
		fitted[i] = m.base.fitted(i)
	}
	mean, n := meanError(fitted, m.base.seconds)
	return mean * math.Sqrt(float64(n)/float64(n-m.base.active()))
}
