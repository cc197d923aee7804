package queueing

import "math"

// moments is the mean and variance of a duration.
type moments struct{ mean, variance float64 }

func (m moments) plus(o moments) moments {
	return moments{m.mean + o.mean, m.variance + o.variance}
}

func (m moments) times(n float64) moments { return moments{n * m.mean, n * m.variance} }

// of a vector of stays, each exponential.
func (v vector) moments() moments { return moments{v.sum(), v.squares()} }

// extreme is the last or the first of independent durations, each several times over. Each is taken as gamma distributed.
// E[X] = ∫ P(X>t) dt and E[X²] = 2·∫ t·P(X>t) dt.
func extreme(parts []moments, counts []float64, first bool) moments {
	hi, still := 0.0, true
	chains := make([]chain, len(parts))
	for i, p := range parts {
		chains[i] = chain{count: counts[i], mean: p.mean, variance: p.variance}
		hi = math.Max(hi, chains[i].reach())
		still = still && p.variance <= 0
	}
	if still && !first {
		return moments{mean: hi}
	}
	const steps = 1000
	h, one, two := hi/steps, 0.0, 0.0
	for i := range steps {
		t := (float64(i) + .5) * h
		left := 1.0
		for _, c := range chains {
			if first {
				left *= math.Pow(1-c.single(t), c.count)
			} else {
				left *= c.below(t)
			}
		}
		if !first {
			left = 1 - left
		}
		one += left * h
		two += 2 * t * left * h
	}
	return moments{one, math.Max(0, two-one*one)}
}
