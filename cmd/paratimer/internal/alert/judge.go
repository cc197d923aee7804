package alert

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
)

// A verdict is what a frame says of one bound.
type verdict struct {
	passed   bool        // the bound is broken, whatever comes
	p        float64     // probability of breaking it, 0..1; NaN where it cannot be told
	expected dag.Instant // the end that the judge expects; NoInstant where unknown
	floor    bool        // the end will not come before expected; more is not known
	dark     bool        // there is no number at all to judge by
	early    bool        // the range is rough, and the run has hardly begun
}

// judge asks the bound's judge. The frame is of a query that has not ended and was observed.
func (b *Bound) judge(st *Standing, s *State, f *frame.Frame) verdict {
	v := verdict{p: math.NaN(), expected: dag.NoInstant}
	if b.Kind == NoProgress {
		v.passed = s.Still >= b.For
		return v.certain()
	}
	at := f.At.Instant
	left, known := b.left(f)
	switch {
	case known:
		v.expected = at.Add(left)
	case f.Headline.RemainingSeconds == nil && f.Headline.LowSeconds != nil:
		v.expected, v.floor = at.Add(f.Headline.LowSeconds.Duration()), true
	}
	if st.DeadlineAt == nil {
		return v
	}
	by, judged := *st.DeadlineAt, v.expected
	if b.Kind == OutsideBounds && b.On == "" && known { // the judge is an early end, not the likely one
		v.expected = at.Add(f.Headline.RemainingSeconds.Duration())
	}
	switch {
	case at > by && f.Headline.EndAt != nil && f.Headline.EndAt.Instant <= by:
		// its jobs are over, the word on how is awaited
		v.expected, v.p = f.Headline.EndAt.Instant, 0
	case at > by:
		v.passed = true
	case v.floor && v.expected > by:
		v.p = 1
		if f.Headline.HighSeconds != nil && len(f.Left) > 0 { // the low end of a range is no certain floor
			v.p = f.Left.Above(by.Sub(at))
		}
	case v.floor:
	case !known:
		v.dark = true
	case b.sampled() && len(f.Left) == 0: // a point alone tells no probability
	case b.sampled() && f.Headline.Rough && early(f, by):
		v.early = true
	case b.sampled():
		v.p = f.Left.Above(by.Sub(at))
	case judged > by:
		v.p = 1
	default:
		v.p = 0
	}
	return v.certain()
}

// settles is the share of the time that a bound gives in which a rough range is not believed: until the run has shown
// something itself, a profile or two speak alone, and their pace may be another (docs/alerts.md: nearly all false
// alerts with a profile were of the first tenth).
const settles = 0.1

func early(f *frame.Frame, by dag.Instant) bool {
	if f.ElapsedSeconds == nil {
		return false
	}
	elapsed := f.ElapsedSeconds.Duration()
	given := elapsed + by.Sub(f.At.Instant)
	return float64(elapsed) < settles*float64(given)
}

// certain gives a broken bound its probability.
func (v verdict) certain() verdict {
	if v.passed {
		v.p = 1
	}
	return v
}

// sampled says whether the distribution judges.
func (b *Bound) sampled() bool { return b.On == "" && b.Kind != OutsideBounds }

// left is how long the judge expects the query to run on: the distribution's median, a quantile, or a scenario's
// answer. Where the headline is a floor too much is assumed for any of them.
func (b *Bound) left(f *frame.Frame) (time.Duration, bool) {
	if f.Headline.RemainingSeconds == nil {
		return 0, false
	}
	if b.sampled() {
		if len(f.Left) > 0 {
			return f.Left.At(0.5), true
		}
		return f.Headline.RemainingSeconds.Duration(), true
	}
	if b.On == "" && len(f.Left) > 0 {
		return f.Left.At(drifted), true
	}
	if q, ok := quantile(b.On); ok {
		if len(f.Left) > 0 {
			return f.Left.At(q), true
		}
		return 0, false
	}
	return scenario(f, b.judgedBy())
}

// drifted is the quantile that judges whether the end has left its first range: nine in ten sampled ends are late.
const drifted = 0.1

// judgedBy is the scenario that judges.
func (b *Bound) judgedBy() string {
	if b.On == "" {
		return "standard"
	}
	return b.On
}

// scenario is what remains under a scenario.
func scenario(f *frame.Frame, name string) (time.Duration, bool) {
	for _, e := range f.Estimates {
		if e.Scenario == name && e.RemainingSeconds != nil {
			return e.RemainingSeconds.Duration(), true
		}
	}
	return 0, false
}

// quantile reads "p90" as 0.9.
func quantile(name string) (float64, bool) {
	digits, ok := strings.CutPrefix(name, "p")
	if !ok {
		return 0, false
	}
	v, err := strconv.ParseFloat(digits, 64)
	if err != nil || !(v > 0 && v < 100) {
		return 0, false
	}
	return v / 100, true
}
