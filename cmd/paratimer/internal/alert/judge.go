package alert

import (
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
)

// A judgment compares one bound with a frame. It changes the bound's Standing; the fields after f are its other
// results.
type judgment struct {
	*Bound
	*Standing
	s        *State // of all bounds
	f        *frame.Frame
	passed   bool        // the bound is broken, and stays so
	p        float64     // probability of breaking it, 0..1; NaN if unknown
	expected dag.Instant // the end that the bound's prediction gives; NoInstant if unknown
	floor    bool        // expected is a lower bound of the end; no upper one is known
	dark     bool        // no prediction at all
	early    bool        // the range is rough, and the run has hardly begun
}

// judge computes the results. The query must not have ended, and the frame must be an observed one. The median of the
// remaining time counts, or its estimate. Both are unknown if the headline is a lower bound: too much is assumed.
func (j *judgment) judge() {
	if j.Kind == NoProgress {
		if j.s.Still >= j.For {
			j.passed, j.p = true, 1
		}
		return
	}
	f, h, at := j.f, &j.f.Headline, j.f.At.Instant
	switch known := h.RemainingSeconds != nil; {
	case known && len(f.Left) > 0:
		j.expected = at.Add(f.Left.At(0.5))
	case known:
		j.expected = at.Add(h.RemainingSeconds.Duration())
	case h.LowSeconds != nil:
		j.expected, j.floor = at.Add(h.LowSeconds.Duration()), true
	}
	if j.DeadlineAt == nil {
		return
	}
	by := *j.DeadlineAt
	switch {
	case at > by && h.EndAt != nil && h.EndAt.Instant <= by:
		// its jobs have ended; its final state is not known yet
		j.expected, j.p = h.EndAt.Instant, 0
	case at > by:
		j.passed, j.p = true, 1
	case j.floor && j.expected > by:
		j.p = 1
		if h.HighSeconds != nil && len(f.Left) > 0 { // the low end of a range is not a certain lower bound
			j.p = f.Left.Above(by.Sub(at))
		}
	case j.floor:
	case h.RemainingSeconds == nil:
		j.dark = true
	case len(f.Left) == 0: // a point has no probability
	case h.Rough && early(f, by):
		j.early = true
	default:
		j.p = f.Left.Above(by.Sub(at))
	}
}

// settles is the fraction of the bound's time in which a rough range is ignored. Until the run itself has shown
// something, the range rests on one or two profiles alone, and the run may differ in speed (docs/evidence/alerts.md:
// nearly all false alerts with a profile were in the first tenth).
const settles = 0.1

func early(f *frame.Frame, by dag.Instant) bool {
	if f.ElapsedSeconds == nil {
		return false
	}
	elapsed := f.ElapsedSeconds.Duration()
	given := elapsed + by.Sub(f.At.Instant)
	return float64(elapsed) < settles*float64(given)
}
