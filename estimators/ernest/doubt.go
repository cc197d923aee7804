package ernest

import (
	"fmt"
	"math"
	"strings"

	"github.com/paratimer/paratimer/units"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
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

// A suspect is a term that the rows speak for, if not loudly enough to be in the model: where the model with it says
// more, the range reaches as far. TestScattered has what is gained by looking for them, and what is lost.
type suspect struct {
	term   Term
	chance float64   // how likely noise alone speaks as loudly
	x      []float64 // the coefficients, seconds per unit; that of term is the last
}

const (
	// byChance is from what chance on the rows do not speak for a further term.
	byChance = 0.05
	// disagree is by what factor a prediction with it must differ for the model's to count.
	disagree = 1.5
)

// suspectTerms are work that grows faster with scale than what is divided: what small runs show least of, and large
// ones suffer most.
var suspectTerms = []Term{Scale, ScaleSquaredPerMachine, ScaleSquared}

// findSuspects are the models with one of suspectTerms whose coefficient is above 0 by Student's test. Errors count as
// shares of the times, since runs are noisy by a share.
func (m *Model) findSuspects() (found []suspect) {
	if notPositive(m.Rows) > 0 {
		return nil
	}
	own, err := m.relative(m.Terms)
	if err != nil {
		return nil
	}
	for _, t := range suspectTerms {
		terms := append(m.Terms[:len(m.Terms):len(m.Terms)], t)
		r, err := m.relative(terms)
		if err != nil || r.info.Rank <= own.info.Rank || r.x[len(m.Terms)] == 0 {
			continue
		}
		free := float64(len(m.Rows) - r.active())
		if free < 1 {
			continue
		}
		noise := r.residual * r.residual / free
		loud := math.Sqrt(max(0, own.residual*own.residual-r.residual*r.residual) / noise)
		if chance := (distuv.StudentsT{Sigma: 1, Nu: free}).Survival(loud); chance <= byChance {
			found = append(found, suspect{t, chance, r.x})
		}
	}
	return found
}

// relative is the regression on terms of the rows, each divided by its time.
func (m *Model) relative(terms []Term) (*regression, error) {
	a, ones := mat.NewDense(len(m.Rows), len(terms), nil), make([]float64, len(m.Rows))
	for i, row := range m.Rows {
		for j, f := range features(terms, row.Machines, row.Scale) {
			a.Set(i, j, f/row.Seconds)
		}
		ones[i] = 1
	}
	return regress(a, ones)
}

// suspected is what the model with a suspect says of a point where that is much more, and a warning; NaN and nil where
// none is.
func (m *Model) suspected(p *Prediction) (seconds float64, warnings []Warning) {
	for _, r := range m.suspects {
		terms := append(m.Terms[:len(m.Terms):len(m.Terms)], r.term)
		v := dot(features(terms, p.Machines, p.Scale), r.x)
		if v >= disagree*p.Seconds {
			return v, []Warning{{"faster_than_scale", fmt.Sprintf(
				"with %s the model fits better, by chance in %s of cases, and says %s instead of %s: measure at a scale nearer to %g, or fit with %s among the terms",
				r.term, units.Tenths(r.chance), units.Seconds(v), units.Seconds(p.Seconds), p.Scale, r.term)}}
		}
	}
	return math.NaN(), nil
}

// illConditioned is from what condition on the coefficients have lost half of their digits to the rows' rounding.
const illConditioned = 1e8

// undetermined names what the rows cannot tell apart, and which runs would.
func (m *Model) undetermined() []Warning {
	var warnings []Warning
	_, configurations := configurations(m.Rows)
	if configurations < len(m.Terms) {
		warnings = append(warnings, Warning{"under_determined", fmt.Sprintf(
			"%d different runs do not determine %d coefficients: add at least %d, %s", configurations, len(m.Terms),
			len(m.Terms)-configurations+1, m.next())})
	}
	for _, set := range m.base.info.Dependent {
		together := make([]Term, len(set))
		for i, j := range set {
			together[i] = m.Terms[j]
		}
		if len(set) == 1 {
			warnings = append(warnings,
				Warning{"collinear", fmt.Sprintf("%s is 0 in all rows: its coefficient is unknown; %s", names(together),
					m.next())})
			continue
		}
		warnings = append(warnings,
			Warning{"collinear", fmt.Sprintf("the rows cannot tell %s apart: only what they are together is known; %s",
				names(together), m.next())})
	}
	if len(m.base.info.Dependent) == 0 && m.Condition > illConditioned {
		warnings = append(warnings,
			Warning{"ill_conditioned", fmt.Sprintf("the rows hardly tell the terms apart (condition %.1g); %s",
				m.Condition, m.next())})
	}
	if m.unseen = m.scaleUnseen(); m.unseen {
		warnings = append(warnings,
			Warning{
				"scale_without_effect",
				"the rows show no effect of scale: nothing is known of more input than they had",
			})
	}
	return warnings
}

// scaleUnseen says that no coefficient of a term that depends on scale is above 0.
func (m *Model) scaleUnseen() bool {
	for j, t := range m.Terms {
		if t.grows() && m.Coefficients[j] > 0 {
			return false
		}
	}
	return true
}

// next says which runs would tell most.
func (m *Model) next() string {
	machines := column(m.Rows, func(r Row) float64 { return r.Machines })
	scales := column(m.Rows, func(r Row) float64 { return r.Scale })
	var advice []string
	if n := distinct(machines); n < 3 {
		counts := fmt.Sprintf("all have %g", machines[0])
		if n == 2 {
			counts = fmt.Sprintf("they have %g and %g", machines[0], machines[len(machines)-1])
		}
		advice = append(advice, fmt.Sprintf("measure at three different numbers of machines or more (%s)", counts))
	}
	if n := distinct(scales); n < 2 {
		advice = append(advice, fmt.Sprintf("measure at another scale (all have %g)", scales[0]))
	}
	if len(advice) == 0 {
		advice = append(advice, "change machines and scale one without the other")
	}
	return strings.Join(advice, " and ")
}
