package ernest

import (
	"math"
)

// A configuration summarizes the runs that have the same machines, scale and iterations. The least squares of the
// means, weighted by the root of the runs, are those of the runs.
type configuration struct {
	Row                   // Seconds is the mean of the runs
	features    []float64 // of the model
	runs        float64
	log, spread float64 // mean and variance of the logarithms of the seconds
}

// configurations summarizes rows, in the order of first appearance, and returns the configuration of each row.
// Repeated runs of a configuration are left out together; otherwise each would predict the other.
func configurations(rows []Row) (all []configuration, of []int) {
	at := map[Point]int{}
	for _, r := range rows {
		i, known := at[r.Point()]
		if !known {
			i = len(all)
			at[r.Point()] = i
			all = append(all, configuration{Row: Row{Machines: r.Machines, Scale: r.Scale, Iterations: r.Iterations}})
		}
		c, log := &all[i], math.Log(r.Seconds)
		c.runs++
		c.Seconds += (r.Seconds - c.Seconds) / c.runs
		before := c.log
		c.log += (log - c.log) / c.runs
		c.spread += ((log-before)*(log-c.log) - c.spread) / c.runs
		of = append(of, i)
	}
	return all, of
}

// single returns each run as a configuration of its own.
func single(rows []Row) []configuration {
	runs := make([]configuration, len(rows))
	for i, r := range rows {
		runs[i] = configuration{Row: r, runs: 1}
	}
	return runs
}

// Extrapolation is the distance of a point beyond the rows. Its factors are at least 1, and 1 within the rows' range.
type Extrapolation struct {
	Machines, Scale float64 // factor beyond the largest or smallest value of the rows
	PerMachine      float64 // factor of scale/machines beyond the largest of the rows: more input a machine
	Distance        float64 // of machines and scale together, in doublings: 0 inside, 3 for eight times the scale
}

// Limits of extrapolation. The paper trains with a tenth of the input and predicts four times the machines (§6.3). No
// evidence supports more, but the model allows it.
const (
	UsualScale       = 32
	UsualMachines    = 4
	FarthestScale    = 128
	FarthestMachines = 16
)

// directions counts the ways to leave the range of the rows: more machines, fewer machines, more input, less input.
const directions = 4

// axis returns the value that grows in the given direction.
func (r *Row) axis(direction int) float64 {
	return [directions]float64{r.Machines, 1 / r.Machines, r.Scale, 1 / r.Scale}[direction]
}

// A reach is the range of the rows' values: the largest value of each axis, and of scale/machines.
type reach struct {
	most [directions]float64
	each float64
}

func reachOf(all []configuration) reach {
	var r reach
	for i := range all {
		for d := range directions {
			r.most[d] = max(r.most[d], all[i].axis(d))
		}
		r.each = max(r.each, all[i].Scale/all[i].Machines)
	}
	return r
}

// A way is the distance of a point beyond the rows in each direction, in doublings.
type way [directions]float64

func (r reach) way(at *Row) way {
	var w way
	for d := range directions {
		w[d] = math.Log2(beyond(at.axis(d) / r.most[d]))
	}
	return w
}

// only reports whether w leaves the range in the given direction and in no other.
func (w way) only(direction int) bool {
	for d, v := range w {
		if (v > 0) != (d == direction) {
			return false
		}
	}
	return true
}

func (r reach) extrapolation(at *Row) Extrapolation {
	x := Extrapolation{
		Machines:   beyond(max(at.axis(0)/r.most[0], at.axis(1)/r.most[1])),
		Scale:      beyond(max(at.axis(2)/r.most[2], at.axis(3)/r.most[3])),
		PerMachine: beyond(at.Scale / at.Machines / r.each),
	}
	x.Distance = math.Log2(x.Machines) + math.Log2(x.Scale)
	return x
}

// beyond returns a factor beyond a range, or 1 inside. It ignores rounding errors.
func beyond(factor float64) float64 {
	const rounding = 1 + 1e-9
	if factor <= rounding {
		return 1
	}
	return factor
}
