package runreport

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/units"
)

// A turn is the greatest move of the predicted end: from one point with a time to the next one with a time, all that was said to have
// changed between them. The zero turn has seen nothing.
type turn struct {
	at, by  frame.Seconds
	changes []frame.Change

	before  *Point // the last one with a time
	pending []frame.Change
}

// mostPending bounds the changes that are remembered while no time is given.
const mostPending = 256

// A move is worth a sentence from so many seconds, and so much of what was predicted, on.
const (
	leastTurn      = 5
	leastTurnRatio = 0.02
)

// take sees a point of the run.
func (t *turn) take(m *Point) {
	if n := mostPending - len(t.pending); n > 0 {
		t.pending = append(t.pending, m.Changes[:min(n, len(m.Changes))]...)
	}
	if m.TotalSeconds == nil {
		return
	}
	if t.before != nil {
		by := frame.SecondsOf(m.TotalSeconds.Duration() - t.before.TotalSeconds.Duration())
		if d := math.Abs(float64(by)); d >= leastTurn && d >= leastTurnRatio*float64(*t.before.TotalSeconds) && d > math.Abs(float64(t.by)) {
			t.at, t.by, t.changes = m.AtSeconds, by, slices.Clone(t.pending)
		}
	}
	t.before, t.pending = m, t.pending[:0]
}

// summary tells of the move: by how much, why and, where it came later and nobody can say why, what had gone wrong just before.
func (t *turn) summary(marks []Mark) string {
	if t.by == 0 {
		return ""
	}
	summary := fmt.Sprintf("The predicted end moved most after %s, by %s", units.Seconds(t.at), units.Signed(t.by))
	if causes, rest := t.causes(); len(causes) > 0 {
		summary += ": " + list(causes)
		if rest >= leastCause {
			summary += "; the rest for other reasons"
		}
		return summary + "."
	}
	for i := len(marks) - 1; i >= 0; i-- {
		m := &marks[i]
		if since := t.at - m.AtSeconds; t.by > 0 && m.Kind != MarkAlert && since >= 0 && since <= justBefore {
			return summary + fmt.Sprintf(", %s after this: %s.", units.Exact(since.Duration()), m.Text)
		}
	}
	if len(t.changes) > 0 {
		return summary + ": for other reasons."
	}
	return summary + "."
}

// justBefore is for how long before a move, in seconds, a reader wants to know what happened.
const justBefore = 30

// leastCause is the share of a move from which on a cause is named, and what is left of it is.
const leastCause = 0.2

// causes are the known causes of the move, those that moved it the same way, the greatest first, at most two; rest is the share of the move that
// they leave.
func (t *turn) causes() (summary []string, rest float64) {
	sums := map[string]float64{}
	var all []string
	for i := range t.changes {
		if c := &t.changes[i]; c.Reason != "other" {
			why := name(c.Why())
			if _, known := sums[why]; !known {
				all = append(all, why)
			}
			sums[why] += float64(c.DeltaSeconds) / float64(t.by)
		}
	}
	slices.SortStableFunc(all, func(a, b string) int { return cmp.Compare(sums[b], sums[a]) })
	rest = 1
	for _, why := range all {
		if sums[why] >= leastCause && len(summary) < 2 {
			summary, rest = append(summary, why), rest-sums[why]
		}
	}
	return summary, rest
}
