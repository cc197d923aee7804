package runreport

import (
	"fmt"
	"math"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/estimators/explain"
	"github.com/paratimer/paratimer/units"
)

// leastTurn is the least move in seconds that is worth a sentence.
const leastTurn = 5

// turnOf returns the largest move of the predicted end, nil if none is large enough. Moves after the end of the run
// do not count: the end is observed late.
func turnOf(moves []Move, total *frame.Seconds) *Move {
	var most *Move
	for i := range moves {
		m := &moves[i]
		if d := math.Abs(float64(m.DeltaSeconds)); d < leastTurn || total != nil && m.AtSeconds > *total ||
			most != nil && d <= math.Abs(float64(most.DeltaSeconds)) {
			continue
		}
		most = m
	}
	return most
}

// summary says by how much the end moved and why. If the cause is unknown, it names the event just before.
func (m *Move) summary(marks []Mark) string {
	summary := fmt.Sprintf("The predicted end moved most after %s, by %s", units.Seconds(m.AtSeconds),
		units.Signed(m.DeltaSeconds))
	if m.Reason != string(explain.ReasonOther) {
		return summary + ": " + name(m.Why()) + "."
	}
	for i := len(marks) - 1; i >= 0; i-- {
		k := &marks[i]
		if since := m.SinceSeconds - k.AtSeconds; m.DeltaSeconds > 0 && k.Kind != MarkAlert && since >= 0 &&
			since <= justBefore {
			return summary + fmt.Sprintf(", %s after this: %s.", units.Exact(since.Duration()), k.Text)
		}
	}
	return summary + ": for other reasons."
}

// justBefore is how long before a move an event may be to be named with it, in seconds.
const justBefore = 30
