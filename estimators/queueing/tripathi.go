package queueing

import (
	"math"

	"github.com/paratimer/paratimer/estimators/internal/phasetype"
)

// evaluate sets the Mean and Variance of a tree from those of its leaves as Liang and Tripathi do, operator by
// operator: each part is fitted an Erlang or a hyper-exponential distribution of its mean and, nearly, variance, and a
// P_A is binary: pairs, and pairs of these, the maps apart from the reduces. An error is one of phasetype, of durations
// beyond all bounds.
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

// A run is like durations side by side.
type run struct {
	moments
	count int
}

// joined joins neighbours in pairs until one is left. Pairs of a run are alike, so that a run costs the logarithm of
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

// leastVariation is the squared coefficient of variation below which a duration counts as of two hundred stages: 7 %
// about its mean.
const leastVariation = 1. / 200

// pair is the last or the first of two durations.
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
