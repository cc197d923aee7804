package queueing

import "math"

// harmonic is H_k, the mean of the largest of k exponential times over their mean (equation 2). A cluster may have
// millions of threads: beyond a hundred it is the asymptotic series, exact to the last digit.
func harmonic(k int) float64 {
	if k <= 100 {
		h := 0.0
		for i := 1; i <= k; i++ {
			h += 1 / float64(i)
		}
		return h
	}
	const euler = 0.57721566490153286
	n := float64(k)
	return math.Log(n) + euler + 1/(2*n) - 1/(12*n*n) + 1/(120*n*n*n*n)
}

// joined is the fork/join estimate of a pipelined timeline. In the pipeline no thread waits for another: the maps of a
// slot follow each other, and a reduce takes what there is. Threads wait at the two joins, the last map's end and the
// last merge's end, where a fork/join of k takes H_k times one of them (equation 2). One delay hides in the other, so
// that the longer counts.
func (d *detail) joined(j *detailJob, t timeline) float64 {
	maps := 0.0
	if n := float64(t.mapSlots); t.mapSlots > 1 && t.mapTime > 0 {
		lone := math.Min(j.Map.Total(), t.mapTime)
		maps = math.Max(0, drain(harmonic(t.mapSlots)*t.mapTime, t.mapTime, lone, n)-t.mapTime)
	}
	if j.Reduces == 0 {
		return t.end + maps
	}
	return t.end + math.Max(maps, (harmonic(d.reducesAbreast(j))-1)*j.stay[Merge])
}

// harmonic2 is H_2: the mean of the larger of two exponential times over their mean (equation 2 for k = 2).
const harmonic2 = 1.5

// forkJoin is the fork/join estimate of a timeline. Where it is not pipelined that is, phase after phase, the longer of
// its maps and of its reduces. A phase's maps are a binary fork/join, H_2 times the longest thread's; a reduce's
// shuffles and merge are one after the other and are not.
func (d *detail) forkJoin(j *detailJob, t timeline) float64 {
	if d.reading.pipelined {
		return d.joined(j, t)
	}
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
