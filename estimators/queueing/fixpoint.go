package queueing

// damping is the share of the new residence times in the next ones.
const damping = 0.5

// iterate repeats step, which returns the largest change of a residence time, until no residence changes by more than
// the tolerance. A timeline that flips between two orders never converges.
func iterate(o Options, step func() (change float64)) (f Fixpoint) {
	for f.Iterations < o.MaxIterations && !f.Converged {
		f.Residual = step()
		f.Iterations++
		f.Converged = f.Residual <= o.Tolerance
	}
	return f
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
