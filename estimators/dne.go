package estimators

import "math"

// dne is the driver node estimator (Chaudhuri et al., SIGMOD 2004) as the paper compares itself with it: the share of
// the tuples that all four pipelines of all jobs read, sum K / sum N (docs/facts/paratimer.md A5, A10).
func dne(w *ReplayContext) (Estimate, error) { return w.tuples(1), nil }

// tuples is the share of tuples done, with those of maps counted weight times.
func (w *ReplayContext) tuples(weight float64) Estimate {
	f, ok := total(amounts(w.Run.Now()), weight).ratio()
	if !ok {
		f = math.NaN()
	}
	return w.ratio(f)
}

func total(jobs [][]amount, weight float64) amount {
	var sum amount
	for _, job := range jobs {
		for i, a := range job {
			if i == 0 {
				a = amount{a.done * weight, a.total * weight}
			}
			sum.add(a)
		}
	}
	return sum
}
