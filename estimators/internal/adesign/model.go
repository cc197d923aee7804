package adesign

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A model is a problem with features scaled to at most 1: then tr(M⁻¹) is Σ root²·(M⁻¹)ᵢᵢ.
type model struct {
	k      int
	a      *mat.Dense // candidates x k
	root   []float64
	costs  []float64 // as parts of the budget
	budget float64
}

// newModel checks the rank of the candidates with weight, of all if weights are nil.
func newModel(p *Problem, weights []float64) (*model, error) {
	n, k := len(p.Features), len(p.Features[0])
	m := &model{k: k, a: mat.NewDense(n, k, nil), root: make([]float64, k), costs: make([]float64, n), budget: p.Budget}
	for j := range k {
		largest := 0.0
		for _, row := range p.Features {
			largest = max(largest, math.Abs(row[j]))
		}
		if largest == 0 {
			largest = 1 // singular, which is reported below
		}
		if m.root[j] = 1 / largest; !positive(m.root[j] * m.root[j]) {
			return nil, fmt.Errorf("feature %d is %.3g at most: give it in another unit", j+1, largest)
		}
		for i, row := range p.Features {
			m.a.Set(i, j, row[j]/largest)
		}
	}
	for i, c := range p.Costs {
		if m.costs[i] = c / p.Budget; !positive(m.costs[i]) {
			return nil, fmt.Errorf("candidate %d: a cost of %v with a budget of %v: give both in the same unit", i+1, c,
				p.Budget)
		}
	}
	return m, m.singular(weights)
}

// dependent is the least singular value, relative to the largest, of distinguishable features.
const dependent = 1e-10

// singular returns an error that names the features that candidates with weight (all, if weights are nil) cannot
// distinguish.
func (m *model) singular(weights []float64) error {
	n, _ := m.a.Dims()
	rows := mat.NewDense(max(n, m.k), m.k, nil)
	for i := range n {
		if weights == nil || weights[i] > 0 {
			rows.SetRow(i, m.a.RawRowView(i))
		}
	}
	var qr mat.QR
	qr.Factorize(rows)
	var r, v mat.Dense
	qr.RTo(&r)
	var svd mat.SVD
	e := &SingularError{Features: m.k}
	if !svd.Factorize(r.Slice(0, m.k, 0, m.k), mat.SVDFull) {
		return e
	}
	svd.VTo(&v)
	values := svd.Values(nil)
	for _, s := range values {
		if s > dependent*values[0] {
			e.Rank++
		}
	}
	if e.Rank == m.k {
		return nil
	}
	for j := range m.k {
		if floats.Norm(v.RawRowView(j)[e.Rank:], 2) > 1e-6 {
			e.Dependent = append(e.Dependent, j)
		}
	}
	return e
}

// A point is the objective and its derivatives at some weights. In the basis T with M⁻¹ = TTᵀ and
// M⁻¹FM⁻¹ = TETᵀ, where F are the squares of the model's roots and E is diagonal, all derivatives are sums: with
// α = Tᵀa,
//
//	objective = Σ e    gradient = -Σ e α²    Hessian(i, j) = 2 (Σ αᵢ αⱼ) (Σ e αᵢ αⱼ)
type point struct {
	objective float64
	alpha     mat.Dense // candidates x k
	e         []float64
	gain      []float64 // minus the gradient
}

// at returns the point at some weights, and false if the information matrix is singular to a float64.
func (m *model) at(weights []float64) (*point, bool) {
	var information mat.Dense
	information.Mul(m.a.T(), scaled(m.a, weights))
	var chol mat.Cholesky
	if !chol.Factorize(mat.NewSymDense(m.k, information.RawMatrix().Data)) {
		return nil, false
	}
	// M = UᵀU, so that L = U⁻¹ has M⁻¹ = LLᵀ. With √F L = XSYᵀ, T is LY and E is S².
	var u, l mat.TriDense
	chol.UTo(&u)
	if err := l.InverseTri(&u); err != nil {
		return nil, false
	}
	var svd mat.SVD
	if !svd.Factorize(scaled(mat.DenseCopyOf(&l), m.root), mat.SVDThinV) {
		return nil, false
	}
	var y, t mat.Dense
	svd.VTo(&y)
	t.Mul(&l, &y)
	at := &point{e: svd.Values(nil), gain: make([]float64, len(weights))}
	floats.Mul(at.e, at.e)
	at.objective = floats.Sum(at.e)
	at.alpha.Mul(m.a, &t)
	for i := range at.gain {
		for q, x := range at.alpha.RawRowView(i) {
			at.gain[i] += at.e[q] * x * x
		}
	}
	return at, positive(at.objective)
}

// scaled returns the matrix with its rows multiplied by factors.
func scaled(a *mat.Dense, factors []float64) *mat.Dense {
	product := mat.DenseCopyOf(a)
	for i, f := range factors {
		floats.Scale(f, product.RawRowView(i))
	}
	return product
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
	value, price := m.bound(at.gain)
	return &Design{
		Weights: weights, Objective: at.objective, Cost: floats.Dot(weights, m.costs) * m.budget,
		Gap: value - floats.Dot(at.gain, weights), Price: price / m.budget,
	}
}
