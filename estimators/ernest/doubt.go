package ernest

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
	"gonum.org/v1/gonum/stat/distuv"
)

// judge returns the reason to doubt a model that cannot be checked or is likely wrong on its own rows.
func (m *Model) judge() *dag.Warning {
	if n := notPositive(m.Rows); n > 0 {
		return doubt("seconds_not_positive", "%d of the %d runs took no time: correct the rows", n, len(m.Rows))
	}
	checked := !math.IsNaN(m.error) ||
		slices.ContainsFunc(m.rivals, func(r rival) bool { return !math.IsNaN(r.error) })
	switch {
	case !checked:
		return doubt("unchecked", "no row can be predicted from the others, so the error of the model of %d terms is "+
			"unknown: add runs until there are more than terms", len(m.Terms))
	case m.tests > 0 && off(0, m.cautious(way{}), m.Options.refuseAbove()) > surely:
		return doubt("does_not_fit",
			"leaving one out, the mean error is %s: the runs vary too much, or take their time by another law",
			units.Tenths(m.LOO))
	}
	return nil
}

// refuse returns nil, or the reason why the model has no reliable number for this point.
func (m *Model) refuse(p *Prediction, c *configuration) *dag.Warning {
	x := p.Extrapolation
	switch {
	case math.IsNaN(p.Seconds):
		return doubt("impossible", "the number is beyond what a float64 holds")
	case !m.base.span.Holds(c.features) && !m.spread(p.Scale):
		return doubt("not_determined", "the rows do not determine the time at %g machines and scale %g: %s", p.Machines,
			p.Scale, m.next())
	case x.Scale > FarthestScale:
		return doubt("too_far",
			"scale %g is %s beyond what was measured: is it in the same unit? No more than %d times is predicted",
			p.Scale, times(x.Scale), FarthestScale)
	case x.Machines > FarthestMachines:
		return doubt("too_far",
			"%g machines are %s beyond what was measured: no more than %d times is predicted; measure with more",
			p.Machines, times(x.Machines), FarthestMachines)
	case x.Scale > 1 && m.unseen:
		return doubt("scale_without_effect", "the rows show no effect of scale, and %g is beyond them: measure runs that "+
			"take longer than their start-up", p.Scale)
	case p.Risk > surely:
		return doubt("likely_wrong", "by the rows that were left out it is more than %s off with a probability of %s: "+
			"measure nearer to %g machines and scale %g", units.Percent(m.Options.refuseAbove()), units.Chance(p.Risk),
			p.Machines, p.Scale)
	}
	return nil
}

// spread reports whether the rows have at least three numbers of machines and two scales; one scale suffices if it
// equals the requested one. Non-negative coefficients then leave little freedom, even if they are not unique.
func (m *Model) spread(scale float64) bool {
	scales := distinct(m.Rows, Row.scale)
	return len(distinct(m.Rows, Row.machines)) >= 3 && (len(scales) >= 2 || scale == scales[0])
}

// wide is the ratio of High to Low above which a range gets the warning range_wide.
const wide = 3

// remark adds the warnings to show with the number.
func (m *Model) remark(p *Prediction) {
	x := p.Extrapolation
	for _, w := range []struct {
		holds   bool
		warning dag.Warning
	}{
		{x.Scale > UsualScale || x.Machines > UsualMachines, dag.Warningf("far",
			"scale is %s and machines are %s beyond what was measured: farther than the paper shows (§6)",
			times(x.Scale), times(x.Machines))},
		{x.PerMachine > 2, dag.Warningf("more_per_machine",
			"each machine gets %s the most input that one was measured with: if its memory fills up, it takes longer",
			times(x.PerMachine))},
		{math.IsNaN(p.High) && !math.IsNaN(p.Seconds), dag.Warningf("range_unknown",
			"there are no more runs than coefficients: how far the number may be off is not known")},
		{p.High > wide*p.Low, dag.Warningf("range_wide",
			"the rows say little of this point: between %s and %s; measure nearer to it", units.Seconds(p.Low),
			units.Seconds(p.High))},
		{p.Refused == nil && p.Risk > likely, dag.Warningf("likely_off",
			"by the rows that were left out it is more than %s off with a probability of %s",
			units.Percent(m.Options.refuseAbove()), units.Chance(p.Risk))},
	} {
		if w.holds {
			p.Warnings = append(p.Warnings, w.warning)
		}
	}
}

// times formats a factor.
func times(factor float64) string {
	if factor < 10 {
		return fmt.Sprintf("%.2g times", factor)
	}
	return fmt.Sprintf("%.3g times", factor)
}

// undetermined warns about coefficients that the rows do not determine, with advice on runs to add.
func (m *Model) undetermined() {
	if n := len(m.all); n < len(m.Terms) {
		m.warn("under_determined", "%d different runs do not determine %d coefficients: add at least %d, %s", n,
			len(m.Terms), len(m.Terms)-n+1, m.next())
	}
	dependent := m.base.span.Dependent()
	for _, set := range dependent {
		together := make([]Term, len(set))
		for i, j := range set {
			together[i] = m.Terms[j]
		}
		if len(set) == 1 {
			m.warn("collinear", "%s is 0 in all rows: its coefficient is unknown; %s", names(together), m.next())
			continue
		}
		m.warn("collinear", "the rows cannot separate %s: only their sum is known; %s", names(together),
			m.next())
	}
	if len(dependent) == 0 && m.Condition > 1/math.Sqrt(machineEpsilon) { // rounding costs half of the digits
		m.warn("ill_conditioned", "the rows hardly separate the terms (condition %.1g); %s", m.Condition, m.next())
	}
	m.unseen = true
	for j, t := range m.Terms {
		m.unseen = m.unseen && !(termTable[t].grows && m.Coefficients[j] > 0)
	}
	if m.unseen {
		m.warn("scale_without_effect", "the rows show no effect of scale: nothing is known of more input than they had")
	}
}

// next returns advice on the runs that would help most.
func (m *Model) next() string {
	var advice []string
	switch machines := distinct(m.Rows, Row.machines); len(machines) {
	case 1:
		advice = append(advice, fmt.Sprintf("measure at three different numbers of machines or more (all have %g)",
			machines[0]))
	case 2:
		advice = append(advice, fmt.Sprintf(
			"measure at three different numbers of machines or more (they have %g and %g)", machines[0], machines[1]))
	}
	if scales := distinct(m.Rows, Row.scale); len(scales) < 2 {
		advice = append(advice, fmt.Sprintf("measure at another scale (all have %g)", scales[0]))
	}
	if len(advice) == 0 {
		return "change machines and scale one without the other"
	}
	return strings.Join(advice, " and ")
}

// A suspect is a term that the rows support, but too weakly to be in the model. If the model with the term predicts
// more, the range extends that far. TestScattered shows the gain and the loss from suspects.
type suspect struct {
	term   Term
	chance float64 // probability that noise alone gives as strong a signal
	model  *regression
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
	runs := single(m.Rows)
	own, err := regress(runs, termFeatures(m.Terms...), true)
	if err != nil {
		return nil
	}
	for _, t := range suspectTerms {
		r, err := regress(runs, termFeatures(append(slices.Clone(m.Terms), t)...), true)
		if err != nil || r.span.Rank <= own.span.Rank || r.x[len(m.Terms)] == 0 {
			continue
		}
		free := float64(len(runs) - r.active())
		if free < 1 {
			continue
		}
		noise := r.residual * r.residual / free
		loud := math.Sqrt(max(0, own.residual*own.residual-r.residual*r.residual) / noise)
		if chance := (distuv.StudentsT{Sigma: 1, Nu: free}).Survival(loud); chance <= byChance {
			found = append(found, suspect{t, chance, r})
		}
	}
	return found
}

// suspected returns the prediction of the model with a suspect, and adds a warning, if that prediction is much higher
// than p.Seconds. Otherwise it returns p.Seconds.
func (m *Model) suspected(p *Prediction, c *configuration) float64 {
	for _, s := range m.suspects {
		v := dot(s.model.of(c), s.model.x)
		if v >= disagree*p.Seconds {
			p.Warnings = append(p.Warnings, dag.Warningf("faster_than_scale",
				"with %s the model fits better, by chance in %s of cases, and says %s instead of %s: measure at a scale "+
					"nearer to %g, or fit with %s among the terms",
				s.term, units.Tenths(s.chance), units.Seconds(v), units.Seconds(p.Seconds), p.Scale, s.term))
			return v
		}
	}
	return p.Seconds
}
