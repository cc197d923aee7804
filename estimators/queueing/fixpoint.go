package queueing

import "math"

// longestCycle is the longest limit cycle that iterate detects, in iterations.
const longestCycle = 12

// damping is the share of the new residence times in the next ones.
const damping = 0.5

// iterate repeats step, which returns the largest change of a residence time and all residence times. It stops if no
// residence changes by more than the tolerance, or if the residences repeat. A timeline that flips between two orders
// never converges.
func iterate(o Options, step func() (change float64, found []float64)) Fixpoint {
	var f Fixpoint
	var past [longestCycle][]float64
	for f.Iterations < o.MaxIterations {
		change, found := step()
		f.Residual = change
		f.Iterations++
		if change <= o.Tolerance {
			f.Converged = true
			return f
		}
		// Slow convergence also returns close to an older state. A cycle returns much closer than one step moves
		// away.
		for back := 2; back <= min(longestCycle, f.Iterations-1); back++ {
			if apart(found, past[(f.Iterations-back)%longestCycle]) <= math.Min(o.Tolerance, 1e-6*change) {
				f.Cycle = back
				return f
			}
		}
		past[f.Iterations%longestCycle] = found
	}
	return f
}

// apart returns the largest difference between two lists of the same length; +Inf if the lengths differ.
func apart(a, b []float64) float64 {
	if len(a) != len(b) {
		return math.Inf(1)
	}
	most := 0.0
	for i := range a {
		most = math.Max(most, math.Abs(a[i]-b[i]))
	}
	return most
}

// A vector is seconds at each kind of centre, in the order of CentreKind.
type vector [4]float64

// negligible is the service time, in seconds, that counts as none: a thousandth of a nanosecond.
const negligible = 1e-12

func (d Demand) vector() vector {
	v := vector{d.CPU, d.Fibre, d.Disk, d.Network}
	for k := range v {
		if v[k] < negligible {
			v[k] = 0
		}
	}
	return v
}

// over returns v divided by n.
func (v vector) over(n float64) Demand {
	return Demand{v[CPU] / n, v[Fibre] / n, v[Disk] / n, v[Network] / n}
}

func (v vector) sum() float64 { return v[CPU] + v[Fibre] + v[Disk] + v[Network] }

// squares returns the variance of a task with exponential residences at the centres.
func (v vector) squares() float64 {
	s := 0.0
	for _, x := range v {
		s += x * x
	}
	return s
}

// share returns the share of a task's time that it spends at a centre.
func (v vector) share(k CentreKind) float64 {
	if total := v.sum(); total > 0 {
		return v[k] / total
	}
	return 0
}
