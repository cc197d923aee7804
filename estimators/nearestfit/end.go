package nearestfit

import "math"

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
	var free slotHeap
	for _, t := range tasks {
		switch t.State {
		case Finished:
			end = max(end, t.At)
		case Running:
			at := max(now, t.At+t.Seconds)
			end = max(end, at)
			free.push(at)
		case Unscheduled:
		}
	}
	for len(free) < slots && len(free) < len(tasks) {
		free.push(now)
	}
	for _, t := range tasks {
		if t.State != Unscheduled {
			continue
		}
		if len(free) == 0 {
			return math.NaN()
		}
		at := free[0] + t.Shuffle + t.Seconds
		end = max(end, at)
		free.replace(at)
	}
	if math.IsInf(end, -1) {
		return math.NaN()
	}
	return end
}

// slotHeap is a heap of the instants at which slots are free, the first one on top.
type slotHeap []float64

func (h *slotHeap) push(at float64) {
	*h = append(*h, at)
	s := *h
	for i := len(s) - 1; i > 0 && s[i] < s[(i-1)/2]; i = (i - 1) / 2 {
		s[i], s[(i-1)/2] = s[(i-1)/2], s[i]
	}
}

func (h *slotHeap) replace(at float64) {
	s := *h
	s[0] = at
	for i := 0; 2*i+1 < len(s); {
		c := 2*i + 1
		if c+1 < len(s) && s[c+1] < s[c] {
			c++
		}
		if !(s[c] < s[i]) {
			return
		}
		s[i], s[c] = s[c], s[i]
		i = c
	}
}

// A Transfer is a finished shuffle: the fetched bytes and the time.
type Transfer struct {
	Bytes, Seconds float64
}

// Shuffle returns the time of a task's shuffle: the time of the finished ones, scaled by bytes (section 3.6). If
// its bytes or all of theirs are unknown or 0, it is their mean time. NaN without a finished shuffle.
func Shuffle(done []Transfer, bytes float64) float64 {
	seconds, sum, n := 0.0, 0.0, 0.0
	for _, d := range done {
		if measurable(d.Bytes, maxBytes) && measurable(d.Seconds, maxSeconds) {
			seconds += d.Seconds
			sum += d.Bytes
			n++
		}
	}
	if sum > 0 && measurable(bytes, maxBytes) {
		return seconds / sum * bytes
	}
	return seconds / n
}
