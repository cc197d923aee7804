package adesign

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// A model is a problem with features scaled to at most 1: then tr(M⁻¹) is Σ factor·(M⁻¹)ᵢᵢ.
type model struct {
	k      int
	a      []float64 // candidates x k
	factor []float64
	costs  []float64 // as parts of the budget
	most   []float64 // weights that the budget allows
	budget float64
}

// newModel checks the rank of the candidates with weight, of all if weights are nil.
func newModel(p *Problem, weights []float64) (*model, error) {
	n, k := len(p.Features), len(p.Features[0])
	m := &model{
		k: k, a: make([]float64, n*k), factor: make([]float64, k), costs: make([]float64, n),
		most: make([]float64, n), budget: p.Budget,
	}
	for j := range k {
		largest := 0.0
		for _, row := range p.Features {
			largest = max(largest, math.Abs(row[j]))
		}
		if largest == 0 {
			largest = 1 // singular, which is reported below
		}
		m.factor[j] = 1 / (largest * largest)
		if !positive(m.factor[j]) {
			return nil, fault(-1, "feature %d is %.3g at most: give it in another unit", j+1, largest)
		}
		for i, row := range p.Features {
			m.a[i*k+j] = row[j] / largest
		}
	}
	for i, c := range p.Costs {
		if m.costs[i] = c / p.Budget; !positive(m.costs[i]) {
			return nil, fault(i, "a cost of %v with a budget of %v: give both in the same unit", c, p.Budget)
		}
		m.most[i] = min(1, 1/m.costs[i])
	}
	if err := m.singular(weights); err != nil {
		return nil, err
	}
	return m, nil
}

func (m *model) row(i int) []float64 { return m.a[i*m.k : (i+1)*m.k] }

// A point is the objective and its derivatives at some weights. In the basis T with M⁻¹ = TTᵀ and
// M⁻¹FM⁻¹ = TETᵀ, where F are the factors and E is diagonal, all derivatives are sums: with α = Tᵀa,
//
//	objective = Σ e    gradient = -Σ e α²    Hessian(i, j) = 2 (Σ αᵢ αⱼ) (Σ e αᵢ αⱼ)
type point struct {
	objective float64
	alpha     []float64 // candidates x k
	e         []float64
	gain      []float64 // minus the gradient
}

// at returns the point at some weights, and false if the information matrix is singular to a float64.
func (m *model) at(weights []float64) (*point, bool) {
	sum := make([]float64, m.k*m.k)
	for i, w := range weights {
		if w == 0 {
			continue
		}
		row := m.row(i)
		for p, v := range row {
			to := sum[p*m.k : (p+1)*m.k]
			for q := p; q < m.k; q++ {
				to[q] += w * v * row[q]
			}
		}
	}
	information := mat.NewSymDense(m.k, sum) // only its upper triangle is read
	var chol mat.Cholesky
	if !chol.Factorize(information) {
		return nil, false
	}
	// M = UᵀU, so that L = U⁻¹ has M⁻¹ = LLᵀ.
	var u mat.TriDense
	chol.UTo(&u)
	var l mat.TriDense
	if err := l.InverseTri(&u); err != nil {
		return nil, false
	}
	scaled := mat.NewSymDense(m.k, nil)
	for p := range m.k {
		for q := p; q < m.k; q++ {
			sum := 0.0
			for r := range m.k {
				sum += l.At(r, p) * m.factor[r] * l.At(r, q)
			}
			scaled.SetSym(p, q, sum)
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(scaled, true) {
		return nil, false
	}
	var v, t mat.Dense
	eigen.VectorsTo(&v)
	t.Mul(&l, &v)
	n := len(weights)
	at := &point{alpha: make([]float64, n*m.k), e: eigen.Values(nil), gain: make([]float64, n)}
	for _, e := range at.e {
		at.objective += e
	}
	basis := t.RawMatrix().Data
	for i := range n {
		alpha := at.alpha[i*m.k : (i+1)*m.k]
		for p, x := range m.row(i) {
			for q := range alpha {
				alpha[q] += x * basis[p*m.k+q]
			}
		}
		for q, x := range alpha {
			at.gain[i] += at.e[q] * x * x
		}
	}
	return at, !math.IsNaN(at.objective) && !math.IsInf(at.objective, 0)
}

// bound solves the linear program max gain·x over the feasible x: a fractional knapsack, filled by gain per cost
// (docs/facts/ernest.md a.3).
func (m *model) bound(gain []float64) (value, price float64) {
	order := make([]int, len(gain))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		return cmp.Or(cmp.Compare(gain[j]*m.costs[i], gain[i]*m.costs[j]), cmp.Compare(i, j))
	})
	left := 1.0
	for _, i := range order {
		if m.costs[i] >= left {
			price = gain[i] / m.costs[i]
			return value + left*price, price
		}
		value += gain[i]
		left -= m.costs[i]
	}
	return value, 0
}

func (m *model) design(weights []float64, at *point) *Design {
	d := &Design{Weights: weights, Objective: at.objective}
	for i, w := range weights {
		d.Cost += w * m.costs[i]
		d.Gap -= at.gain[i] * w
	}
	value, price := m.bound(at.gain)
	d.Gap += value
	d.Cost *= m.budget
	d.Price = price / m.budget
	return d
}
