package adesign

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A model is a problem with features scaled to at most 1: then tr(M⁻¹) is Σ factor·(M⁻¹)ᵢᵢ.
type model struct {
	k      int
	a      []float64 // candidates x k
	factor []float64
	costs  []float64 // as parts of the budget
	budget float64
}

// newModel checks the rank of the candidates with weight, of all if weights are nil.
func newModel(p *Problem, weights []float64) (*model, error) {
	n, k := len(p.Features), len(p.Features[0])
	m := &model{
		k: k, a: make([]float64, n*k), factor: make([]float64, k), costs: make([]float64, n),
		budget: p.Budget,
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
//	objective = Σ e    gradient = -Σ e α²
type point struct {
	objective float64
	gain      []float64 // minus the gradient
}

// information returns Σ weight·aaᵀ.
func (m *model) information(weights []float64) *mat.SymDense {
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
	return mat.NewSymDense(m.k, sum) // only its upper triangle is read
}

// basis returns T and the diagonal of E for an information matrix M, and false if M is singular to a float64.
func (m *model) basis(information *mat.SymDense) (t *mat.Dense, e []float64, ok bool) {
	var chol mat.Cholesky
	if !chol.Factorize(information) {
		return nil, nil, false
	}
	// M = UᵀU, so that L = U⁻¹ has M⁻¹ = LLᵀ.
	var u, l mat.TriDense
	chol.UTo(&u)
	if err := l.InverseTri(&u); err != nil {
		return nil, nil, false
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
		return nil, nil, false
	}
	var v mat.Dense
	eigen.VectorsTo(&v)
	t = new(mat.Dense)
	t.Mul(&l, &v)
	e = eigen.Values(nil)
	sum := floats.Sum(e)
	return t, e, !math.IsNaN(sum) && !math.IsInf(sum, 0)
}

// at returns the point at some weights, and false if their information matrix is singular to a float64.
func (m *model) at(weights []float64) (*point, bool) {
	t, e, ok := m.basis(m.information(weights))
	if !ok {
		return nil, false
	}
	at := &point{objective: floats.Sum(e), gain: make([]float64, len(weights))}
	basis, alpha := t.RawMatrix().Data, make([]float64, m.k)
	for i := range weights {
		clear(alpha)
		for p, x := range m.row(i) {
			for q := range alpha {
				alpha[q] += x * basis[p*m.k+q]
			}
		}
		for q, x := range alpha {
			at.gain[i] += e[q] * x * x
		}
	}
	return at, true
}

// corner solves the linear program max gain·x over the feasible x: a fractional knapsack, filled by gain per cost
// (docs/facts/ernest.md a.3). price is the gain of one more budget.
func (m *model) corner(gain []float64) (x []float64, price float64) {
	order := make([]int, len(gain))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		return cmp.Or(cmp.Compare(gain[j]*m.costs[i], gain[i]*m.costs[j]), cmp.Compare(i, j))
	})
	x = make([]float64, len(gain))
	left := 1.0
	for _, i := range order {
		if m.costs[i] >= left {
			x[i] = left / m.costs[i]
			return x, gain[i] / m.costs[i]
		}
		x[i] = 1
		left -= m.costs[i]
	}
	return x, 0
}

// design returns the design with some weights, and the corner of its gap.
func (m *model) design(weights []float64, at *point) (d *Design, corner []float64) {
	corner, price := m.corner(at.gain)
	gap := 0.0
	for i, gain := range at.gain {
		gap += gain * (corner[i] - weights[i])
	}
	return &Design{
		Weights: weights, Objective: at.objective, Cost: floats.Dot(weights, m.costs) * m.budget, Gap: gap,
		Price: price / m.budget,
	}, corner
}
