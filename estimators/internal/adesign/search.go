package adesign

import (
	"math"
)

const (
	iterations = 300
	least      = 1e-6  // least target of a step, as a part of the complementarity
	precise    = 1e-12 // gap, as a part of the objective, at which the search ends
	proven     = 1e-6  // greatest gap of an optimal design if rounding allows no better one
	enough     = 1e-9  // gap, as a part of the objective, at which it ends after patience steps without gain
	patience   = 5
	near       = 1e-4 // complementarity, as a part of the objective, below which rounded designs are tried
	bound      = 1e-2 // greatest distance to a bound of a weight that may be rounded to it
	halvings   = 50
)

// A search is the primal-dual interior point method (Boyd and Vandenberghe, 11.7). The Newton system of n
// candidates is diagonal plus a matrix of rank k(k+1)/2+1, so a step costs n times that rank squared (Woodbury).
type search struct {
	m       *model
	x, room []float64 // weights, and 1 - weights, which is stored separately: near 1 the difference has no digits
	z, w    []float64 // multipliers of x >= 0 and of x <= 1
	slack   float64   // of the budget, which is 1
	price   float64   // its multiplier
	at      *point
}

func newSearch(m *model) *search {
	n := len(m.costs)
	s := &search{
		m: m, x: make([]float64, n), room: make([]float64, n), z: make([]float64, n), w: make([]float64, n),
		slack: 1,
	}
	total := 0.0
	for _, c := range m.costs {
		total += c
	}
	for i, c := range m.costs {
		// Half of the budget: an equal part of it for each candidate, and an equal weight for each.
		s.x[i] = min(0.5, 0.25/(float64(n)*c)+0.25/total)
		s.room[i] = 1 - s.x[i]
		s.slack -= c * s.x[i]
	}
	return s
}

// start finds multipliers that make the Lagrangian stationary: then only complementarity is missing.
func (s *search) start() bool {
	var ok bool
	if s.at, ok = s.m.at(s.x); !ok {
		return false
	}
	_, s.price = s.m.bound(s.at.gain)
	mean := s.at.objective / float64(len(s.x))
	s.price = max(s.price, mean)
	for i, gain := range s.at.gain {
		net := gain - s.price*s.m.costs[i]
		s.z[i], s.w[i] = max(0, -net)+mean, max(0, net)+mean
	}
	return true
}

func (s *search) run() (*Design, error) {
	if !s.start() {
		return nil, &ConvergenceError{Objective: math.NaN(), Gap: math.NaN()}
	}
	var best *Design
	for i := 1; i <= iterations; i++ {
		if s.complementarity() <= near*s.at.objective {
			if d := s.rounded(); d != nil && (best == nil || d.Gap < best.Gap) {
				best = d
				best.Iterations = i
			}
		}
		if best != nil && (best.Gap <= precise*best.Objective || best.Gap <= enough*best.Objective &&
			i >= best.Iterations+patience) || !s.step() {
			break
		}
	}
	if best == nil || !(best.Gap <= proven*best.Objective) {
		e := &ConvergenceError{Iterations: iterations, Objective: math.NaN(), Gap: math.NaN()}
		if best != nil {
			e.Objective, e.Gap = best.Objective, best.Gap
		}
		return nil, e
	}
	return best, nil
}

// rounded moves weights to a bound if their multipliers indicate it, and scales the others to the rest of the
// budget. It returns nil if the result is no design.
func (s *search) rounded() *Design {
	x := make([]float64, len(s.x))
	spent, free := 0.0, 0.0
	for i, v := range s.x {
		most, value := s.m.most[i], s.at.gain[i]+s.price*s.m.costs[i]
		switch {
		case v < bound*most && v/most < s.z[i]/value:
		case s.room[i] < bound && s.room[i] < s.w[i]/value:
			x[i] = 1
			spent += s.m.costs[i]
		default:
			x[i] = v
			free += v * s.m.costs[i]
		}
	}
	if spent > 1 {
		return nil
	}
	if f := (1 - spent) / free; free > 0 && f < 1+bound {
		for i, v := range x {
			if v < 1 {
				x[i] = min(1, v*f)
			}
		}
	}
	at, ok := s.m.at(x)
	if !ok {
		return nil
	}
	return s.m.design(x, at)
}

// step makes one step of predictor and corrector (S. Mehrotra, SIAM Journal on Optimization 2, 1992): the progress
// of the predictor, toward complementarity 0, decides the target. It returns false if no length of step lowers the
// residual.
func (s *search) step() bool {
	n := len(s.x)
	mu := s.complementarity() / float64(2*n+1)
	f, ok := s.factorise()
	if !ok {
		return false
	}
	affine, ok := s.direct(f, 0, &direction{x: make([]float64, n), z: make([]float64, n), w: make([]float64, n)})
	if !ok {
		return false
	}
	left := s.ahead(affine, s.longest(affine)) / float64(2*n+1) / mu
	mu *= max(least, left*left*left)
	d, ok := s.direct(f, mu, affine)
	if !ok {
		return false
	}
	length := min(1, 0.99*s.longest(d))
	before := s.residual(mu)
	for range halvings {
		next := s.moved(d, length)
		if next.at, ok = s.m.at(next.x); ok && next.residual(mu) <= (1-0.01*length)*before {
			*s = *next
			return true
		}
		length /= 2
	}
	return false
}
