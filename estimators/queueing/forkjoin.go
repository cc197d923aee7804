package queueing

import "math"

// harmonic2 is H_2: the mean of the larger of two exponential times over their mean (equation 2 for k = 2).
const harmonic2 = 1.5

// forkJoin is the fork/join estimate of a timeline: phase after phase, the longer of its maps and of its reduces. A phase's maps
// are a binary fork/join, H_2 times the longest thread's; a reduce's shuffles and merge are one after the other and are not.
func (d *detail) forkJoin(j *detailJob, t timeline) float64 {
	h := harmonic2
	if t.mapSlots == 1 {
		h = 1
	}
	if j.Reduces == 0 {
		return h * t.mapsEnd
	}
	total, from := 0.0, 0.0
	next := 0 // copies before it are of earlier phases
	for p := 0; p <= len(t.wakes); p++ {
		to := t.end
		if p < len(t.wakes) {
			to = t.wakes[p]
		}
		maps := math.Max(0, math.Min(to, t.mapsEnd)-from)
		reduce, before := 0.0, math.Inf(-1)
		for ; next < len(t.copies) && t.copies[next].start < to-merged; next++ {
			if c := t.copies[next]; c.start > before {
				reduce += c.end - c.start
				before = c.start
			}
		}
		if p == len(t.wakes) {
			reduce += t.end - t.copied
		}
		total += math.Max(h*maps, reduce)
		from = to
	}
	return total
}
