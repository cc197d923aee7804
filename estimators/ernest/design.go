package ernest

// A Space is the training runs that could be made, in the terms of the authors' program. Input comes in TotalParts equal
// parts, of which a run takes some.
type Space struct {
	MinParts, MaxParts, TotalParts int     // parts a training run may take, and parts of the whole input
	MinMachines, MaxMachines       int     // machines a training run may take
	CoresPerMachine                int     // a run needs as many parts as cores
	Budget                         float64 // of all runs together, in costs of the smallest input on one machine; 0 for 10
	Interpolate                    int     // how many sizes of input to look at; 0 for 20
}

// A DesignRow is a training run to make.
type DesignRow struct {
	Machines int
	Scale    float64 // fraction of the whole input
	Parts    int     // the same in parts, rounded up
	Cores    int
	Cost     float64 // in the unit of the budget
	Weight   float64 // 0..1
}

// A Plan is a set of training runs.
type Plan struct {
	// Rows are the runs to make, of the highest weight first: those above MinWeight.
	Rows []DesignRow
	// Support are all candidates that have a weight, Rows among them.
	Support []DesignRow
	// Objective is the sum of the coefficients' variances by Support's weights, features scaled by their means, for errors of
	// variance 1. +Inf where the runs do not determine the coefficients.
	Objective float64
	// Gap is how far Objective is from the optimum at most.
	Gap float64
	// Cost of Support, and of Rows made whole.
	Cost, RowsCost float64
	Candidates     int
}

// MinWeight is what a candidate's weight must pass to be run, that of the authors' program.
const MinWeight = 0.3

// Design chooses runs by A-optimal design (§3.3): the least sum of variances that the budget can pay. A *SpaceError says why
// there is none.
func Design(s Space) (*Plan, error) { return nil, errLater }

// Greedy takes the cheapest runs while the budget holds, the scheme that §6.5 compares with.
func Greedy(s Space) (*Plan, error) { return nil, errLater }
