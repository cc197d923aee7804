package view

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
)

// A Query is a row in a list of many queries, from its newest frame. Its texts are not escaped.
type Query struct {
	ID, Name, User, Queue string
	State                 dag.State
	Standing              Standing
	Bound                 string // the bound that decides Standing; "" if it has none
	DeadlineAt            *frame.Time
	LaterSeconds          *frame.Seconds // than the deadline; negative: earlier
	At, EndAt             *frame.Time
	Elapsed               *frame.Seconds
	Progress              *frame.Ratio
	Left                  string // the remaining time as text; "" once it has ended
	WaitsFor              string // "" if unknown
	HeldUpBy              *frame.HeldUp
	HoldsUp               int
	Stale                 bool
}

// A Standing is the state of a query's bounds, the worst first.
type Standing int

// The standings.
const (
	IsLate Standing = iota
	IsAtRisk
	IsUnseen // it cannot be observed now
	IsOnTrack
	IsFree // it has no bound
	HasMissed
	HasEnded
)

// String returns the text of a standing.
func (s Standing) String() string {
	return [...]string{"late", "at risk", "not seen", "on track", "running", "was late", "ended"}[s]
}

// QueryOf returns the row of a tick.
func QueryOf(tick frame.Tick) Query {
	f := &tick.Frame
	q := Query{
		ID: f.IDs()[0], State: f.Workflow.State, At: f.At, EndAt: f.Headline.EndAt, Elapsed: f.ElapsedSeconds,
		Progress: f.ProgressRatio, WaitsFor: f.WaitsFor(), Name: f.Workflow.Label(), HeldUpBy: f.HeldUpBy,
		Standing: IsFree, Stale: f.StaleSeconds > 0, HoldsUp: frame.ValueOf(f.HoldsUp),
	}
	if tick.Snapshot != nil {
		q.User, q.Queue = tick.Snapshot.User, tick.Snapshot.Queue
	}
	if q.Left = Remaining(f.Headline); f.TooLarge() {
		q.Left = "too large to estimate"
	}
	for _, a := range f.Alerts {
		if s := StandingOf(&a); q.Bound == "" || s < q.Standing {
			q.Standing, q.Bound, q.DeadlineAt, q.LaterSeconds = s, a.Bound, a.DeadlineAt, a.BySeconds
		}
	}
	if q.State.Ended() {
		q.Left, q.HeldUpBy, q.HoldsUp = "", nil, 0
		q.Standing = max(q.Standing, HasMissed)
		if q.Bound == "" {
			q.Standing = HasEnded
		}
	}
	return q
}

// Matches reports whether the name or the owner of a query contains a text, in either case.
func (q *Query) Matches(text string) bool {
	return strings.Contains(strings.ToLower(q.Name+"\n"+q.User), strings.ToLower(text))
}

var standings = map[frame.AlertState]Standing{
	frame.OnTrack: IsOnTrack, frame.AtRisk: IsAtRisk, frame.Late: IsLate, frame.Ended: HasEnded, frame.Blind: IsUnseen,
}

// StandingOf returns the state of one bound.
func StandingOf(a *frame.Alert) Standing {
	if a.Outcome != nil && *a.Outcome == frame.Missed {
		return HasMissed
	}
	if s, ok := standings[a.State]; ok {
		return s
	}
	return IsOnTrack // of a damaged state file
}

// SortQueries sorts by the worst standing, then by the earliest end, then by name.
func SortQueries(all []Query) {
	end := func(q *Query) dag.Instant {
		if q.EndAt == nil {
			return dag.Instant(1<<63 - 1)
		}
		return q.EndAt.Instant
	}
	slices.SortFunc(all, func(a, b Query) int {
		return cmp.Or(cmp.Compare(a.Standing, b.Standing), cmp.Compare(end(&a), end(&b)), cmp.Compare(a.Name, b.Name),
			cmp.Compare(a.ID, b.ID))
	})
}

// FleetSummary returns how many queries run, their standings, and which one blocks most others.
func FleetSummary(all []Query) string {
	if len(all) == 0 {
		return "No query was seen yet."
	}
	running, count := 0, map[Standing]int{}
	for _, q := range all {
		count[q.Standing]++
		if !q.State.Ended() {
			running++
		}
	}
	text := fmt.Sprintf("%d running", running)
	for _, s := range []Standing{IsLate, IsAtRisk, IsUnseen, HasMissed} {
		if count[s] > 0 {
			text += fmt.Sprintf(", %d %s", count[s], s)
		}
	}
	holder := slices.MaxFunc(all, func(a, b Query) int { return cmp.Compare(a.HoldsUp, b.HoldsUp) })
	if holder.HoldsUp > 0 {
		text += fmt.Sprintf("; %s is blocking %d", Escape(holder.Name), holder.HoldsUp)
	}
	return text + "."
}

// HeldUpText names the query that blocks another, and with how many containers; "" for none.
func HeldUpText(h *frame.HeldUp) string {
	if h == nil {
		return ""
	}
	who := Escape(cmp.Or(frame.Workflow{ID: h.ID, Name: h.Name}.Label(), "another query"))
	if h.Scope == "masters" {
		return fmt.Sprintf("%s: %d of %d masters of its queue", who, h.Containers, h.OfContainers)
	}
	of := cmp.Or(map[string]string{"queue": "its queue's", "user": "its user's"}[h.Scope], "the cluster's")
	return fmt.Sprintf("%s: %d of %s %d containers", who, h.Containers, of, h.OfContainers)
}
