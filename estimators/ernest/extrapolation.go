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

// How far predictions go. The paper trains with a tenth of the input and predicts four times the machines (§6.3);
// nothing that is known speaks for more, but the model does not forbid it.
const (
	UsualScale       = 32
	UsualMachines    = 4
	FarthestScale    = 128
	FarthestMachines = 16
)

// A reach is the range of what the rows have.
type reach struct {
	machines, scale [2]float64
	each            float64 // the most scale/machines
}

func reachOf(rows []Row) reach {
	r := reach{machines: [2]float64{rows[0].Machines, rows[0].Machines}, scale: [2]float64{
		rows[0].Scale,
		rows[0].Scale,
	}}
	for _, row := range rows {
		r.machines = [2]float64{min(r.machines[0], row.Machines), max(r.machines[1], row.Machines)}
		r.scale = [2]float64{min(r.scale[0], row.Scale), max(r.scale[1], row.Scale)}
		r.each = max(r.each, row.Scale/row.Machines)
	}
	return r
}

func (r reach) extrapolation(machines, scale float64) Extrapolation {
	x := Extrapolation{
		Machines:   beyond(machines, r.machines),
		Scale:      beyond(scale, r.scale),
		PerMachine: beyond(scale/machines, [2]float64{0, r.each}),
	}
	x.Distance = math.Log2(x.Machines) + math.Log2(x.Scale)
	return x
}

// beyond is by what factor v leaves a range. Rounding in a table of fractions is no distance.
func beyond(v float64, within [2]float64) float64 {
	const rounding = 1 + 1e-9
	factor := max(v/within[1], within[0]/v)
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
