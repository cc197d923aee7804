// Package adesign chooses which experiments to run: the A-optimal design under a budget.
//
// gonum has no solver for it: its optimize has constraints in linear programs (convex/lp) alone.
package adesign

// A Problem is a set of possible experiments. An experiment with features a and weight λ adds λaaᵀ to the
// information matrix M of the design.
type Problem struct {
	// Features are those of each candidate, all of one length from 1 to MaxFeatures. The objective depends on their
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

// MaxFeatures and MaxCandidates bound the work.
const (
	MaxFeatures   = 16
	MaxCandidates = 100_000
)

// Solve returns the A-optimal design: it minimizes tr((Σ λ aaᵀ)⁻¹) over 0 <= λ <= 1 within the budget
// (S. Venkataraman et al., "Ernest", NSDI 2016, section 3.3; S. Boyd and L. Vandenberghe, "Convex Optimization",
// 7.5.2).
//
// Errors are a *ProblemError, a *SingularError or a *ConvergenceError.
func Solve(p *Problem) (*Design, error) {
	if err := check(p); err != nil {
		return nil, err
	}
	m, err := newModel(p, nil)
	if err != nil {
		return nil, err
	}
	return m.solve()
}

// Evaluate returns the design with given weights, of this or another method. Weights beyond the budget are
// evaluated too: then Gap, the distance to the best design within the budget, may be negative.
//
// Errors are a *ProblemError or a *SingularError.
func Evaluate(p *Problem, weights []float64) (*Design, error) {
	if err := check(p); err != nil {
		return nil, err
	}
	if len(weights) != len(p.Features) {
		return nil, fault(-1, "%d candidates with %d weights: give each one", len(p.Features), len(weights))
	}
	for i, w := range weights {
		if !(w >= 0 && w <= 1) {
			return nil, fault(i, "a weight of %v: give a number from 0 to 1", w)
		}
	}
	m, err := newModel(p, weights)
	if err != nil {
		return nil, err
	}
	at, ok := m.at(weights)
	if !ok {
		return nil, m.singular(weights)
	}
	d, _ := m.design(weights, at)
	return d, nil
}
