package ernest

import (
	"fmt"
	"math"
	"strings"

	"github.com/paratimer/paratimer/units"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Limits for reporting that a shape outside the model explains its errors: the leave-one-out error, and the share of
// it that is left with the shape. Small errors must be explained better, since they matter only for far
// extrapolations.
const (
	patternError, patternShare         = 0.10, 0.45
	finePatternError, finePatternShare = 0.02, 0.25
	// patternRows is how many more rows than terms are needed. With fewer rows some shape always fits the noise.
	patternRows = 4
)

// Trusted returns nil, or a *DoubtError with the reason why the model must give no number unless forced: nothing can
// check the model, or it does not fit its own rows.
func (m *Model) Trusted() error { return m.doubt }

// missed returns a warning if a shape outside the model explains its errors.
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

// judge returns a *DoubtError if the model cannot be checked or is likely wrong on its own rows.
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
			fmt.Sprintf("no row can be predicted from the others, so the error of the model of %d terms is unknown: add runs until there are more than terms",
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

// A suspect is a term that the rows support, but too weakly to be in the model. If the model with the term predicts
// more, the range extends that far. TestScattered shows the gain and the loss from suspects.
type suspect struct {
	term   Term
	chance float64   // probability that noise alone gives as strong a signal
	x      []float64 // the coefficients, seconds per unit; the last one belongs to term
}

const (
	// byChance is the probability above which the rows do not support a further term.
	byChance = 0.05
	// disagree is the factor by which a prediction with the suspect must exceed the model's prediction to count.
	disagree = 1.5
)

// suspectTerms grow faster with scale than divided work does. Small runs show them least, and large runs suffer most
// from them.
var suspectTerms = []Term{Scale, ScaleSquaredPerMachine, ScaleSquared}

// findSuspects returns the models with one of suspectTerms if its coefficient is above 0 by Student's test. Errors
// are shares of the times, because the noise of runs is proportional to their time.
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
		if err != nil || r.span.Rank <= own.span.Rank || r.x[len(m.Terms)] == 0 {
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

// relative fits terms to the rows, with each row divided by its time.
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

// suspected returns the prediction of the model with a suspect and a warning if that prediction is much higher than
// p.Seconds. Otherwise it returns NaN and nil.
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

// illConditioned is the condition number at which rounding in the rows costs the coefficients half of their digits.
const illConditioned = 1e8

// undetermined returns warnings about coefficients that the rows do not determine, with advice on runs to add.
func (m *Model) undetermined() []Warning {
	var warnings []Warning
	_, configurations := configurations(m.Rows)
	if configurations < len(m.Terms) {
		warnings = append(warnings, Warning{"under_determined", fmt.Sprintf(
			"%d different runs do not determine %d coefficients: add at least %d, %s", configurations, len(m.Terms),
			len(m.Terms)-configurations+1, m.next())})
	}
	dependent := m.base.span.Dependent()
	for _, set := range dependent {
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
	if len(dependent) == 0 && m.Condition > illConditioned {
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

// scaleUnseen reports whether no term that depends on scale has a coefficient above 0.
func (m *Model) scaleUnseen() bool {
	for j, t := range m.Terms {
		if t.grows() && m.Coefficients[j] > 0 {
			return false
		}
	}
	return true
}

// next returns advice on the runs that would help most.
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
