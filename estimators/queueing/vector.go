package queueing

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
