package ernest

import (
	"fmt"
	"math"

	"github.com/paratimer/paratimer/units"
)

// A shape that the model does not have explains its errors: it lowers the leave-one-out error to a share. Small errors
// must be explained better, since they matter only where the model is extrapolated far.
const (
	patternError, patternShare         = 0.10, 0.45
	finePatternError, finePatternShare = 0.02, 0.25
	// With fewer rows beyond the terms some shape or other explains noise.
	patternRows = 4
)

// Trusted is nil, or a *DoubtError that says why the model must give no number unless forced: there is nothing to check
// it by, or it does not fit its own rows.
func (m *Model) Trusted() error { return m.doubt }

// missed warns of a shape that the model does not have, where it explains errors.
func (m *Model) missed() []Warning {
	if !(m.LOO >= finePatternError) || notPositive(m.Rows) > 0 {
		return nil
	}
	p, share := m.pattern()
	coarse := m.LOO >= patternError && len(m.Rows)-len(m.Terms) >= patternRows
	if p == nil || share > finePatternShare && !(coarse && share <= patternShare) {
		return nil
	}
	return []Warning{{p.code, fmt.Sprintf(
		"the model misses a pattern: %s; leaving one out, its mean error is %s, with %s it were %s%s",
		p.text, units.Tenths(m.LOO), p.name, units.Tenths(m.LOO*share), p.advice())}}
}

// judge doubts a model that nothing can check, and one that is likely wrong among its own rows.
func (m *Model) judge() error {
	if n := notPositive(m.Rows); n > 0 {
		return &DoubtError{"seconds_not_positive", fmt.Sprintf("%d of the %d runs took no time: correct the rows", n,
			len(m.Rows))}
	}
	checked := !math.IsNaN(m.error)
	for _, r := range m.rivals {
		checked = checked || !math.IsNaN(r.error)
	}
	switch {
	case !checked:
		return &DoubtError{
			"unchecked",
			fmt.Sprintf("no row can be predicted from the others, so that nobody knows how wrong the model of %d terms is: add runs until there are more than terms",
				len(m.Terms)),
		}
	case m.tests > 0 && off(0, m.cautious(way{}), m.options.refuseAbove()) > surely:
		return &DoubtError{
			"does_not_fit",
			fmt.Sprintf("leaving one out, the mean error is %s: the runs vary too much, or take their time by another law", units.Tenths(m.LOO)),
		}
	}
	return nil
}
