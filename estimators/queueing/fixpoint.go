package queueing

import "math"

// longestCycle is how many iterations back a limit cycle is looked for.
const longestCycle = 12

// iterate repeats a step, which returns the residence times that it finds and the largest change of one, until nothing
// changes by more than the tolerance, or what is found repeats itself: a timeline that flips between two orders never
// settles.
func iterate(o Options, step func(damping float64) (change float64, found []float64)) Fixpoint {
	var f Fixpoint
	var past [longestCycle][]float64
	for f.Iterations < o.MaxIterations {
		change, found := step(o.Damping)
		f.Residual = change
		f.Iterations++
		if change <= o.Tolerance {
			f.Converged = true
			return f
		}
		// A slow approach also comes near to where it was: a cycle comes back far nearer than a step takes it away.
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

// apart is the largest difference of two lists of as many numbers; infinite if there is no second one.
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

// negligible is how many seconds of service count as none: a thousandth of a nanosecond.
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

// over is the mean of a sum over n.
func (v vector) over(n float64) Demand {
	return Demand{v[CPU] / n, v[Fibre] / n, v[Disk] / n, v[Network] / n}
}

func (v vector) sum() float64 { return v[CPU] + v[Fibre] + v[Disk] + v[Network] }

// squares is the variance of a task whose stays at the centres are exponential.
func (v vector) squares() float64 {
	s := 0.0
	for _, x := range v {
		s += x * x
	}
	return s
}

// share is the part of its time that a task is at a centre.
func (v vector) share(k CentreKind) float64 {
	if total := v.sum(); total > 0 {
		return v[k] / total
	}
	return 0
}
