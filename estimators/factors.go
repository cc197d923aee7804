package estimators

import (
	"math"
	"slices"
	"sort"
	"sync"
)

// Factors are possible times of a task as multiples of its prediction: equally likely values, ascending. Empty
// Factors are the constant 1.
//
// They are the residuals of finished tasks, each smoothed a little, and a lognormal prior that weighs as much as
// priorTasks of them. The slowest outlierRatio of tasks follow another law: P(F > x) = 1/x (Pareto, exponent 1).
type Factors struct {
	of   func() []float64 // computed on demand: only stages with remaining tasks need them
	mean func() float64
}

const (
	priorTasks   = 4
	outlierRatio = 0.002
	factorCount  = 1024
	// maxPending is the greatest factor of a task that has not started, unless a finished task has a greater one.
	maxPending = 4
	// maxOutlier is the greatest factor of a task, unless it is past that already.
	maxOutlier = 20
)

// NewFactors returns the factors of a stage from the log residuals of its finished tasks; sigma is the standard
// deviation of the prior. Without residuals and sigma the factor is 1.
func NewFactors(residuals []float64, sigma float64) Factors {
	sigma = min(max(sigma, 0), 3)
	residuals = slices.DeleteFunc(slices.Clone(residuals), func(r float64) bool {
		return math.IsNaN(r) || math.IsInf(r, 0)
	})
	if sigma == 0 && len(residuals) == 0 {
		return Factors{}
	}
	of := sync.OnceValue(func() []float64 { return quantiles(residuals, sigma) })
	return Factors{of, sync.OnceValue(func() (mean float64) {
		for _, x := range of() {
			mean += x / factorCount
		}
		return mean
	})}
}

// quantiles returns factorCount factors, ascending.
func quantiles(residuals []float64, sigma float64) []float64 {
	for i, r := range residuals {
		residuals[i] = min(max(r, -3), 3)
	}
	slices.Sort(residuals)
	body := factorCount - int(math.Ceil(outlierRatio*factorCount))
	out := make([]float64, 0, factorCount)
	n := len(residuals)
	prior := body * priorTasks / (priorTasks + n)
	for i := range prior {
		out = append(out, LogNormal((float64(i)+0.5)/float64(prior), sigma))
	}
	width := min(0.5*sigma, bandwidth(residuals))
	for i := range body - prior {
		// Spread the residuals, and the position around each: a Kronecker sequence decorrelates the second number.
		r := residuals[i*n/(body-prior)]
		_, u := math.Modf((float64(i) + 0.5) * 0.6180339887498949)
		out = append(out, math.Exp(r+width*Normal(u)))
	}
	slices.Sort(out)
	worst := math.Max(out[len(out)-1], 1)
	for i := range factorCount - body {
		u := (float64(i) + 0.5) / float64(factorCount-body)
		out = append(out, min(worst/(1-u), max(maxPending, worst)))
	}
	return out
}

// bandwidth is Silverman's rule of thumb (Density Estimation, 1986, equation 3.31) for sorted values.
func bandwidth(sorted []float64) float64 {
	n := float64(len(sorted))
	if n < 2 {
		return 0
	}
	var sum, sq float64
	for _, v := range sorted {
		sum += v
		sq += v * v
	}
	sd := math.Sqrt(max(0, sq/n-sum*sum/n/n))
	if iqr := (sorted[len(sorted)*3/4] - sorted[len(sorted)/4]) / 1.34; iqr > 0 {
		sd = min(sd, iqr)
	}
	return 0.9 * sd * math.Pow(n, -0.2)
}

// At returns the quantile of order u of the factors.
func (f Factors) At(u float64) float64 { return f.Values().At(u) }

// Values returns the factors, ascending; none for the constant 1.
func (f Factors) Values() Values {
	if f.of == nil {
		return nil
	}
	return f.of()
}

// Values are equally likely values, ascending. None are the constant 1.
type Values []float64

// At returns the quantile of order u of the values.
func (v Values) At(u float64) float64 {
	if len(v) == 0 {
		return 1
	}
	return v[min(int(u*float64(len(v))), len(v)-1)]
}

// Mean returns the mean of the factors.
func (f Factors) Mean() float64 {
	if f.of == nil {
		return 1
	}
	return f.mean()
}

// below returns the share of factors that are at most x.
func (f Factors) below(x float64) float64 {
	if f.of == nil {
		if x >= 1 {
			return 1
		}
		return 0
	}
	of := f.of()
	return float64(sort.SearchFloat64s(of, x)) / float64(len(of))
}

// A Rest is the distribution of the remaining time of a task that is predicted to take whole and has run for age,
// given that it has not ended yet. A task that lasts longer than all factors follows the law of outliers: it lasts
// as long again with probability one half.
type Rest struct {
	whole, age float64
	factors    Factors
	power      float64 // exponent of the factors: less than 1 if more is known about this task than about others
	before     float64 // share of the factors that the age excludes
	body       float64 // probability that the task follows the factors, given its age
}

// NewRest prepares draws of the remaining time. power narrows the factors: 1 leaves them, 0 makes them 1.
func NewRest(whole, age float64, f Factors, power float64) Rest {
	r := Rest{whole: max(whole, 0), age: max(age, 0), factors: f, power: power, body: 1}
	if f.of == nil || r.age == 0 {
		return r
	}
	past := math.Inf(1)
	if r.whole > 0 {
		past = r.age / r.whole
	}
	r.before = 1
	if power > 0 {
		r.before = f.below(math.Pow(past, 1/power))
	} else if past < 1 {
		r.before = 0
	}
	follows := (1 - outlierRatio) * (1 - r.before)
	outlier := outlierRatio * min(1, 1/past)
	r.body = follows / (follows + outlier)
	if !(follows+outlier > 0) {
		r.body = 0
	}
	return r
}

// At returns the remaining time at the quantile u; scale multiplies the prediction.
func (r *Rest) At(u, scale float64) float64 {
	if r.factors.of == nil {
		return max(r.whole*scale-r.age, 0)
	}
	if u < r.body {
		f := r.factors.At(r.before + u/r.body*(1-r.before))
		if r.power != 1 {
			f = math.Pow(f, r.power)
		}
		left := r.whole*f - r.age
		if left > 0 {
			return left * scale
		}
		return 0
	}
	from := max(r.whole, r.age)
	v := (u - r.body) / (1 - r.body)
	return min(from/(1-v), maxOutlier*from)*scale - r.age*scale
}
