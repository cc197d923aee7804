package paper

import (
	"math"

	"github.com/paratimer/paratimer/estimators"
)

// dne is the driver node estimator (Chaudhuri et al., SIGMOD 2004) as in the paper's comparison: the share of the
// tuples that all four pipelines of all jobs read, sum K / sum N (docs/facts/paratimer.md A5, A10).
func dne(w *estimators.ReplayContext) (estimators.Estimate, error) { return tuples(w, 1), nil }

// tuples returns the share of tuples done, with those of maps counted weight times.
func tuples(w *estimators.ReplayContext, weight float64) estimators.Estimate {
	f, ok := total(amounts(w.Run.Now()), weight).ratio()
	if !ok {
		f = math.NaN()
	}
	return w.EstimateOfRatio(f)
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

// gnm is the total getnext model (Chaudhuri et al., SIGMOD 2004): dne, but every operator counts. The map pipeline
// has three (record reader, map runner, combine), so its tuples count three times (docs/facts/paratimer.md A5,
// A10).
func gnm(w *estimators.ReplayContext) (estimators.Estimate, error) { return tuples(w, 3), nil }

// luoWindowMS is the length of time over which Luo's speed is measured.
const luoWindowMS = 10_000

// luo is Luo et al.'s indicator (SIGMOD 2004) as in the paper's comparison: the remaining tuples at the speed of
// the last ten seconds, one byte a tuple (docs/facts/paratimer.md A5, A10).
func luo(w *estimators.ReplayContext) (estimators.Estimate, error) {
	now, before := w.Run.Now(), w.Run.Before(luoWindowMS)
	sum := total(amounts(now), 1)
	ms := luoLeft(sum.done, sum.total, total(amounts(before), 1).done, float64(now.At-before.At), w.ElapsedMS())
	if math.IsNaN(ms) && !w.Now().State.Ended() {
		return w.EstimateOfRatio(math.NaN()), nil
	}
	return w.EstimateOf(ms), nil
}

// luoLeft returns the milliseconds remaining when done of total units are done now and were doneBefore windowMS
// earlier. If nothing moved in that time, the speed since the start, elapsedMS ago, counts; NaN if nothing was ever
// done.
func luoLeft(done, total, doneBefore, windowMS, elapsedMS float64) float64 {
	left := total - done
	switch {
	case left <= 0 && total > 0:
		return 0
	case done > doneBefore && windowMS > 0:
		return left * windowMS / (done - doneBefore)
	case done > 0 && elapsedMS > 0:
		return left * elapsedMS / done
	}
	return math.NaN()
}
