package estimators

import "math"

// luoWindowMS is the time over which Luo's speed is taken.
const luoWindowMS = 10_000

// luo is Luo et al.'s indicator (SIGMOD 2004) as the paper compares itself with it: what is left, at the speed of the
// last ten seconds, one byte a tuple (docs/facts/paratimer.md A5, A10).
func luo(w *ReplayContext) (Estimate, error) {
	now, before := w.Run.Now(), w.Run.Before(luoWindowMS)
	sum := total(amounts(now), 1)
	ms := luoLeft(sum.done, sum.total, total(amounts(before), 1).done, float64(now.At-before.At), w.elapsedMS())
	if math.IsNaN(ms) && !w.ended() {
		return w.ratio(math.NaN()), nil
	}
	return w.estimate(ms), nil
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
