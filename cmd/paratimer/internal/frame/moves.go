package frame

import (
	"cmp"
	"time"

	"github.com/paratimer/paratimer/estimators/explain"
	"github.com/paratimer/paratimer/units"
)

// A Cause is why the predicted end moved, and by how much.
type Cause struct {
	DeltaSeconds Seconds `json:"delta_seconds"`
	Reason       string  `json:"reason"`
	Subject      *string `json:"subject"`
}

// CauseOf returns the cause of a change.
func CauseOf(c explain.Change) Cause {
	return Cause{SecondsOf(c.Delta), string(c.Reason), Text(c.Subject)}
}

// Why returns the subject of the cause, or else the meaning of its reason.
func (c Cause) Why() string { return cmp.Or(ValueOf(c.Subject), reasons[c.Reason]) }

// A Change is one cause's part of the change of the predicted end between two observations.
type Change struct {
	Cause
	// Shown is true if the change is shown at once: it is then also in the Moves of the frame.
	Shown bool `json:"shown"`
}

// A Move is a shown change of the predicted end: an event at once, any other change once it has lasted.
type Move struct {
	Cause
	// SinceSeconds is the elapsed time at which the end began to move.
	SinceSeconds Seconds `json:"since_seconds"`
	// DriftSeconds is the difference of the end from the first stable one; nil before there is one.
	DriftSeconds *Seconds `json:"drift_seconds"`
}

// Drift describes the difference of the end from the first stable one: "now 4m later than first predicted". It is
// "" if that is small or about the same as the move.
func (m Move) Drift() string {
	if m.DriftSeconds == nil {
		return ""
	}
	const little, alike = 5, 0.25
	d := *m.DriftSeconds
	size, off := max(d, -d), max(d-m.DeltaSeconds, m.DeltaSeconds-d)
	switch {
	case size < little || off < max(little, alike*size):
		return ""
	case d > 0:
		return "now " + units.About(d.Duration()) + " later than first predicted"
	}
	return "now " + units.About((-d).Duration()) + " sooner than first predicted"
}

// Replans counts the changes of the predicted end that were not shown as moves because they did not last.
type Replans struct {
	Count int `json:"count"`
	// MostSeconds is the largest of them, as an absolute value.
	MostSeconds Seconds `json:"most_seconds"`
}

// Text formats them: "6 brief corrections, ±15s"; "" for none.
func (r Replans) Text() string {
	if r.Count == 0 {
		return ""
	}
	return units.Count(r.Count, "brief correction") + ", ±" + units.Short(r.MostSeconds.Duration().Round(time.Second))
}

// reasons describes reasons without a subject.
var reasons = map[string]string{
	string(explain.ReasonFailure): "work was lost",
	string(explain.ReasonNewWork): "more work was submitted",
	string(explain.ReasonSize):    "sizes became known",
	string(explain.ReasonSlots):   "slots were lost or gained",
	string(explain.ReasonModel):   "tasks are predicted in another way",
	string(explain.ReasonSpeed):   "tasks are slower or faster than predicted",
	string(explain.ReasonWave):    "the last wave has another number of tasks",
	string(explain.ReasonStart):   "tasks start at another time than planned",
	string(explain.ReasonOther):   "for other reasons",
}
