package reference

import (
	"fmt"

	"github.com/paratimer/paratimer/estimators/internal/phasetype"
)

// branches are the branches of a mixture: weight, stages and rate of each.
type branches [][3]float64

func (b branches) mixture() (m phasetype.Mixture) {
	for _, x := range b {
		m = append(m, phasetype.Branch{Weight: x[0], Stages: int(x[1]), Rate: x[2]})
	}
	return m
}

// pairs are two independent tasks, with the mean and variance of the later end. Closed forms, quadrature and sampling
// agree on these values (docs/facts/queueing.md d).
var pairs = []struct {
	name           string
	a, b           branches
	mean, variance float64
	simple         float64 // H_2 times the larger mean
}{
	{"exp(1) exp(1)", branches{{1, 1, 1}}, branches{{1, 1, 1}}, 1.5, 1.25, 1.5},
	{
		"exp(8.3285) exp(8.3285)",
		branches{{1, 1, 0.120069640391427}},
		branches{{1, 1, 0.120069640391427}},
		12.49275,
		86.7048903125, 12.49275,
	},
	{"exp(1) exp(3)", branches{{1, 1, 1}}, branches{{1, 1, 0.333333333333333}}, 3.25, 8.3125, 4.5},
	{"Erlang2 mean2, Erlang3 mean3", branches{{1, 2, 1}}, branches{{1, 3, 1}}, 3.4375, 2.80859375, 4.5},
	{"Erlang10 mean10, Erlang10 mean10", branches{{1, 10, 1}}, branches{{1, 10, 1}}, 11.76197052, 8.6574304066, 15},
	{"Erlang4 mean5, exp mean5", branches{{1, 4, 0.8}}, branches{{1, 1, 0.2}}, 7.048, 18.439696, 7.5},
	{"H2 mean1 cv2=4, exp mean1", branches{
		{0.887298334620742, 1, 1.77459666924148},
		{0.112701665379258, 1, 0.225403330758517},
	}, branches{{1, 1, 1}}, 1.58823529412, 4.09688581315, 1.5},
	{
		"H2 mean2 cv2=2, H2 mean2 cv2=2",
		branches{
			{0.788675134594813, 1, 0.788675134594813},
			{0.211324865405187, 1, 0.211324865405187},
		},
		branches{{0.788675134594813, 1, 0.788675134594813}, {0.211324865405187, 1, 0.211324865405187}},
		3.16666666667,
		12.3055555556, 3,
	},
	{"H2 mean1 cv2=9, Erlang5 mean2", branches{
		{0.947213595499958, 1, 1.89442719099992},
		{0.0527864045000421, 1, 0.105572809000084},
	}, branches{{1, 5, 2.5}}, 2.43638350975, 8.22625276821, 3},
	{
		"fit(mean12,cv2=.3), fit(mean9,cv2=1.7)",
		branches{{1, 3, 0.25}},
		branches{{0.754587538608658, 1, 0.167686119690813}, {0.245412461391342, 1, 0.0545361025314094}},
		15.4544234645,
		118.876856699, 18,
	},
	{
		"Tijms(mean12,cv2=.3), Tijms(mean9,cv2=.55)",
		branches{
			{0.436572667666403, 3, 0.296952277694466},
			{0.563427332333597, 4, 0.296952277694466},
		},
		branches{{0.0976236786770879, 1, 0.211375146813657}, {0.902376321322912, 2, 0.211375146813657}},
		14.3032704696,
		45.575579053, 18,
	},
	{
		"Erlang50 mean416.4, Erlang50 mean416.4",
		branches{{1, 50, 0.120069640391427}},
		branches{{1, 50, 0.120069640391427}},
		449.567948179, 2645.77164242, 624.6375,
	},
}

// Maxima returns the maxima of pairs. The figures are the mean, the variance, and H_2 times the larger mean.
func Maxima() ([]Case, error) {
	var all []Case
	for _, p := range pairs {
		a, b := p.a.mixture(), p.b.mixture()
		mean, variance, err := phasetype.Max(a, b)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
		all = append(all, Case{p.name, []Figure{
			{"mean of the maximum", p.mean, mean},
			{"variance of the maximum", p.variance, variance},
			{"H_2 times the larger mean", p.simple, phasetype.Harmonic(2) * max(a.Mean(), b.Mean())},
		}})
	}
	return all, nil
}
