package ernest

import (
	"fmt"
	"math"
)

// Extrapolation is how far a point is beyond the rows: factors of at least 1, 1 within their range.
type Extrapolation struct {
	Machines, Scale float64 // beyond the most or the fewest
	PerMachine      float64 // scale/machines beyond the most: a machine with that much input was not seen
	Distance        float64 // of machines and scale, in doublings: 0 inside, 3 for eight times the scale
}

// How far predictions go. The paper trains with a tenth of the input and predicts four times the machines (§6.3); nothing that
// is known speaks for more, but the model does not forbid it.
const (
	UsualScale, UsualMachines       = 32, 4
	FarthestScale, FarthestMachines = 128, 16
)

func (m *Model) extrapolation(machines, scale float64) Extrapolation {
	most := column(m.Rows, func(r Row) float64 { return r.Machines })
	sizes := column(m.Rows, func(r Row) float64 { return r.Scale })
	each := column(m.Rows, func(r Row) float64 { return r.Scale / r.Machines })
	x := Extrapolation{
		Machines:   beyond(machines, most),
		Scale:      beyond(scale, sizes),
		PerMachine: max(1, scale/machines/each[len(each)-1]),
	}
	x.Distance = math.Log2(x.Machines) + math.Log2(x.Scale)
	return x
}

// beyond is by what factor v leaves the range of sorted values. Rounding in a table of fractions is no distance.
func beyond(v float64, sorted []float64) float64 {
	const rounding = 1 + 1e-9
	factor := max(v/sorted[len(sorted)-1], sorted[0]/v)
	if factor <= rounding {
		return 1
	}
	return factor
}

// times words a factor.
func times(factor float64) string {
	if factor < 10 {
		return fmt.Sprintf("%.2g times", factor)
	}
	return fmt.Sprintf("%.3g times", factor)
}
