package mva

import (
	"math"
	"slices"
)

// wait returns the factor by which a center lengthens the demand of a customer who finds a state there.
func (e *exact) wait(mask, found, k int) float64 {
	s := e.servers[k]
	queue := e.queue[found*len(e.n.Centres)+k]
	switch s {
	case 0:
		return 1
	case 1:
		return 1 + queue
	}
	m := slices.Index(e.multi, k)
	if m < 0 || mask>>m&1 == 1 {
		return 0 // no class has demand there, or it is left out
	}
	sum := 1 + queue
	for j, p := range e.idle[m][found*(s-1) : (found+1)*(s-1)] {
		sum += float64(s-1-j) * p
	}
	return sum / float64(s)
}

// likely computes the distribution at each center of several servers, from the states with one customer less.
func (e *exact) likely(mask, state int, x []float64, here []int) {
	for m, k := range e.multi {
		if mask>>m&1 == 1 {
			continue
		}
		width := e.servers[k] - 1
		p := e.idle[m][state*width : (state+1)*width]
		without := e.x[mask|1<<m][state*len(e.classes):]
		for i, c := range e.classes {
			if here[i] == 0 {
				continue
			}
			before := e.idle[m][(state-e.stride[i])*width:]
			if math.IsInf(x[i], 1) {
				p[0] = before[0] // it has demands only at left out centers: it delays no other class
				continue
			}
			if p[0] == 0 {
				p[0] = before[0] * (x[i] / without[i])
			}
			for j := 1; j < width; j++ {
				p[j] += e.n.Demand[c][k] * x[i] * before[j-1] / float64(j)
			}
		}
	}
}
