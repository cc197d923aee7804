package phasetype

import "math"

// Exponential returns the exponential distribution of a mean in seconds.
func Exponential(mean float64) (Mixture, error) { return Erlang(1, mean) }

// Erlang returns the distribution of a number of equal stages, with a mean in seconds.
func Erlang(stages int, mean float64) (Mixture, error) {
	m := Mixture{{Weight: 1, Stages: stages, Rate: float64(stages) / mean}}
	if !usable(mean) {
		return nil, fault("a mean of %v s: give a number from %g to %g", mean, smallest, largest)
	}
	return m, m.Validate()
}

// Hyperexponential returns a distribution with a mean in seconds, a squared coefficient of variation above 1, and
// balanced means: each branch is half of the mean (H. Tijms, "Stochastic Models", 1994, appendix B).
func Hyperexponential(mean, cv2 float64) (Mixture, error) {
	if !usable(mean) || !(cv2 > 1 && cv2 <= 1e12) {
		return nil, fault("a hyper-exponential of mean %v s and squared variation %v: give a mean above 0, a variation above 1", mean, cv2)
	}
	root := math.Sqrt((cv2 - 1) / (cv2 + 1))
	seldom := 1 / (cv2 + 1) / (1 + root) // (1-root)/2, which has no digits for a large variation
	often := 1 - seldom
	m := Mixture{{often, 1, 2 * often / mean}, {seldom, 1, 2 * seldom / mean}}
	return m, m.Validate()
}

// Fit returns a distribution with a mean in seconds. Up to a squared coefficient of variation of 1, it is the
// nearest Erlang with round(1/cv²) stages, so the variance is not matched; above 1 it is Hyperexponential.
// docs/facts/queueing.md d compares with it: see Tijms.
func Fit(mean, cv2 float64) (Mixture, error) {
	if cv2 > 1 {
		return Hyperexponential(mean, cv2)
	}
	stages, err := stages(mean, cv2)
	if err != nil {
		return nil, err
	}
	return Erlang(max(1, int(math.Round(stages))), mean)
}

// Tijms returns a distribution with a mean in seconds and a squared coefficient of variation: up to 1 it is a
// mixture of Erlangs of k-1 and k stages of one rate (Tijms, appendix B), above 1 it is Hyperexponential.
func Tijms(mean, cv2 float64) (Mixture, error) {
	if cv2 > 1 {
		return Hyperexponential(mean, cv2)
	}
	stages, err := stages(mean, cv2)
	if err != nil {
		return nil, err
	}
	k := math.Ceil(stages * (1 - 1e-14))
	if k <= 1 {
		return Exponential(mean)
	}
	p := (k*cv2 - math.Sqrt(max(0, k*(1+cv2)-k*k*cv2))) / (1 + cv2)
	if p < 1e-13 {
		return Erlang(int(k), mean)
	}
	rate := (k - p) / mean
	m := Mixture{{p, int(k) - 1, rate}, {1 - p, int(k), rate}}
	return m, m.Validate()
}

// stages returns 1/cv2.
func stages(mean, cv2 float64) (float64, error) {
	if !usable(mean) {
		return 0, fault("a mean of %v s: give a number from %g to %g", mean, smallest, largest)
	}
	if !(cv2 >= 1.0/MaxStages) {
		return 0, fault("a squared variation of %v: give at least %v", cv2, 1.0/MaxStages)
	}
	return 1 / cv2, nil
}

// Harmonic returns the sum of 1/i up to n: the mean of the largest of n exponential variables of mean 1. NaN below
// 0.
func Harmonic(n int) float64 {
	const euler = 0.57721566490153286061
	switch {
	case n < 0:
		return math.NaN()
	case n < 64:
		sum := 0.0
		for i := n; i > 0; i-- {
			sum += 1 / float64(i)
		}
		return sum
	}
	x := float64(n)
	s := 1 / (x * x)
	return math.Log(x) + euler + 1/(2*x) - s*(1.0/12-s*(1.0/120-s/252))
}
