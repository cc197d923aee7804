package ernest

import (
	"cmp"
	"math"
)

// A Space is the set of possible training runs, in the terms of the authors' program. The input has TotalParts equal
// parts, and a run uses some of them.
type Space struct {
	MinParts, MaxParts, TotalParts int // range of parts of a training run, and parts of the whole input
	MinMachines, MaxMachines       int // range of machines of a training run
	CoresPerMachine                int // a run needs as many parts as cores; 0 for 2
	// budget of all runs together, in costs of the smallest input on one machine; 0 for 10
	Budget      float64
	Interpolate int // how many sizes of input to look at; 0 for 20
	// Cost returns the cost, above 0, of a run on that many machines that takes that time (§3.3). Nil: the cost is
	// the time. The time is assumed proportional to scale/machines, in units of the smallest input on one machine.
	// Budget uses the unit of the cost.
	Cost func(machines, time float64) float64
}

// The defaults of the authors' program.
const (
	DefaultCoresPerMachine = 2
	DefaultBudget          = 10.0
	DefaultInterpolate     = 20
)

// MaxCandidates limits sizes times numbers of machines, and so the memory of a design.
const MaxCandidates = 100_000

func (s *Space) defaults() {
	s.CoresPerMachine = cmp.Or(s.CoresPerMachine, DefaultCoresPerMachine)
	s.Budget = cmp.Or(s.Budget, DefaultBudget)
	s.Interpolate = cmp.Or(s.Interpolate, DefaultInterpolate)
}

func (s *Space) check() error {
	switch {
	case s.MinParts < 1:
		return bad("MinParts", "%d parts: a run has at least 1", s.MinParts)
	case s.MaxParts < s.MinParts:
		return bad("MaxParts", "%d parts at most are fewer than %d at least", s.MaxParts, s.MinParts)
	case s.TotalParts < s.MaxParts:
		return bad("TotalParts", "the whole input has %d parts, a training run up to %d", s.TotalParts, s.MaxParts)
	case s.MinMachines < 1:
		return bad("MinMachines", "%d machines: a run has at least 1", s.MinMachines)
	case s.MaxMachines < s.MinMachines:
		return bad("MaxMachines", "%d machines at most are fewer than %d at least", s.MaxMachines, s.MinMachines)
	case s.CoresPerMachine < 1:
		return bad("CoresPerMachine", "%d cores: a machine has at least 1", s.CoresPerMachine)
	case !finite(s.Budget) || s.Budget <= 0:
		return bad("Budget", "%v: give a finite number above 0; 1 pays for the smallest input on one machine", s.Budget)
	case s.Interpolate < 1:
		return bad("Interpolate", "%d sizes: look at 1 or more", s.Interpolate)
	}
	counts := float64(s.MaxMachines) - float64(s.MinMachines) + 1
	if n := float64(s.Interpolate) * counts; n > MaxCandidates {
		return bad("", "%d sizes times %.0f numbers of machines are %.3g candidates: at most %d are looked at; "+
			"interpolate less or narrow the machines", s.Interpolate, counts, n, MaxCandidates)
	}
	return nil
}

// candidates returns every size with every number of machines that has at least one part per core. Order and rounding
// are exactly those of the authors' program: numpy's linspace, rounding half to even.
func (s *Space) candidates() []DesignRow {
	var rows []DesignRow
	least := float64(s.MinParts) / float64(s.TotalParts)
	for _, scale := range linspace(least, float64(s.MaxParts)/float64(s.TotalParts), s.Interpolate) {
		for m := s.MinMachines; m <= s.MaxMachines; m++ {
			parts := scale * float64(s.TotalParts)
			if math.RoundToEven(parts) < float64(s.CoresPerMachine)*float64(m) {
				break // more machines need more parts still
			}
			cost := scale / least / float64(m)
			if s.Cost != nil {
				cost = s.Cost(float64(m), cost)
			}
			rows = append(rows, DesignRow{
				Machines: m, Scale: scale, Parts: int(math.Ceil(parts)), Cores: s.CoresPerMachine * m, Cost: cost,
			})
		}
	}
	return rows
}

// linspace returns n numbers from first to last at equal distances, rounded as numpy does.
func linspace(first, last float64, n int) []float64 {
	values := make([]float64, n)
	step := (last - first) / float64(n-1)
	for i := range values {
		values[i] = first + float64(float64(i)*step)
	}
	values[0] = first
	if n > 1 {
		values[n-1] = last
	}
	return values
}
