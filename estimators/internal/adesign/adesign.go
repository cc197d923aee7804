// Package adesign chooses which experiments to run: the A-optimal design under a budget.
//
// gonum has no solver for it: its optimize has no constraints but those of a linear program (convex/lp), and no interior
// point method.
package adesign

// A Problem is experiments that could be made. An experiment with features a of weight λ adds λaaᵀ to the information
// matrix M of the design.
type Problem struct {
	// Features are those of each candidate, all of one length from 1 to MaxFeatures. The objective depends on their
	// units: Ernest divides each feature by its mean over the candidates first.
	Features [][]float64
	Costs    []float64 // of each candidate at weight 1, above 0, in any unit
	Budget   float64   // in the unit of Costs, above 0
}

// A Design is how much of each candidate is to be run. The weights are the relaxation of yes and no.
type Design struct {
	Weights   []float64 // of each candidate, from 0 to 1
	Objective float64   // tr(M⁻¹): the sum of the variances of the coefficients, for measurements of variance 1
	Cost      float64   // Σ weight · cost, at most the budget
	// Gap is by how much Objective can be above the least possible: proven, not estimated (facts a.3). With
	// g = -∇Objective, which is convex, no feasible x gives less than Objective - g·(x-λ); Gap is the most that this can
	// be, by solving the linear program exactly.
	Gap        float64
	Price      float64 // how much the objective would fall for one more unit of budget; 0 where the budget is not used up
	Iterations int
}

// MaxFeatures bounds the work: it grows by its cube.
const MaxFeatures = 16
