package adesign

import (
	"fmt"
	"math"
)

// A ProblemError means that a problem is invalid. Candidate is from 0, -1 if the fault is not one candidate's.
type ProblemError struct {
	Candidate int
	What      string
}

func (e *ProblemError) Error() string {
	if e.Candidate < 0 {
		return e.What
	}
	return fmt.Sprintf("candidate %d: %s", e.Candidate+1, e.What)
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

// A ConvergenceError means that a search ended with a gap that is too large to call its design optimal.
type ConvergenceError struct {
	Iterations     int
	Objective, Gap float64
}

func (e *ConvergenceError) Error() string {
	return fmt.Sprintf("no optimal design after %d iterations: objective %.6g may be above the least by %.3g",
		e.Iterations, e.Objective, e.Gap)
}

func fault(candidate int, format string, args ...any) error {
	return &ProblemError{Candidate: candidate, What: fmt.Sprintf(format, args...)}
}

func positive(v float64) bool { return v > 0 && !math.IsInf(v, 1) }

func check(p *Problem) error {
	switch n := len(p.Features); {
	case n == 0:
		return fault(-1, "no candidates: give at least one experiment")
	case n > MaxCandidates:
		return fault(-1, "%d candidates: at most %d; make the grid coarser", n, MaxCandidates)
	case len(p.Costs) != n:
		return fault(-1, "%d candidates with %d costs: give each one", n, len(p.Costs))
	case len(p.Features[0]) == 0 || len(p.Features[0]) > MaxFeatures:
		return fault(0, "%d features: from 1 to %d can be solved", len(p.Features[0]), MaxFeatures)
	case !positive(p.Budget):
		return fault(-1, "a budget of %v: give a number above 0", p.Budget)
	}
	for i, row := range p.Features {
		if len(row) != len(p.Features[0]) {
			return fault(i, "%d features, where the first has %d", len(row), len(p.Features[0]))
		}
		for j, v := range row {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fault(i, "feature %d is %v: give a finite number", j+1, v)
			}
		}
		if !positive(p.Costs[i]) {
			return fault(i, "a cost of %v: give a number above 0", p.Costs[i])
		}
	}
	return nil
}
