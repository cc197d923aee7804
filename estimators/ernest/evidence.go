package ernest

import (
	"math"

	"github.com/paratimer/paratimer/units"
	"gonum.org/v1/gonum/stat/distuv"
)

// evidence records the errors of a method on configurations that it was not fitted to. Errors are
// ln(actual/predicted) and normal. A point that is w[d] doublings beyond the rows in direction d has the variance
// variance + Σ slope[d]·w[d].
type evidence struct {
	tests    int                 // number of configurations that were predicted from others around them
	variance float64             // of the error of a run among the rows
	slope    [directions]float64 // variance per doubling beyond the rows
	// mean of |predicted/actual - 1| over the configurations, each left out once; NaN if none can be predicted
	error float64
}

const (
	// priorSlope is the prior standard deviation one doubling beyond the rows. priorDoublings is its weight, in
	// doublings of tests. On seven public data sets (three of Bell, three of C3O, one of input sizes alone) the
	// ranges with this prior cover 79% of the runs beyond the rows on average. The value that is nearest to 80% on
	// six of them, 0.06 to 0.10, covers 54 to 94% on the seventh.
	priorSlope, priorDoublings = 0.08, 1.0
	// priorDeviation is the prior deviation among the rows. priorTests is its weight, in configurations, when a
	// refusal is considered: noise must not look like a wrong model.
	priorDeviation, priorTests = 0.10, 3.0
)

// maxHeldOut limits the configurations behind the evidence, maxCuts the tests in each direction. Of a distribution, as
// many quantiles are kept.
const maxHeldOut, maxCuts = 200, 4

// gather leaves out each configuration, and then all configurations beyond several numbers of machines and scales,
// and predicts them from the rest.
func gather(all []configuration, fit learner) *evidence {
	if n := len(all); n > maxHeldOut { // evenly spaced ones
		thinned := make([]configuration, maxHeldOut)
		for i := range thinned {
			thinned[i] = all[i*n/maxHeldOut]
		}
		all = thinned
	}
	e := &evidence{variance: priorDeviation * priorDeviation}
	squares, errors, scored := 0.0, 0.0, 0.0
	for _, t := range fit.leaveOut(all, maxFolds) {
		bias, square, ok := t.off()
		if !ok {
			continue
		}
		errors += math.Abs(math.Expm1(-bias))
		scored++
		if t.way == (way{}) {
			squares += square
			e.tests++
		}
	}
	e.error = errors / scored
	if e.tests > 0 {
		e.variance = squares / float64(e.tests)
	}
	e.gatherBeyond(all, fit)
	return e
}

// off returns the means of ln(actual/predicted) over the runs and of its square, and false if there is no prediction.
func (t *test) off() (bias, square float64, ok bool) {
	bias = t.log - math.Log(t.predicted)
	return bias, bias*bias + t.spread, t.predicted > 0 && !math.IsInf(t.predicted, 0)
}

// gatherBeyond computes the slopes. All tests of one model count together, by their mean.
func (e *evidence) gatherBeyond(all []configuration, fit learner) {
	for d := range directions {
		off, distance := priorDoublings*priorSlope*priorSlope, priorDoublings
		for _, c := range cuts(all, d) {
			var inner, outer []configuration
			for _, one := range all {
				if one.axis(d) > c {
					outer = append(outer, one)
				} else {
					inner = append(inner, one)
				}
			}
			o, w, n := 0.0, 0.0, 0.0
			for _, t := range fit.predictOthers(inner, outer) {
				if _, square, ok := t.off(); ok && t.way.only(d) {
					o, w, n = o+max(0, square-e.variance), w+t.way[d], n+1
				}
			}
			if n > 0 {
				off, distance = off+o/n, distance+w/n
			}
		}
		e.slope[d] = off / distance
	}
}

// cuts returns a few values of an axis, largest first. Configurations up to the value are kept, the others are
// predicted.
func cuts(all []configuration, direction int) []float64 {
	v := distinct(all, func(c configuration) float64 { return c.axis(direction) })
	step := max(1, (len(v)-2)/maxCuts)
	var at []float64
	for i := len(v) - 2; i >= 0 && len(at) < maxCuts; i -= step {
		at = append(at, v[i])
	}
	return at
}

// deviation returns the standard deviation of an error at w, from the rows alone.
func (e *evidence) deviation(w way) float64 { return math.Sqrt(e.variance + e.beyond(w)) }

// cautious returns the deviation at w mixed with the prior, which dominates if there are few tests.
func (e *evidence) cautious(w way) float64 {
	n := float64(e.tests)
	return math.Sqrt((n*e.variance+priorTests*priorDeviation*priorDeviation)/(n+priorTests) + e.beyond(w))
}

func (e *evidence) beyond(w way) float64 {
	v := 0.0
	for d, slope := range e.slope {
		v += slope * w[d]
	}
	return v
}

// students returns quantiles of errors in units of the deviation, ascending. With few tests the tails are heavier.
func students(tests int) []float64 {
	const spent = 2 // approximate number of parameters that the model fitted to the tests
	t := distuv.StudentsT{Sigma: 1, Nu: float64(max(1, tests-spent))}
	q := make([]float64, maxHeldOut)
	for i := range q {
		q[i] = t.Quantile((float64(i) + 0.5) / maxHeldOut)
	}
	return q
}

// A Guess is the estimate of another method for a run: the method with the smallest expected error there.
type Guess struct {
	Method  string      `json:"method"`
	Seconds units.Float `json:"seconds"`
	// Error is the mean of |predicted/actual - 1| over the configurations of the rows, each predicted from the
	// others.
	Error units.Float `json:"loo_mean_ratio"`

	deviation float64 // of ln(actual/predicted)
	apart     float64 // ln of the ratio to the model's prediction
	tests     int
	same      bool // it has the model's terms
}

// guesses returns the predictions of the rivals that have one.
func (m *Model) guesses(seconds float64, c *configuration, w way) []Guess {
	var all []Guess
	for _, r := range m.rivals {
		if s := r.predict(c); s > 0 && !math.IsInf(s, 0) {
			all = append(all, Guess{
				r.name, units.Float(s), units.Float(r.error), r.cautious(w), math.Log(s / seconds), r.tests, r.same,
			})
		}
	}
	return all
}

// nextBest returns the best guess, or nil if there is none.
func nextBest(all []Guess) *Guess {
	var best *Guess
	for i, g := range all {
		if g.Error.Known() && (best == nil || g.deviation < best.deviation) {
			best = &all[i]
		}
	}
	return best
}

// surely is the probability of an error beyond the threshold above which a prediction is refused: four of five
// refused ones should be wrong. Above likely it gets a warning.
const surely, likely = 0.8, 0.5

// risk returns the probability that a prediction is off by more than FitOptions.RefuseAbove. It mixes the predictions
// of the methods, each with its error distribution and weighted by the inverse variance. docs/evidence/ernest.md
// reports how often it is right.
func (m *Model) risk(others []Guess, w way) float64 {
	own := Guess{deviation: m.cautious(w), tests: m.tests}
	weights, sum := 0.0, 0.0
	for _, g := range append([]Guess{own}, others...) {
		if !g.same && g.tests >= m.tests {
			weight := 1 / (g.deviation * g.deviation)
			weights += weight
			sum += weight * off(g.apart, g.deviation, m.Options.refuseAbove())
		}
	}
	return sum / weights
}

// disagreement returns the distance between the model and those guesses that are at least as accurate, as a standard
// deviation of ln(seconds).
func (m *Model) disagreement(others []Guess, w way) float64 {
	own := m.cautious(w)
	weights, sum := 1/(own*own), 0.0
	for _, g := range others {
		if g.tests >= m.tests && g.deviation <= own {
			weights += 1 / (g.deviation * g.deviation)
			sum += g.apart * g.apart / (g.deviation * g.deviation)
		}
	}
	return math.Sqrt(sum / weights)
}

// off returns the probability that a prediction is off by more than a share, if ln(actual/predicted) is normal.
func off(mean, deviation, share float64) float64 {
	normal := distuv.Normal{Mu: mean, Sigma: deviation}
	p := normal.CDF(-math.Log1p(share))
	if share < 1 {
		p += normal.Survival(-math.Log1p(-share))
	}
	return p
}
