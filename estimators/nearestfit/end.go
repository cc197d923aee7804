package nearestfit

import (
	"math"
	"slices"
)

// A State is the state of a task.
type State uint8

// The states.
const (
	Unscheduled State = iota
	Running
	Finished
)

// A Turn is the input of End for one task.
type Turn struct {
	State State
	// At is its end if finished. If running it is p_i, when its last groups arrived or it started. Unused
	// otherwise.
	At float64
	// Seconds is its remaining time; Shuffle the time to fetch its bytes first, if it is not scheduled yet.
	Seconds, Shuffle float64
}

// End returns the end of the last task by list scheduling: running tasks go on, and the others start in the order
// of their index, each on the slot that is free first. No task ends before now. It is NaN if the seconds of an
// unfinished task are, or if a task has no slot to wait for.
//
// E. Coppa, I. Finocchi, SoCC 2015, sections 3.2 and 3.6 (waves).
func End(tasks []Turn, slots int, now float64) float64 {
	end := math.Inf(-1)
	var free []float64 // instants at which slots are free
	for _, t := range tasks {
		switch t.State {
		case Finished:
			end = max(end, t.At)
		case Running:
			at := max(now, t.At+t.Seconds)
			end = max(end, at)
			free = append(free, at)
		case Unscheduled:
		}
	}
	for len(free) < slots && len(free) < len(tasks) {
		free = append(free, now)
	}
	for _, t := range tasks {
		if t.State != Unscheduled {
			continue
		}
		if len(free) == 0 || math.IsNaN(end) {
			return math.NaN()
		}
		first := slices.Index(free, slices.Min(free))
		free[first] += t.Shuffle + t.Seconds
		end = max(end, free[first])
	}
	if math.IsInf(end, -1) {
		return math.NaN()
	}
	return end
}
