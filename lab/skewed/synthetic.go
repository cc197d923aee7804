package skewed

import (
	"fmt"

	"github.com/paratimer/paratimer/lab/skewed/phase"
)

// The synthetic workload (docs/facts/nearestfit.md B).
const (
	maps      = 20
	mean      = 1800 // seconds a task
	noise     = .02
	eachGroup = 20e-6 // seconds
)

// A lab is the size of the experiments.
type lab struct {
	largest float64 // values of the largest group: 10,000 in the paper
	seeds   int     // runs of each setting
}

// A synthetic is a reduce phase with a power of its cost, a skew, tasks and slots.
type synthetic struct {
	power, sigma   float64
	reduces, slots int
}

func (l lab) run(s synthetic) func(seed uint64) *phase.Run {
	return func(seed uint64) *phase.Run { return phase.Play(phase.Make(l.spec(s, seed)), s.slots) }
}

func (l lab) spec(s synthetic, seed uint64) phase.Spec {
	values := phase.Levels(l.largest, s.sigma)
	return spec(values, phase.Power(values, s.power), s.reduces, seed)
}

// spec returns the work of groups with these values and costs.
func spec(values, costs []float64, reduces int, seed uint64) phase.Spec {
	return phase.Spec{
		Values: values, Costs: costs, Reduces: reduces, Maps: maps, Mean: mean, Noise: noise,
		Each: eachGroup, Seed: seed,
	}
}

// cost returns the name of the cost.
func (s synthetic) cost() string { return []string{"", "n", "n²", "n³", "n⁴"}[int(s.power)] }

// String returns a column's title.
func (s synthetic) String() string {
	if s.reduces == 1 {
		return fmt.Sprintf("%s, σ %v, 1 task", s.cost(), s.sigma)
	}
	return fmt.Sprintf("%s, σ %v, %d tasks", s.cost(), s.sigma, s.reduces)
}
