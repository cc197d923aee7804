package skewed

import (
	"math"
	"math/rand/v2"
)

// samples is the number of records of a split that are sampled before it runs.
const samples = 100

// A look returns the remaining work of a split after a position in its bytes. nil: unknown, so that work is
// proportional to bytes.
type look func(from float64) float64

// exactly returns a look that uses each record.
func (s *split) exactly() look {
	return func(from float64) float64 {
		return last(s.work) - upTo(s.work, s.records(from))
	}
}

// records returns the number of records that end within that many bytes.
func (s *split) records(bytes float64) int {
	n := 0
	for n < len(s.bytes) && s.bytes[n] <= bytes {
		n++
	}
	return n
}

// sampled returns a look that uses samples records, one from each part of the split. The cost of a record's length is
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

// byPace predicts the end of the phase at t. A running map continues at its own rate by bytes, or by its look. A
// pending map takes the mean rate by bytes so far, or its look. The work of looks is corrected by the real time of
// the finished part.
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
