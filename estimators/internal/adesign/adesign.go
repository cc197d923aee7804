// Package adesign chooses which experiments to run: the A-optimal design under a budget.
//
// gonum has no solver for it: its optimize only supports the constraints of a linear program (convex/lp), and has
// no interior point method.
package adesign

import (
	"fmt"
	"math"
)

// A Problem is a set of possible experiments. An experiment with features a and weight λ adds λaaᵀ to the
// information matrix M of the design.
type Problem struct {
	// Features are those of each candidate, all of one length. The objective depends on their
	// units: Ernest divides each feature by its mean over the candidates first.
	Features [][]float64
	Costs    []float64 // of each candidate at weight 1, above 0, in any unit
	Budget   float64   // in the unit of Costs, above 0
}

// A Design is the weight of each candidate to run. The weights are the relaxation of yes and no.
type Design struct {
	Weights   []float64 // of each candidate, from 0 to 1
	Objective float64   // tr(M⁻¹): the sum of the variances of the coefficients, for measurements of variance 1
	Cost      float64   // Σ weight · cost, at most the budget
	// Gap is a proven bound on the distance of Objective to the least possible one (docs/facts/ernest.md a.3). With
	// g = -∇Objective, which is convex, no feasible x gives less than Objective - g·(x-λ); Gap is the maximum of
	// g·(x-λ), from the exact solution of the linear program.
	Gap        float64
	Price      float64 // decrease of the objective for one more unit of budget, in the linear program of Gap
	Iterations int
}

// Solve returns the A-optimal design: it minimizes tr((Σ λ aaᵀ)⁻¹) over 0 <= λ <= 1 within the budget
// (S. Venkataraman et al., "Ernest", NSDI 2016, section 3.3; S. Boyd and L. Vandenberghe, "Convex Optimization",
// 7.5.2). The work grows with the fourth power of the number of features and linearly with that of the candidates.
//
// The caller has checked that there are candidates, and that all numbers are finite. An error may be a *SingularError.
func Solve(p *Problem) (*Design, error) {
	m, err := newModel(p, nil)
	if err != nil {
		return nil, err
	}
	return newSearch(m).run()
}

// Evaluate returns the design with given weights from 0 to 1, of this or another method. Weights beyond the budget are
// evaluated too: then Gap, the distance to the best design within the budget, may be negative. An error may be a
// *SingularError.
func Evaluate(p *Problem, weights []float64) (*Design, error) {
	m, err := newModel(p, weights)
	if err != nil {
		return nil, err
	}
	at, ok := m.at(weights)
	if !ok {
		return nil, m.singular(weights)
	}
	return m.design(weights, at), nil
}

// A SingularError means that candidates, or weights, cannot distinguish features, whatever is measured.
type SingularError struct {
	Features, Rank int
	Dependent      []int // features, from 0, that are combinations of each other or always 0
}

func (e *SingularError) Error() string {
	return fmt.Sprintf("the experiments tell only %d of %d features apart (dependent: %v, counted from 0): vary what these are made of",
		e.Rank, e.Features, e.Dependent)
}

func positive(v float64) bool { return v > 0 && !infinite(v) }

func infinite(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }
