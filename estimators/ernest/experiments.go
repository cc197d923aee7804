package ernest

import (
	"cmp"
	"math"
	"slices"

	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// experiments are possible training runs. One with features a and weight λ adds λaaᵀ to the information matrix M of the
// design. The A-optimal design minimizes tr(M⁻¹), the sum of the coefficients' variances for errors of variance 1, over
// 0 <= λ <= 1 within the budget (§3.3; S. Boyd and L. Vandenberghe, "Convex Optimization", 7.5.2). gonum has no solver
// for it: its optimize has constraints in linear programs alone.
type experiments struct {
	features [][]float64 // divided by their means over the candidates
	costs    []float64   // of weight 1, as parts of the budget
}

// weighting is a design: the weight of each experiment, from 0 to 1.
type weighting struct {
	weights   []float64
	objective float64 // tr(M⁻¹)
	// gap is a proven bound on the distance of objective to the least possible one (facts/ernest.md a.3). With
	// g = -∇objective, which is convex, no feasible x gives less than objective - g·(x-λ). gap is the maximum of
	// g·(x-λ), from the exact solution of the linear program.
	gap float64
}

const (
	maxIterations = 1000  // corners, and steps for the best mix of given corners
	precise       = 1e-12 // gap, as a part of the objective, at which the search ends
	// patience is the number of iterations without a smaller gap after which the search ends, and of halvings of a
	// step.
	patience = 30
	// accuracy is that of a result if rounding allows no better one: the gap of an optimal design as a part of the
	// objective, the weights of a design, and distances from a span as a part of a point's length.
	accuracy = 1e-6
)

// A mix is a design: the weighted mean of some corners of the set of all designs within the budget. The search has two
// steps that it repeats. Newton's method finds the best shares of the present corners. Then a linear program finds the
// corner that lowers the objective fastest, and the mix gets it. This is simplicial decomposition (B. von Hohenbalken,
// Mathematical Programming 13, 1977). It needs at most as many corners as the information matrix has entries, so its
// equations are few however many candidates there are.
type mix struct {
	e       *experiments
	corners []corner
}

type corner struct {
	share       float64 // of the mix; all shares sum to 1
	weights     []float64
	information *mat.SymDense
}

// solve returns the A-optimal design of experiments that determine all features.
func (e *experiments) solve() (*weighting, error) {
	m := &mix{e: e}
	m.add(e.even(), 1)
	var best *weighting
	for since := 0; since < patience; since++ {
		for n := 0; n < maxIterations && m.newton(); n++ {
		}
		d, next, ok := e.evaluate(m.weights())
		if !ok {
			break
		}
		if best == nil || d.gap < best.gap {
			best, since = d, 0
		}
		if best.gap <= precise*best.objective || len(m.corners) > maxIterations {
			break
		}
		m.add(next, 0)
		toward := make([]float64, len(m.corners))
		for j, c := range m.corners {
			toward[j] = -c.share
		}
		toward[len(toward)-1] = 1
		m.move(toward, d.objective, -d.gap)
	}
	if best == nil || !(best.gap <= accuracy*best.objective) {
		return nil, bad("", "no optimal one was found: look at fewer sizes, or narrow the machines")
	}
	return best, nil
}

// even returns weights above 0. Half of the budget gives each experiment the same cost, the other half the same weight.
func (e *experiments) even() []float64 {
	weights, total := make([]float64, len(e.costs)), floats.Sum(e.costs)
	for i, c := range e.costs {
		weights[i] = min(1, 0.5/(float64(len(weights))*c)+0.5/total)
	}
	return weights
}

// span returns the span of the features of experiments with weight, all if weights are nil.
func (e *experiments) span(weights []float64) *rowSpan {
	a := mat.NewDense(len(e.features), len(e.features[0]), nil)
	for i, f := range e.features {
		if weights == nil || weights[i] > 0 {
			a.SetRow(i, f)
		}
	}
	return spanOf(a)
}

// evaluate returns the design of some weights, and the corner of its gap; false if M is singular to a float64.
func (e *experiments) evaluate(weights []float64) (d *weighting, corner []float64, ok bool) {
	inverse, ok := inverted(e.information(weights))
	if !ok {
		return nil, nil, false
	}
	d = &weighting{weights: weights, objective: mat.Trace(inverse)}
	gain := make([]float64, len(weights))
	for i, a := range e.features {
		for p := range a {
			gain[i] += math.Pow(floats.Dot(inverse.RawRowView(p), a), 2)
		}
	}
	corner = e.corner(gain)
	for i, g := range gain {
		d.gap += g * (corner[i] - weights[i])
	}
	return d, corner, true
}

// information returns Σ weight·aaᵀ.
func (e *experiments) information(weights []float64) *mat.SymDense {
	k := len(e.features[0])
	sum := mat.NewSymDense(k, nil)
	for i, w := range weights {
		if w > 0 {
			sum.SymRankOne(sum, w, mat.NewVecDense(k, e.features[i]))
		}
	}
	return sum
}

// inverted returns the inverse of an information matrix; false if it is singular to a float64.
func inverted(information *mat.SymDense) (*mat.Dense, bool) {
	var factors mat.Cholesky
	var inverse mat.SymDense
	if !factors.Factorize(information) || factors.InverseTo(&inverse) != nil && inverse.IsEmpty() {
		return nil, false
	}
	trace := mat.Trace(&inverse)
	return mat.DenseCopyOf(&inverse), finite(trace) && trace > 0
}

// corner solves the linear program max gain·x over the feasible x: a fractional knapsack, filled by gain per cost.
func (e *experiments) corner(gain []float64) []float64 {
	order := taskcost.Order(len(gain), func(i, j int) int {
		return cmp.Compare(gain[j]*e.costs[i], gain[i]*e.costs[j])
	})
	x, left := make([]float64, len(gain)), 1.0
	for _, i := range order {
		x[i] = min(1, left/e.costs[i])
		left -= x[i] * e.costs[i]
		if x[i] < 1 {
			break
		}
	}
	return x
}

func (m *mix) add(weights []float64, share float64) {
	m.corners = append(m.corners, corner{share, weights, m.e.information(weights)})
}

func (m *mix) weights() []float64 {
	sum := make([]float64, len(m.e.costs))
	for _, c := range m.corners {
		floats.AddScaled(sum, c.share, c.weights)
	}
	for i, w := range sum {
		sum[i] = min(1, w) // of rounding
	}
	return sum
}

// inverse returns the inverse of the information matrix of the mix with other shares.
func (m *mix) inverse(share func(int) float64) (*mat.Dense, bool) {
	sum := mat.NewSymDense(len(m.e.features[0]), nil)
	for j, c := range m.corners {
		var part mat.SymDense
		part.ScaleSym(share(j), c.information)
		sum.AddSym(sum, &part)
	}
	return inverted(sum)
}

// newton makes a step of Newton's method on the shares. It reports whether the objective is lower. With S = M⁻¹ and a
// corner's information matrix A, its gain is tr(SAS), and the Hessian's (i, j) is 2 tr(SAᵢSAⱼS).
func (m *mix) newton() bool {
	n, k := len(m.corners), len(m.e.features[0])
	inverse, ok := m.inverse(func(j int) float64 { return m.corners[j].share })
	if !ok {
		return false
	}
	gains := mat.NewVecDense(n+1, nil)
	left, right := mat.NewDense(n, k*k, nil), mat.NewDense(n, k*k, nil)
	for j, c := range m.corners {
		var half, both mat.Dense
		half.Mul(inverse, c.information)
		both.Mul(&half, inverse)
		gains.SetVec(j, mat.Trace(&both))
		left.SetRow(j, half.RawMatrix().Data)
		right.SetRow(j, mat.DenseCopyOf(both.T()).RawMatrix().Data)
	}
	var hessian mat.Dense
	hessian.Mul(left, right.T())
	hessian.Scale(2, &hessian)
	largest := 0.0
	for j := range n {
		largest = max(largest, hessian.At(j, j))
	}
	system := mat.NewDense(n+1, n+1, nil) // the shares' sum stays 1
	for i := range n {
		for j := range n {
			system.Set(i, j, (hessian.At(i, j)+hessian.At(j, i))/2)
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
	return m.move(solved.RawVector().Data[:n], mat.Trace(inverse), -mat.Dot(&solved, gains))
}

// move changes the shares along a direction in which the objective has a slope, as far as it falls and no share is
// negative. It drops corners without a share, and reports whether the objective is lower.
func (m *mix) move(direction []float64, objective, slope float64) bool {
	if !(slope < -machineEpsilon*objective) {
		return false
	}
	length := 1.0
	for j, d := range direction {
		if d < 0 {
			length = min(length, -m.corners[j].share/d)
		}
	}
	for range patience {
		next := func(j int) float64 {
			if share := m.corners[j].share + length*direction[j]; share >= machineEpsilon {
				return share
			}
			return 0
		}
		inverse, ok := m.inverse(next)
		if ok {
			after := mat.Trace(inverse)
			if after < objective && after <= objective+1e-4*length*slope {
				for j := range m.corners {
					m.corners[j].share = next(j)
				}
				m.corners = slices.DeleteFunc(m.corners, func(c corner) bool { return c.share == 0 })
				return true
			}
		}
		length /= 2
	}
	return false
}
