package adesign

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

const (
	iterations = 1000
	precise    = 1e-12 // gap, as a part of the objective, at which the search ends
	proven     = 1e-6  // greatest gap of an optimal design if rounding allows no better one
	patience   = 30    // iterations without a smaller gap after which it ends
	newtons    = 200   // most steps for the best mix of given corners
	halvings   = 40    // of the length of a step
	rounding   = 1e-16 // least relative decrease of the objective that a step is worth
	least      = 1e-15 // share below which a corner is dropped
)

// A search is a simplicial decomposition (B. von Hohenbalken, Mathematical Programming 13, 1977). A design is a mix of
// corners of the feasible set. When the best mix of them is found, by Newton's method, the corner that lowers the
// objective fastest is added: the solution of the linear program of the gap. The optimum has at most as many corners as
// M has entries, so the systems are small, whatever the number of candidates.
type search struct {
	m       *model
	corners []corner
}

type corner struct {
	share       float64 // of the mix; all shares sum to 1
	weights     []float64
	information *mat.SymDense
}

func (m *model) solve() (*Design, error) {
	s := &search{m: m}
	s.add(m.even(), 1)
	var best *Design
	for i := 1; i <= iterations; i++ {
		for n := 0; n < newtons && s.newton(); n++ {
		}
		weights := s.weights()
		at, ok := m.at(weights)
		if !ok {
			break
		}
		d, next := m.design(weights, at)
		if best == nil || d.Gap < best.Gap {
			best = d
			best.Iterations = i
		}
		if best.Gap <= precise*best.Objective || i >= best.Iterations+patience {
			break
		}
		s.add(next, 0)
		toward := make([]float64, len(s.corners))
		for j := range s.corners {
			toward[j] = -s.corners[j].share
		}
		toward[len(toward)-1] = 1
		s.move(toward, d.Objective, -d.Gap)
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

// even returns weights within the budget that all are above 0: half of them cost the same, half weigh the same.
func (m *model) even() []float64 {
	weights, total := make([]float64, len(m.costs)), floats.Sum(m.costs)
	for i, c := range m.costs {
		weights[i] = min(1, 0.5/(float64(len(weights))*c)+0.5/total)
	}
	return weights
}

func (s *search) add(weights []float64, share float64) {
	s.corners = append(s.corners, corner{share, weights, s.m.information(weights)})
}

func (s *search) weights() []float64 {
	sum := make([]float64, len(s.m.costs))
	for _, c := range s.corners {
		floats.AddScaled(sum, c.share, c.weights)
	}
	for i, w := range sum {
		sum[i] = min(1, w) // of rounding
	}
	return sum
}

// basis returns the basis of the mix with other shares.
func (s *search) basis(shares []float64) (t *mat.Dense, e []float64, ok bool) {
	sum := mat.NewSymDense(s.m.k, nil)
	for j, c := range s.corners {
		var part mat.SymDense
		part.ScaleSym(shares[j], c.information)
		sum.AddSym(sum, &part)
	}
	return s.m.basis(sum)
}

func (s *search) shares() []float64 {
	shares := make([]float64, len(s.corners))
	for j, c := range s.corners {
		shares[j] = c.share
	}
	return shares
}

// newton makes a step of Newton's method on the shares. It reports whether the objective is lower.
func (s *search) newton() bool {
	n, k := len(s.corners), s.m.k
	t, e, ok := s.basis(s.shares())
	if !ok {
		return false
	}
	// In the basis, a corner's information matrix is A: its gain is Σ eₚAₚₚ, and the Hessian's (i, j) is
	// Σ (eₚ+e_q) Aᵢₚ_q Aⱼₚ_q.
	gains, factors := mat.NewVecDense(n+1, nil), mat.NewDense(n, k*k, nil)
	for j, c := range s.corners {
		var half, a mat.Dense
		half.Mul(c.information, t)
		a.Mul(t.T(), &half)
		gain := 0.0
		for p := range k {
			gain += e[p] * a.At(p, p)
			for q := range k {
				factors.Set(j, p*k+q, math.Sqrt(max(0, e[p]+e[q]))*a.At(p, q))
			}
		}
		gains.SetVec(j, gain)
	}
	var hessian mat.SymDense
	hessian.SymOuterK(1, factors)
	largest := 0.0
	for j := range n {
		largest = max(largest, hessian.At(j, j))
	}
	system := mat.NewDense(n+1, n+1, nil) // the shares' sum stays 1
	for i := range n {
		for j := range n {
			system.Set(i, j, hessian.At(i, j))
		}
		system.Set(i, i, hessian.At(i, i)+1e-13*largest) // corners may be combinations of each other
		system.Set(i, n, largest)
		system.Set(n, i, largest)
	}
	var solved mat.VecDense
	// A condition error comes with a solution, which the line search checks.
	if err := solved.SolveVec(system, gains); err != nil && solved.Len() == 0 {
		return false
	}
	return s.move(solved.RawVector().Data[:n], floats.Sum(e), -mat.Dot(&solved, gains))
}

// move changes the shares along a direction in which the objective has a slope, as far as it falls and no share is
// negative. It drops corners without a share, and reports whether the objective is lower.
func (s *search) move(direction []float64, objective, slope float64) bool {
	if !(slope < -rounding*objective) {
		return false
	}
	length, shares := 1.0, s.shares()
	for j, d := range direction {
		if d < 0 {
			length = min(length, -shares[j]/d)
		}
	}
	for range halvings {
		next := slices.Clone(shares)
		floats.AddScaled(next, length, direction)
		for j, share := range next {
			if share < least {
				next[j] = 0
			}
		}
		_, e, ok := s.basis(next)
		if after := floats.Sum(e); ok && after < objective && after <= objective+1e-4*length*slope {
			for j := range s.corners {
				s.corners[j].share = next[j]
			}
			s.corners = slices.DeleteFunc(s.corners, func(c corner) bool { return c.share == 0 })
			return true
		}
		length /= 2
	}
	return false
}
