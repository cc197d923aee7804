package ernest

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// A predictor returns the seconds of a configuration, or NaN if it has no number.
type predictor func(*configuration) float64

// A learner learns from configurations, at least one. It returns nil if it cannot.
type learner func(by []configuration) predictor

// A rival is another method that learned from the rows of a model. The probability that the model is wrong comes from
// all methods' predictions, weighted by their errors on rows that they did not learn from.
type rival struct {
	name    string
	predict predictor
	*evidence
	same bool // it has the model's terms, so it is no independent check
}

// findRivals compares a model with: its terms by the other kind of errors, absolute or relative; Amdahl's law (a
// constant and divided work); Amdahl's law with undivided work; the nearest configuration, by scale/machines; and a
// power law.
func findRivals(all []configuration, relative bool) []rival {
	other := "relative errors"
	if relative {
		other = "absolute errors"
	}
	var found []rival
	for i, r := range []struct {
		name string
		fit  learner
	}{
		{other, byFeatures(ownFeatures, !relative)},
		{"amdahl", byFeatures(termFeatures(One, ScalePerMachine), true)},
		{"amdahl and scale", byFeatures(termFeatures(One, ScalePerMachine, Scale), true)},
		{"nearest, scale/machines", byNearest},
		{"power law", byPowers},
	} {
		if predict := r.fit(all); predict != nil {
			found = append(found, rival{r.name, predict, gather(all, r.fit), i == 0})
		}
	}
	return found
}

// A featurer returns the features of a configuration.
type featurer func(*configuration) []float64

func ownFeatures(c *configuration) []float64 { return c.features }

func termFeatures(terms ...Term) featurer {
	return func(c *configuration) []float64 { return features(terms, c.Machines, c.Scale) }
}

// A regression explains times by a non-negative combination of features.
type regression struct {
	of       featurer
	x        []float64
	residual float64  // in the unit of the errors
	span     *rowSpan // of the features of the runs
}

// regress finds the least squares of the errors, or of the errors relative to the times. Ernest's errors are absolute,
// so long runs dominate its fit.
func regress(by []configuration, of featurer, relative bool) (*regression, error) {
	var a *mat.Dense
	b := make([]float64, len(by))
	for i := range by {
		f, weight := of(&by[i]), math.Sqrt(by[i].runs)
		if relative {
			weight /= by[i].Seconds
		}
		if a == nil {
			a = mat.NewDense(len(by), len(f), nil)
		}
		for j, v := range f {
			a.Set(i, j, v*weight)
		}
		b[i] = by[i].Seconds * weight
	}
	x, residual, err := solveNonnegative(a, b)
	if err != nil {
		return nil, err
	}
	return &regression{of, x, residual, spanOf(a)}, nil
}

func (r *regression) predict(c *configuration) float64 {
	f := r.of(c)
	if !r.span.Holds(f) {
		return math.NaN()
	}
	return dot(f, r.x)
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

func byFeatures(of featurer, relative bool) learner {
	return func(by []configuration) predictor {
		r, err := regress(by, of, relative)
		if err != nil {
			return nil
		}
		return r.predict
	}
}

// byNearest takes the mean of the configurations that are the fewest doublings away, with their times scaled as if all
// of it were divided work.
func byNearest(by []configuration) predictor {
	return func(c *configuration) float64 {
		least, sum, n := math.Inf(1), 0.0, 0.0
		for i := range by {
			machines, scale := by[i].Machines/c.Machines, by[i].Scale/c.Scale
			d := math.Abs(math.Log2(machines)) + math.Abs(math.Log2(scale))
			if d < least*(1-1e-12) {
				least, sum, n = d, 0, 0
			}
			if d <= least*(1+1e-12) {
				sum, n = sum+by[i].Seconds*(c.Scale/by[i].Scale)*machines, n+1
			}
		}
		return sum / n
	}
}

// byPowers fits a·machines^b·scale^c to the least squares of the logarithms. It returns NaN for other machines or
// scales if those were the same in all runs.
func byPowers(by []configuration) predictor {
	at := func(c *configuration) []float64 { return []float64{1, math.Log(c.Machines), math.Log(c.Scale)} }
	a, b := mat.NewDense(len(by), 3, nil), mat.NewVecDense(len(by), nil)
	for i := range by {
		weight := math.Sqrt(by[i].runs)
		for j, v := range at(&by[i]) {
			a.Set(i, j, v*weight)
		}
		b.SetVec(i, by[i].log*weight)
	}
	span := spanOf(a)
	var svd mat.SVD
	if span.Rank == 0 || !svd.Factorize(a, mat.SVDThin) {
		return nil
	}
	var x mat.VecDense
	svd.SolveVecTo(&x, b, span.Rank)
	return func(c *configuration) float64 {
		f := at(c)
		if !span.Holds(f) {
			return math.NaN()
		}
		return math.Exp(dot(f, x.RawVector().Data))
	}
}

// maxFolds limits the cost of leave-one-out: one model for each fold. Above mostLeft runs there are fewer.
const maxFolds, mostLeft = 100, 100_000

// A test is a configuration that was predicted from others.
type test struct {
	*configuration
	predicted float64 // NaN if the others have no prediction
	way       way     // from the others
}

// predictOthers predicts the configurations in others from those in by.
func (fit learner) predictOthers(by, others []configuration) []test {
	predict := predictor(func(*configuration) float64 { return math.NaN() })
	if len(by) > 0 {
		if learned := fit(by); learned != nil {
			predict = learned
		}
	}
	r := reachOf(by)
	tests := make([]test, len(others))
	for i := range others {
		c := &others[i]
		tests[i] = test{c, predict(c), r.way(&c.Row)}
	}
	return tests
}

// leaveOut predicts each configuration by a method that learned from those in other folds.
func (fit learner) leaveOut(all []configuration, folds int) []test {
	var tests []test
	folds = min(folds, max(mostLeft/len(all), 10))
	each := (len(all) + folds - 1) / folds
	for from := 0; from < len(all); from += each {
		to := min(from+each, len(all))
		tests = append(tests, fit.predictOthers(slices.Concat(all[:from], all[to:]), all[from:to])...)
	}
	return tests
}
