package alert

import (
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
)

// A State is everything that is kept of one workflow's bounds between ticks. It is stored as JSON, so it survives a
// crash. The zero State is that of a workflow before its first observation.
type State struct {
	Bounds map[string]Standing `json:"bounds"` // by Bound.Name
	// Seen is true if a tick has shown the query. At is the newest such tick, Sure the newest one with a trusted
	// clock.
	Seen bool        `json:"seen,omitempty"`
	At   dag.Instant `json:"at,omitempty"`
	Sure dag.Instant `json:"sure,omitempty"`
	// Pace is the wait before Sure; Gap is the wait before At, if At is not Sure.
	Pace time.Duration `json:"pace_ns,omitempty"`
	Gap  time.Duration `json:"gap_ns,omitempty"`
	// Lost is true if an observation was missed since At.
	Lost bool `json:"lost,omitempty"`
	// Digest covers everything that changes while a query makes progress. Still is how long it has been unchanged.
	Digest uint64        `json:"digest,omitempty"`
	Still  time.Duration `json:"still_ns,omitempty"`
	// Changes are the newest changes of the predicted end, oldest first.
	Changes []Change `json:"changes,omitempty"`
}

// A Change is a change of the predicted end, and when it was seen.
type Change struct {
	At dag.Instant `json:"at"`
	frame.Change
}

// mostChanges bounds the number of changes kept.
const mostChanges = 32

// A Standing is the state of one bound.
type Standing struct {
	State   frame.AlertState `json:"state"`
	Since   dag.Instant      `json:"since"`
	Outcome *frame.Outcome   `json:"outcome,omitempty"`
	Opened  bool             `json:"opened,omitempty"` // it was judged before the query ended
	// Before is the state before it went blind, and BeforeSince the start of that state.
	Before      frame.AlertState `json:"before,omitempty"`
	BeforeSince dag.Instant      `json:"before_since,omitempty"`
	Held        int              `json:"held,omitempty"` // ticks in a row on the other side of the threshold
	// DeadlineAt is when the bound is broken; nil if unknown.
	DeadlineAt *dag.Instant `json:"deadline_at,omitempty"`
	// Range is the range for OutsideBounds, stable or not yet.
	Range *Range `json:"range,omitempty"`
}

// A wait longer than both of these limits counts as a jump of the clock.
const (
	jumpAtLeast = 5 * time.Minute
	jumpTimes   = 4
)

// follows reports whether an instant is an ordinary wait after another.
func follows(at, after dag.Instant, usual time.Duration) bool {
	return at >= after && at.Sub(after) <= max(jumpAtLeast, jumpTimes*usual)
}

// setClock records the clock of a tick. It returns the wait since the previous tick, and whether the clock is
// trusted. A clock that has jumped is trusted once a second tick follows the first.
func (s *State) setClock(at dag.Instant) (wait time.Duration, sure bool) {
	switch {
	case !s.Seen:
		wait = 0
	case follows(at, s.Sure, s.Pace):
		wait = at.Sub(s.Sure)
	case s.At != s.Sure && follows(at, s.At, s.Gap):
		wait = at.Sub(s.At)
	default:
		s.Gap = max(0, at.Sub(s.At))
		s.At = at
		return 0, false
	}
	s.Seen, s.At, s.Sure, s.Pace, s.Gap = true, at, at, wait, 0
	return wait, true
}

// look records a frame. seen means that the query was observed, sure that it was and that the clock has not jumped.
// After a jump the next tick shows which clock reading was wrong.
func (s *State) look(f *frame.Frame) (seen, sure bool) {
	if f.At == nil || f.StaleSeconds > 0 {
		s.Lost = true
		return false, false
	}
	at := f.At.Instant
	wait, sure := s.setClock(at)
	switch {
	case f.Digest == 0 || f.Digest != s.Digest:
		s.Still = 0
	case sure && !s.Lost:
		s.Still += wait
	}
	for _, m := range f.Moves {
		s.Changes = append(s.Changes, Change{at, frame.Change{Cause: m.Cause, Shown: true}})
	}
	s.Changes = s.Changes[max(0, len(s.Changes)-mostChanges):]
	s.Lost, s.Digest = false, f.Digest
	return true, sure
}
