package queueing

// A vector is seconds at each kind of centre, in the order of CentreKind.
type vector [4]float64

func (d Demand) vector() vector { return vector{d.CPU, d.Fibre, d.Disk, d.Network} }

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
