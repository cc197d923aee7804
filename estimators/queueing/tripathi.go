package queueing

import (
	"math"

	"github.com/paratimer/paratimer/estimators/internal/phasetype"
)

// evaluate sets the Mean and Variance of a tree from those of its leaves as Liang and Tripathi do, operator by
// operator. Each part is approximated by an Erlang or hyper-exponential distribution with its mean and, nearly, its
// variance. A P_A is binary: it joins pairs, and pairs of these, with maps and reduces separate. An error comes from
// phasetype, if durations exceed its limits.
func (t *Tree) evaluate() error {
	if t == nil || t.Op == Leaf {
		return nil
	}
	var maps, others []run
	var sum, chance moments
	for i, part := range t.Parts {
		if err := part.evaluate(); err != nil {
			return err
		}
		m := moments{part.Mean, part.Variance}
		sum = sum.plus(m.times(float64(part.Count)))
		if t.Op == ProbabilisticFork {
			chance = chance.plus(moments{m.mean, m.variance + m.mean*m.mean}.times(t.Prob[i]))
		}
		if part.Op == Leaf && part.Kind == Map {
			maps = append(maps, run{m, part.Count})
		} else {
			others = append(others, run{m, part.Count})
		}
	}
	var err error
	switch t.Op {
	case Serial:
		t.Mean, t.Variance = sum.mean, sum.variance
	case ProbabilisticFork:
		t.Mean, t.Variance = chance.mean, math.Max(0, chance.variance-chance.mean*chance.mean)
	case ParallelAnd, ParallelOr:
		var sides [3]moments
		for i, runs := range [][]run{maps, others} {
			if sides[i], err = joined(runs, t.Op); err != nil {
				return err
			}
		}
		both := []run{{sides[0], min(1, len(maps))}, {sides[1], min(1, len(others))}}
		if sides[2], err = joined(both, t.Op); err != nil {
			return err
		}
		t.Mean, t.Variance = sides[2].mean, sides[2].variance
	}
	return nil
}

// A run is a number of equal parallel durations.
type run struct {
	moments
	count int
}

// joined joins neighbours in pairs until one is left. Pairs within a run are equal, so a run costs the logarithm of
// its length.
func joined(runs []run, op Operator) (moments, error) {
	for {
		var next []run
		var odd *moments // the last of the runs before, without a partner
		for _, r := range runs {
			if odd != nil && r.count > 0 {
				m, err := pair(*odd, r.moments, op)
				if err != nil {
					return m, err
				}
				next = append(next, run{m, 1})
				odd = nil
				r.count--
			}
			if r.count >= 2 {
				m, err := pair(r.moments, r.moments, op)
				if err != nil {
					return m, err
				}
				next = append(next, run{m, r.count / 2})
			}
			if r.count%2 == 1 {
				odd = &r.moments
			}
		}
		if odd != nil {
			next = append(next, run{*odd, 1})
		}
		if len(next) == 0 {
			return moments{}, nil
		}
		if len(next) == 1 && next[0].count == 1 {
			return next[0].moments, nil
		}
		runs = next
	}
}

// leastVariation is the smallest squared coefficient of variation that is modelled. It corresponds to two hundred
// stages: a deviation of 7 % of the mean.
const leastVariation = 1. / 200

// pair returns the moments of the later or the earlier of two durations.
func pair(a, b moments, op Operator) (moments, error) {
	if a.mean > b.mean {
		a, b = b, a
	}
	if a.mean <= 1e-6*b.mean || a.mean <= negligible {
		if op == ParallelOr {
			return a, nil
		}
		return b, nil
	}
	x, err := a.fit()
	if err != nil {
		return moments{}, err
	}
	y, err := b.fit()
	if err != nil {
		return moments{}, err
	}
	join := phasetype.Max
	if op == ParallelOr {
		join = phasetype.Min
	}
	mean, variance, err := join(x, y)
	return moments{mean, variance}, err
}

func (m moments) fit() (phasetype.Mixture, error) {
	return phasetype.Fit(m.mean, math.Max(leastVariation, m.variance/m.mean/m.mean))
}
