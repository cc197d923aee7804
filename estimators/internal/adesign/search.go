package adesign

import (
	"math"
)

const (
	iterations = 300
	least      = 1e-6  // part of the complementarity that a step aims at, at least
	precise    = 1e-12 // gap, as a part of the objective, at which the search ends
	proven     = 1e-6  // gap up to which a design is called optimal where rounding allows no better
	enough     = 1e-9  // gap, as a part of the objective, with which it ends after patience steps that gained nothing
	patience   = 5
	near       = 1e-4 // complementarity, as a part of the objective, from which on a design is read off
	bound      = 1e-2 // how near a bound a weight is that may be put there
	halvings   = 50
)

// A search is the primal-dual interior point method (Boyd and Vandenberghe, 11.7). The Newton system of n candidates is
// diagonal but for a rank of k(k+1)/2+1, so that a step costs n times that rank squared (Woodbury).
type search struct {
	m       *model
	x, room []float64 // weights, and 1 - weights, which is kept by itself: near 1 the difference has no digits
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
		// Half of the budget: a part of it that is the same for each, and a weight that is the same for each.
		s.x[i] = min(0.5, 0.25/(float64(n)*c)+0.25/total)
		s.room[i] = 1 - s.x[i]
		s.slack -= c * s.x[i]
	}
	return s
}

// start finds the multipliers that make the Lagrangian stationary: only complementarity is left to be gained.
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

// rounded puts weights whose multipliers say that they are at a bound there, and gives the others what that leaves. It
// is nil where that is no design.
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

// step makes one step of predictor and corrector (S. Mehrotra, SIAM Journal on Optimization 2, 1992): how far the aim
// at complementarity 0 would come decides at what it aims. It is false where no length of step lowers the residual.
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
