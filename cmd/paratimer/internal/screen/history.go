package screen

import (
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
)

// Limits of a History: a run of any length takes as much memory as one of an hour.
const (
	mostPoints  = 512
	mostChanges = 2000
)

// A History has the data of earlier frames that Draw needs. The zero History is empty.
type History struct {
	points  []point
	every   int // how many ticks a point is made of, except the newest
	ticks   int // how many ticks the newest point is made of
	changes []change
}

// A point is the prediction at a time: the total length of the query and its 80 % range.
type point struct {
	at               frame.Seconds
	total, low, high *frame.Seconds
}

// A change is a move of the predicted end that was shown at a time.
type change struct {
	at frame.Seconds
	frame.Move
}

// Add stores what Draw needs of a frame. Frames come in order; a frame that is not later than the newest is ignored.
func (h *History) Add(f frame.Frame) {
	if f.ElapsedSeconds == nil || f.StaleSeconds > 0 {
		return
	}
	at := *f.ElapsedSeconds
	if n := len(h.points); n > 0 && at <= h.points[n-1].at {
		return
	}
	for _, m := range f.Moves {
		h.changes = append(h.changes, change{at, m})
	}
	if n := len(h.changes) - mostChanges; n > 0 {
		h.changes = append(h.changes[:0], h.changes[n:]...)
	}
	h.point(pointOf(f, at))
}

func pointOf(f frame.Frame, at frame.Seconds) point {
	p := point{at: at}
	if f.Workflow.State.Ended() {
		if f.Workflow.State == dag.Succeeded {
			p.total = &at
		}
		return p
	}
	after := func(s *frame.Seconds) *frame.Seconds {
		if s == nil {
			return nil
		}
		v := at + *s
		return &v
	}
	p.total, p.low, p.high = after(f.Headline.RemainingSeconds), after(f.Headline.LowSeconds),
		after(f.Headline.HighSeconds)
	return p
}

// point adds p. If there are too many points, it merges pairs: the later one's total, and the range of both.
func (h *History) point(p point) {
	if h.every == 0 {
		h.every = 1
	}
	if n := len(h.points); n > 0 && h.ticks < h.every {
		h.points[n-1] = wider(h.points[n-1], p)
		h.ticks++
		return
	}
	if len(h.points) == mostPoints {
		for i := range mostPoints / 2 {
			h.points[i] = wider(h.points[2*i], h.points[2*i+1])
		}
		h.points = h.points[:mostPoints/2]
		h.every *= 2
	}
	h.points = append(h.points, p)
	h.ticks = 1
}

// wider returns b, with a range that covers a's too.
func wider(a, b point) point {
	if a.low != nil && (b.low == nil || *a.low < *b.low) {
		b.low = a.low
	}
	if a.high != nil && (b.high == nil || *a.high > *b.high) {
		b.high = a.high
	}
	return b
}
