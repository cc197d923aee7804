package runreport

import (
	"fmt"
	"math"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/units"
)

// leastTurn is how many seconds a move must have to be worth a sentence.
const leastTurn = 5

// turnOf is the largest move of the predicted end, nil if none was large enough. Moves after the end of the run do not
// count: the end is seen after it was.
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

// summary says by how much the end moved and why. If the cause is not known, it names what went wrong just before.
func (m *Move) summary(marks []Mark) string {
	summary := fmt.Sprintf("The predicted end moved most after %s, by %s", units.Seconds(m.AtSeconds),
		units.Signed(m.DeltaSeconds))
	if m.Reason != string(estimators.ReasonOther) {
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

// justBefore is for how long before a move, in seconds, a reader wants to know what happened.
const justBefore = 30
