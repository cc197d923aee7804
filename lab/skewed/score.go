package main

import (
	"fmt"
	"math"
)

// A score is how far off a method's progress was along a run: equation 2 of Morton et al. (SIGMOD 2010), |t/e - t/T| in
// points at each tick t, where e is the end that the method predicts and T the true one.
type score struct {
	sum, max    float64 // points
	ticks, none int     // with and without a prediction
}

// add counts a tick: progress as predicted, 0..1 or NaN for none, and as it was.
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

// A cell is a method's score over all seeds: the mean of the means, the worst tick of all, and how many ticks had no
// prediction.
type cell struct {
	avg, max float64
	none     int
}

// over joins the scores of seeds.
func over(seeds []score) cell {
	c := cell{}
	for _, s := range seeds {
		c.avg += s.sum / float64(s.ticks) / float64(len(seeds))
		c.max = max(c.max, s.max)
		c.none += s.none
	}
	return c
}

// String is "avg / max". A cell without a single prediction in some run has no average.
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
