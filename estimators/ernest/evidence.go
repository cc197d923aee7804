package ernest

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// evidence records the errors of a method on configurations that it was not fitted to. Errors are
// ln(actual/predicted) and normal. Their variance at way w is variance + Σ slope·w, so it grows by the same amount
// with each doubling.
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
	// ranges with this prior cover 79 % of the runs beyond the rows on average. The value that is nearest to 80 % on
	// six of them, 0.06 to 0.10, covers 54 to 94 % on the seventh.
	priorSlope, priorDoublings = 0.08, 1.0
	// priorDeviation is the prior deviation among the rows. priorTests is its weight, in configurations, when a
	// refusal is considered: noise must not look like a wrong model.
	priorDeviation, priorTests = 0.10, 3.0
	// leastDeviation keeps the weights of methods finite.
	leastDeviation = 0.01
)

// maxHeldOut limits the configurations behind the evidence, maxCuts the tests in each direction.
const maxHeldOut, maxCuts = 200, 4

// gather leaves out each configuration, and then all configurations beyond several numbers of machines and scales,
// and predicts them from the rest.
func gather(all []configuration, fit learner) *evidence {
	all = thinned(all, maxHeldOut)
	e := &evidence{variance: priorDeviation * priorDeviation, error: math.NaN()}
	squares, errors, scored := 0.0, 0.0, 0
	each := (len(all) + maxFolds - 1) / maxFolds
	for from := 0; from < len(all); from += each {
		to := min(from+each, len(all))
		for _, t := range predictOthers(fit, slices.Concat(all[:from], all[to:]), all[from:to]) {
			errors += math.Abs(math.Expm1(-t.bias))
			scored++
			if t.way == (way{}) {
				squares += t.square
				e.tests++
			}
		}
	}
	if scored > 0 {
		e.error = errors / float64(scored)
	}
	if e.tests > 0 {
		e.variance = squares / float64(e.tests)
	}
	e.gatherBeyond(all, fit)
	return e
}

// gatherBeyond computes the slopes. All tests of one model count together, by their mean.
func (e *evidence) gatherBeyond(all []configuration, fit learner) {
	for d := range directions {
		off, distance := priorDoublings*priorSlope*priorSlope, priorDoublings
		for _, c := range cuts(all, d) {
			var inner, outer []configuration
			for _, one := range all {
				if axis(&one, d) > c {
					outer = append(outer, one)
				} else {
					inner = append(inner, one)
				}
			}
			o, w, n := 0.0, 0.0, 0.0
			for _, t := range predictOthers(fit, inner, outer) {
				if t.way.only(d) {
					o, w, n = o+max(0, t.square-e.variance), w+t.way[d], n+1
				}
			}
			if n > 0 {
				off, distance = off+o/n, distance+w/n
			}
		}
		e.slope[d] = off / distance
	}
}

// deviation returns the standard deviation of an error at w, from the rows alone.
func (e *evidence) deviation(w way) float64 { return math.Sqrt(e.variance + e.beyond(w)) }

// cautious returns the deviation at w mixed with the prior, which dominates if there are few tests.
func (e *evidence) cautious(w way) float64 {
	n := float64(e.tests)
	return max(leastDeviation, math.Sqrt((n*e.variance+priorTests*priorDeviation*priorDeviation)/(n+priorTests)+
		e.beyond(w)))
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
	q := make([]float64, quantiles)
	for i := range q {
		q[i] = t.Quantile((float64(i) + 0.5) / quantiles)
	}
	return q
}

// quantiles is the number of quantiles that represent a distribution.
const quantiles = 200

// A test is the result for a configuration that was predicted from others.
type test struct {
	way          way
	bias, square float64 // means of ln(actual/predicted) over its runs, and of its square
}

// predictOthers predicts the configurations in others from those in by. It skips those without a prediction.
func predictOthers(fit learner, by, others []configuration) []test {
	if len(by) == 0 || len(others) == 0 {
		return nil
	}
	predict := fit(by)
	if predict == nil {
		return nil
	}
	r := reachOfConfigurations(by)
	var tests []test
	for i := range others {
		c := &others[i]
		p := predict(c)
		if !(p > 0) || math.IsInf(p, 0) {
			continue
		}
		bias := c.log - math.Log(p)
		tests = append(tests, test{r.way(c.machines, c.scale), bias, bias*bias + c.variance})
	}
	return tests
}

// cuts returns a few values of an axis, largest first. Configurations up to the value are kept, the others are
// predicted.
func cuts(all []configuration, direction int) []float64 {
	var v []float64
	for i := range all {
		v = append(v, axis(&all[i], direction))
	}
	slices.Sort(v)
	v = slices.Compact(v)
	step := max(1, (len(v)-2)/maxCuts)
	var at []float64
	for i := len(v) - 2; i >= 0 && len(at) < maxCuts; i -= step {
		at = append(at, v[i])
	}
	return at
}

// axis returns the value of c that grows in the given direction.
func axis(c *configuration, direction int) float64 {
	return [directions]float64{c.machines, -c.machines, c.scale, -c.scale}[direction]
}
