// Package phasetype is distributions of service times that are made of exponential stages, and what is expected of the
// largest and the smallest of several: what a join waits for.
//
// gonum's stat/distuv has single exponential and gamma distributions, no mixtures and no maxima; its integrate/quad has no
// quadrature with an error estimate.
package phasetype

// A Branch is an Erlang distribution in a mixture: Stages exponential stages of Rate each, one after the other.
type Branch struct {
	Weight float64 // above 0; those of a mixture sum to 1
	Stages int     // at least 1
	Rate   float64 // a second, above 0
}

// A Mixture is a variable that is one of its branches. One branch of one stage is the exponential distribution, several
// of one stage the hyper-exponential, one of several stages the Erlang.
type Mixture []Branch

// A Variable is anything that ends at some time >= 0.
type Variable interface {
	Mean() float64
	Variance() float64
	// Survival is the probability that it takes longer than t seconds.
	Survival(t float64) float64
}
