package alert

import (
	"math"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
)

// A verdict is the result of one bound for a frame.
type verdict struct {
	passed   bool        // the bound is broken, and stays so
	p        float64     // probability of breaking it, 0..1; NaN if unknown
	expected dag.Instant // the end that the bound's prediction gives; NoInstant if unknown
	floor    bool        // expected is a lower bound of the end; no upper one is known
	dark     bool        // no prediction at all
	early    bool        // the range is rough, and the run has hardly begun
}

// judge computes the verdict. The query must not have ended, and the frame must be an observed one.
func (b *Bound) judge(st *Standing, s *State, f *frame.Frame) verdict {
	v := verdict{p: math.NaN(), expected: dag.NoInstant}
	if b.Kind == NoProgress {
		v.passed = s.Still >= b.For
		return v.certain()
	}
	at := f.At.Instant
	left, known := remaining(f)
	switch {
	case known:
		v.expected = at.Add(left)
	case f.Headline.RemainingSeconds == nil && f.Headline.LowSeconds != nil:
		v.expected, v.floor = at.Add(f.Headline.LowSeconds.Duration()), true
	}
	if st.DeadlineAt == nil {
		return v
	}
	by := *st.DeadlineAt
	switch {
	case at > by && f.Headline.EndAt != nil && f.Headline.EndAt.Instant <= by:
		// its jobs have ended; its final state is not known yet
		v.expected, v.p = f.Headline.EndAt.Instant, 0
	case at > by:
		v.passed = true
	case v.floor && v.expected > by:
		v.p = 1
		if f.Headline.HighSeconds != nil && len(f.Left) > 0 { // the low end of a range is not a certain lower bound
			v.p = f.Left.Above(by.Sub(at))
		}
	case v.floor:
	case !known:
		v.dark = true
	case len(f.Left) == 0: // a point has no probability
	case f.Headline.Rough && early(f, by):
		v.early = true
	default:
		v.p = f.Left.Above(by.Sub(at))
	}
	return v.certain()
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

// certain sets the probability of a broken bound to 1.
func (v verdict) certain() verdict {
	if v.passed {
		v.p = 1
	}
	return v
}

// remaining returns the median of the remaining time, or its estimate. It is unknown if the headline is a lower bound,
// since then too much is assumed.
func remaining(f *frame.Frame) (time.Duration, bool) {
	switch {
	case f.Headline.RemainingSeconds == nil:
		return 0, false
	case len(f.Left) > 0:
		return f.Left.At(0.5), true
	}
	return f.Headline.RemainingSeconds.Duration(), true
}
