package adesign

import "math"

// A direction is a change of a search's variables.
type direction struct {
	x, z, w      []float64
	slack, price float64
}

func (s *search) complementarity() float64 {
	sum := s.price * s.slack
	for i := range s.x {
		sum += s.z[i]*s.x[i] + s.w[i]*s.room[i]
	}
	return sum
}

// ahead returns the complementarity after a step.
func (s *search) ahead(d *direction, length float64) float64 {
	sum := (s.price + length*d.price) * (s.slack + length*d.slack)
	for i, dx := range d.x {
		sum += (s.z[i]+length*d.z[i])*(s.x[i]+length*dx) + (s.w[i]+length*d.w[i])*(s.room[i]-length*dx)
	}
	return sum
}

// direct solves the Newton system toward complementarity mu, minus the products of a first direction's changes.
func (s *search) direct(f *system, mu float64, first *direction) (*direction, bool) {
	n := len(s.x)
	d := &direction{z: make([]float64, n), w: make([]float64, n)}
	budget := mu - first.slack*first.price
	right := make([]float64, n)
	for i := range n {
		d.z[i], d.w[i] = mu-first.x[i]*first.z[i], mu+first.x[i]*first.w[i]
		right[i] = s.at.gain[i] + d.z[i]/s.x[i] - d.w[i]/s.room[i] - budget/s.slack*s.m.costs[i]
	}
	var ok bool
	if d.x, ok = f.solve(right); !ok {
		return nil, false
	}
	for i, dx := range d.x {
		d.slack -= s.m.costs[i] * dx
		d.z[i] = (d.z[i]-s.z[i]*dx)/s.x[i] - s.z[i]
		d.w[i] = (d.w[i]+s.w[i]*dx)/s.room[i] - s.w[i]
	}
	d.price = (budget-s.price*d.slack)/s.slack - s.price
	return d, true
}

// longest returns the longest step, at most 1, after which everything stays positive.
func (s *search) longest(d *direction) float64 {
	length := limit(limit(1, s.price, d.price), s.slack, d.slack)
	for i, dx := range d.x {
		length = limit(limit(length, s.z[i], d.z[i]), s.w[i], d.w[i])
		length = limit(limit(length, s.x[i], dx), s.room[i], -dx)
	}
	return length
}

func limit(longest, v, d float64) float64 {
	if d < 0 {
		return min(longest, -v/d)
	}
	return longest
}

// moved returns the search after a step, without its point.
func (s *search) moved(d *direction, length float64) *search {
	add := func(v []float64, f float64, d []float64) []float64 {
		next := make([]float64, len(v))
		for i := range v {
			next[i] = v[i] + f*d[i]
		}
		return next
	}
	return &search{
		m: s.m, x: add(s.x, length, d.x), room: add(s.room, -length, d.x), z: add(s.z, length, d.z),
		w:     add(s.w, length, d.w),
		slack: s.slack + length*d.slack, price: s.price + length*d.price,
	}
}

// residual returns the norm of the violation of the optimality conditions with complementarity mu, in units of the
// objective.
func (s *search) residual(mu float64) float64 {
	c := s.price*s.slack - mu
	sum := c * c
	for i, x := range s.x {
		dual := (-s.at.gain[i] - s.z[i] + s.w[i] + s.price*s.m.costs[i]) * s.m.most[i]
		low, high := s.z[i]*x-mu, s.w[i]*s.room[i]-mu
		sum += dual*dual + low*low + high*high
	}
	return math.Sqrt(sum)
}
