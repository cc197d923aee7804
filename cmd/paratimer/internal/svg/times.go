package svg

import "time"

// Times returns at most n+1 round times from a time on, over a length: where the lines of a time axis stand.
func Times(from, length time.Duration, n int) []time.Duration {
	step := time.Millisecond
	for _, ms := range []int64{
		1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 15_000, 30_000, 60_000, 2 * 60_000, 5 * 60_000, 10 * 60_000, 15 * 60_000,
		30 * 60_000, 3600_000, 2 * 3600_000, 4 * 3600_000, 8 * 3600_000, 12 * 3600_000, 24 * 3600_000,
	} {
		if step = time.Duration(ms) * time.Millisecond; length/step <= time.Duration(n) {
			break
		}
	}
	for length/step > time.Duration(n) {
		step *= 2
	}
	first := from.Truncate(step)
	if first < from {
		first += step
	}
	var all []time.Duration
	for t := first; t <= from+length; t += step {
		all = append(all, t)
	}
	return all
}
