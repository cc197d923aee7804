package main

import (
	"math"
	"math/rand/v2"
)

// samples is how many records of a split are looked at before it runs.
const samples = 100

// A look is what is known of a split's records: how much work lies behind a place in its bytes. nil: nothing, so that
// work is in proportion to bytes.
type look func(from float64) float64

// exactly knows each record.
func (s *split) exactly() look {
	return func(from float64) float64 {
		return last(s.work) - upTo(s.work, s.records(from))
	}
}

// records is how many end within so many bytes.
func (s *split) records(bytes float64) int {
	n := 0
	for n < len(s.bytes) && s.bytes[n] <= bytes {
		n++
	}
	return n
}

// sampled knows the records at as many places, one in each stretch of the split. What a record of that length takes is
// known.
func (s *split) sampled(rng *rand.Rand) look {
	per := make([]float64, samples)
	stretch := splitBytes / samples
	for k := range per {
		record := min(s.records((float64(k)+rng.Float64())*stretch), len(s.bytes)-1)
		length := s.bytes[record] - upTo(s.bytes, record)
		per[k] = (s.work[record] - upTo(s.work, record)) / length
	}
	return func(from float64) float64 {
		sum := 0.0
		for k, rate := range per {
			sum += rate * min(stretch, max(0, float64(k+1)*stretch-from))
		}
		return sum
	}
}

// byPace is when the phase ends, as seen at t: a running map goes on as its own bytes went, or by what is known of its
// split; one to come takes what bytes took so far, or again what is known. Known work is corrected by how long it took
// where it is done.
func (r *mapRun) byPace(t float64, running, pending []look) float64 {
	var spent, bytes, foreseen float64
	done := make([]float64, len(r.splits)) // bytes
	ages := make([]float64, len(r.splits))
	for i := range r.splits {
		switch {
		case r.end[i] <= t:
			done[i], ages[i] = splitBytes, r.end[i]-r.start[i]-setupSeconds
		case r.start[i] < t:
			at, records := r.reported(i, t)
			done[i], ages[i] = upTo(r.splits[i].bytes, records), max(0, at-r.start[i]-setupSeconds)
		}
		if done[i] == 0 {
			continue
		}
		spent, bytes = spent+ages[i], bytes+done[i]
		if know := running[i]; know != nil {
			foreseen += know(0) - know(done[i])
		}
	}
	if bytes == 0 {
		return math.NaN()
	}
	correct := 1.0
	if foreseen > 0 {
		correct = spent / foreseen
	}
	free := make([]float64, 0, containers)
	for i := range r.splits {
		if r.start[i] >= t || r.end[i] <= t {
			continue
		}
		left := spent / bytes * (splitBytes - done[i])
		if done[i] > 0 {
			left = ages[i] / done[i] * (splitBytes - done[i])
		}
		if know := running[i]; know != nil {
			left = correct * know(done[i])
		}
		free = append(free, max(t, r.start[i]+setupSeconds+ages[i]+left))
	}
	for len(free) < containers {
		free = append(free, t)
	}
	over := t
	for i := range r.splits {
		if r.start[i] < t {
			continue
		}
		left := spent / bytes * splitBytes
		if know := pending[i]; know != nil {
			left = correct * know(0)
		}
		first := 0
		for c := range free {
			if free[c] < free[first] {
				first = c
			}
		}
		free[first] += setupSeconds + left
	}
	for _, at := range free {
		over = max(over, at)
	}
	return over
}
