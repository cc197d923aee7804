package queueing

import "math"

// evaluate sets the Mean and Variance of a tree from those of its leaves as Liang and Tripathi do, operator by
// operator. Each part is approximated by an Erlang or hyper-exponential distribution with its mean and, nearly, its
// variance. A P_A is binary: it joins pairs, and pairs of these, with maps and reduces separate.
func (t *Tree) evaluate() {
	if t == nil || t.Op == Leaf {
		return
	}
	var maps, others []run
	var sum moments
	for _, part := range t.Parts {
		part.evaluate()
		m := moments{float64(part.Mean), part.Variance}
		sum = sum.plus(m.times(float64(part.Count)))
		if part.Op == Leaf && *part.Kind == Map {
			maps = append(maps, run{m, part.Count})
		} else {
			others = append(others, run{m, part.Count})
		}
	}
	if t.Op == ParallelAnd {
		sum = joined([]run{{joined(maps), min(1, len(maps))}, {joined(others), min(1, len(others))}})
	}
	t.set(sum)
}

// A run is a number of equal parallel durations.
type run struct {
	moments
	count int
}

// joined joins neighbours in pairs until one is left. Pairs within a run are equal, so a run costs the logarithm of
// its length.
func joined(runs []run) moments {
	for {
		var next []run
		var odd *moments // the last of the runs before, without a partner
		for _, r := range runs {
			if odd != nil && r.count > 0 {
				next = append(next, run{later(*odd, r.moments), 1})
				odd = nil
				r.count--
			}
			if r.count >= 2 {
				next = append(next, run{later(r.moments, r.moments), r.count / 2})
			}
			if r.count%2 == 1 {
				odd = &r.moments
			}
		}
		if odd != nil {
			next = append(next, run{*odd, 1})
		}
		if len(next) == 0 {
			return moments{}
		}
		if len(next) == 1 && next[0].count == 1 {
			return next[0].moments
		}
		runs = next
	}
}

// later returns the moments of the later of two durations; NaN if one is unknown.
func later(a, b moments) moments {
	if a.mean > b.mean {
		a, b = b, a
	}
	if a.mean <= 1e-6*b.mean || a.mean <= negligible {
		return b
	}
	if x := a.mean + a.variance + b.mean + b.variance; math.IsNaN(x) || math.IsInf(x, 0) {
		return moments{math.NaN(), math.NaN()}
	}
	return latest(a.fit(), b.fit())
}

// A mixture is a phase-type distribution: an Erlang distribution, or one of two exponential ones.
type mixture []branch

// A branch is stages exponential stages of a rate each, one after the other.
type branch struct {
	weight float64 // those of a mixture sum to 1
	stages int
	rate   float64 // per second
}

// leastVariation is the smallest squared coefficient of variation that is modelled. It corresponds to two hundred
// stages: a deviation of 7% of the mean.
const leastVariation = 1. / 200

// fit returns the Erlang distribution with the mean and the nearest number of stages. If the squared coefficient of
// variation is above 1, it returns the hyper-exponential distribution with mean and variance, each branch half of the
// mean (H. Tijms, "Stochastic Models", 1994, appendix B).
func (m moments) fit() mixture {
	cv2 := max(leastVariation, m.variance/m.mean/m.mean)
	if cv2 <= 1 {
		stages := math.Round(1 / cv2)
		return mixture{{1, int(stages), stages / m.mean}}
	}
	root := math.Sqrt((cv2 - 1) / (cv2 + 1))
	seldom := 1 / (cv2 + 1) / (1 + root) // (1-root)/2, which has no digits for a large variation
	often := 1 - seldom
	return mixture{{often, 1, 2 * often / m.mean}, {seldom, 1, 2 * seldom / m.mean}}
}

// latest returns the moments of the larger of two independent variables: those of the sum without those of the smaller
// one.
//
// The stages that both have passed when one ends are a walk on a grid: E[min] = Σ T(i,j)/(a+b) over i < k, j < l,
// where T(i,j) = C(i+j,i) aⁱbʲ/(a+b)^(i+j) is the probability that the walk passes there (docs/facts/queueing.md d;
// Z. Liang and S. Tripathi, "On performance prediction of parallel computations with precedent constraints", 2000).
func latest(a, b mixture) moments {
	mean, square := 0.0, 0.0
	for _, x := range a {
		m, s := x.raw()
		mean, square = mean+m, square+s
	}
	for _, y := range b {
		m, s := y.raw()
		mean, square = mean+m, square+s
	}
	for _, x := range a {
		for _, y := range b {
			m, s := x.earlier(y)
			mean, square = mean-x.weight*y.weight*m, square-x.weight*y.weight*s
		}
	}
	return moments{mean, max(0, square-mean*mean)}
}

// raw returns the branch's parts of the first two raw moments.
func (b branch) raw() (mean, square float64) {
	k := float64(b.stages)
	return b.weight * k / b.rate, b.weight * k * (k + 1) / (b.rate * b.rate)
}

// earlier returns the first two raw moments of the smaller of two. T is computed step by step, as a probability, so
// that many stages neither overflow nor vanish.
func (b branch) earlier(o branch) (mean, square float64) {
	both := b.rate + o.rate
	right, down := o.rate/both, b.rate/both
	row := make([]float64, o.stages)
	for i := range b.stages {
		for j := range row {
			switch {
			case i == 0 && j == 0:
				row[j] = 1
			case i == 0:
				row[j] = right * row[j-1]
			case j == 0:
				row[j] *= down
			default:
				row[j] = down*row[j] + right*row[j-1]
			}
			mean += row[j]
			square += 2 * float64(i+j+1) * row[j]
		}
	}
	return mean / both, square / both / both
}
