package nearestfit

import "math"

// A State says how far a task is.
type State uint8

// The states.
const (
	Unscheduled State = iota
	Running
	Finished
)

// A Turn is what End must know of a task.
type Turn struct {
	State State
	// At is its end if finished; if running p_i, when its last groups arrived or it started. Unused otherwise.
	At float64
	// Seconds is what it has left; Shuffle what fetching its bytes takes first, if it is not scheduled yet.
	Seconds, Shuffle float64
}

// End is when the last task ends, by list scheduling: running ones go on, those to come are started in the order of
// their index, each on the slot that is free first. No task ends before now. It is NaN where the seconds of a task that
// is not finished are, or where one has no slot to wait for.
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

// slotHeap has the instant that is free first on top.
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

// A Transfer is a finished shuffle: what it fetched and how long that took.
type Transfer struct {
	Bytes, Seconds float64
}

// Shuffle is how long a task's shuffle takes: the finished ones' time, scaled by bytes (section 3.6). Where its bytes
// or all of theirs are not known or 0, it takes what they took on average. NaN without a finished shuffle.
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
