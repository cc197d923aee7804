package skewed

import (
	"fmt"
	"math"
)

// A score is the error of a method's progress along a run: equation 2 of Morton et al. (SIGMOD 2010), |t/e - t/T| in
// points at each tick t. e is the end that the method predicts and T the true one.
type score struct {
	sum, max    float64 // points
	ticks, none int     // ticks with and without a prediction
}

// add counts a tick with the predicted progress, 0..1 or NaN if there is none, and the actual progress.
func (s *score) add(predicted, actual float64) {
	if math.IsNaN(predicted) {
		s.none++
		return
	}
	off := 100 * math.Abs(predicted-actual)
	s.sum += off
	s.max = max(s.max, off)
	s.ticks++
}

// A cell is a method's score over all seeds: the mean of the means, the worst tick, and the number of ticks without a
// prediction.
type cell struct {
	avg, max float64
	none     int
}

// over combines the scores of seeds.
func over(seeds []score) cell {
	c := cell{}
	for _, s := range seeds {
		c.avg += s.sum / float64(s.ticks) / float64(len(seeds))
		c.max = max(c.max, s.max)
		c.none += s.none
	}
	return c
}

// String returns "avg / max", or "none" if some run has no prediction at all.
func (c cell) String() string {
	if math.IsNaN(c.avg) {
		return "none"
	}
	text := fmt.Sprintf("%.2f / %.1f", c.avg, c.max)
	if c.none > 0 {
		text += fmt.Sprintf(" (none: %d)", c.none)
	}
	return text
}
