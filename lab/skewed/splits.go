package skewed

import (
	"math"
	"math/rand/v2"
	"sort"
)

// A splitting is a map phase with a distribution of record lengths in its splits.
type splitting struct {
	name   string
	splits int
	power  float64 // the time of a record is proportional to this power of its length
	// length draws a record's length for a split and a place in it, both as shares, 0..1. typical is drawn once for
	// the split.
	length func(rng *rand.Rand, typical, split, place float64) float64
	spread float64 // sigma of typical, which is lognormal
}

const (
	splitBytes   = 32e6
	recordBytes  = 16_000.0 // typical length
	taskSeconds  = 60.0     // mean time without set-up
	setupSeconds = 3.0
	containers   = 8
)

// A split is the records of a map: cumulative bytes and work, including each record.
type split struct{ bytes, work []float64 }

// make creates the splits. Their work is in seconds.
func (s splitting) make(seed uint64) []split {
	rng := rand.New(rand.NewPCG(seed, 36))
	all, total := make([]split, s.splits), 0.0
	for i := range all {
		typical := math.Exp(s.spread * rng.NormFloat64())
		bytes, work := 0.0, 0.0
		for bytes < splitBytes {
			at := (float64(i) + 0.5) / float64(s.splits)
			length := min(recordBytes*s.length(rng, typical, at, bytes/splitBytes), splitBytes-bytes)
			bytes, work = bytes+length, work+math.Pow(length, s.power)
			all[i].bytes, all[i].work = append(all[i].bytes, bytes), append(all[i].work, work)
		}
		total += work
	}
	for i := range all {
		for k := range all[i].work {
			all[i].work[k] *= taskSeconds * float64(s.splits) / total
		}
	}
	return all
}

func last(v []float64) float64 { return v[len(v)-1] }

// after returns the number of finished records after an amount of work.
func (s *split) after(work float64) int {
	return sort.Search(len(s.work), func(i int) bool { return s.work[i] > work })
}

// upTo returns the bytes or work of the first n records.
func upTo(sums []float64, n int) float64 {
	if n == 0 {
		return 0
	}
	return sums[n-1]
}

// A mapRun is the start and end of each map.
type mapRun struct {
	splits     []split
	start, end []float64
	over       float64
}

// playedMaps runs the maps in order, each in the first free container.
func playedMaps(splits []split) *mapRun {
	r := &mapRun{splits: splits}
	free := make([]float64, containers)
	for i := range splits {
		first := 0
		for c := range free {
			if free[c] < free[first] {
				first = c
			}
		}
		r.start = append(r.start, free[first])
		free[first] += setupSeconds + last(splits[i].work)
		r.end = append(r.end, free[first])
		r.over = max(r.over, free[first])
	}
	return r
}

// reported returns the time of the newest report of a map that runs at t, and its records at that time. The counters
// change every reportSeconds.
func (r *mapRun) reported(i int, t float64) (at float64, records int) {
	at = r.start[i] + reportSeconds*math.Floor((t-r.start[i])/reportSeconds)
	return at, r.splits[i].after(at - r.start[i] - setupSeconds)
}

const reportSeconds = 3
