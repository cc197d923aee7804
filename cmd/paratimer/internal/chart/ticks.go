package chart

import (
	"math"
	"time"
)

// Step returns the smallest round number that is not below least: 1, 2 or 5 times a power of ten. It is 1 if least is
// not a positive number.
func Step(least float64) float64 {
	if !(least > 0) || math.IsInf(least, 0) {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(least)))
	for _, digit := range []float64{1, 2, 5} {
		if digit*power >= least {
			return digit * power
		}
	}
	return 10 * power
}

// TimeStep is Step for lengths of time, both in seconds: above 10 s it is round in minutes, hours or days.
func TimeStep(least float64) float64 {
	const minute, hour, day = 60, 3600, 24 * 3600
	if !(least > 10) {
		return Step(least)
	}
	for _, step := range []float64{
		15, 30, minute, 2 * minute, 5 * minute, 10 * minute, 15 * minute, 30 * minute, hour, 2 * hour, 3 * hour,
		6 * hour, 12 * hour,
	} {
		if least <= step {
			return step
		}
	}
	return day * Step(least/day)
}

// Times returns at most n+1 round times within a length after from, for the lines of a time axis. They are whole
// milliseconds.
func Times(from, length time.Duration, n int) []time.Duration {
	least := (length / time.Duration(n+1)).Truncate(time.Millisecond) + time.Millisecond
	step := time.Duration(math.Round(TimeStep(least.Seconds()) * float64(time.Second)))
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
