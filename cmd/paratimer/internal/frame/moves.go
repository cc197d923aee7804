package frame

import (
	"time"

	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/units"
)

// A Change is a part of a move of the predicted end between two observations, and its cause.
type Change struct {
	DeltaSeconds Seconds `json:"delta_seconds"`
	Reason       string  `json:"reason"`
	Subject      *string `json:"subject"`
	// Shown says that people are told of it at once: it is among the moves of the same frame.
	Shown bool `json:"shown"`
}

// Why words the cause: its subject, or what its reason means.
func (c Change) Why() string { return why(c.Reason, c.Subject) }

// A Move is a move of the predicted end that people are told of: an event at once, all else when it has stayed.
type Move struct {
	DeltaSeconds Seconds `json:"delta_seconds"`
	Reason       string  `json:"reason"`
	Subject      *string `json:"subject"`
	// SinceSeconds is the elapsed time at which the end began to move.
	SinceSeconds Seconds `json:"since_seconds"`
	// DriftSeconds is how much later the end is now than the first one that stood for a while; nil before there was
	// one.
	DriftSeconds *Seconds `json:"drift_seconds"`
}

// Drift words how far the end is from the first one that stood, if that is another number than the move's: "now 4m
// later than first predicted"; else "".
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

// Why words the cause: its subject, or what its reason means.
func (m Move) Why() string { return why(m.Reason, m.Subject) }

// Replans counts the moves of the predicted end until now that people were not told of one by one: those that did not
// last.
type Replans struct {
	Count int `json:"count"`
	// MostSeconds is the largest of them, without its sign.
	MostSeconds Seconds `json:"most_seconds"`
}

// Text words them: "re-planned 6 times, ±15s"; "" for none.
func (r Replans) Text() string {
	if r.Count == 0 {
		return ""
	}
	return "re-planned " + units.Times(r.Count) + ", ±" + units.Short(r.MostSeconds.Duration().Round(time.Second))
}

func why(reason string, subject *string) string {
	if subject != nil {
		return *subject
	}
	return reasons[reason]
}

// reasons words those that have no subject.
var reasons = map[string]string{
	string(estimators.ReasonFailure): "work was lost",
	string(estimators.ReasonNewWork): "more work was submitted",
	string(estimators.ReasonSize):    "sizes became known",
	string(estimators.ReasonSlots):   "slots were lost or gained",
	string(estimators.ReasonModel):   "tasks are predicted in another way",
	string(estimators.ReasonSpeed):   "tasks run at another speed than was thought",
	string(estimators.ReasonWave):    "the last wave has another number of tasks",
	string(estimators.ReasonStart):   "tasks start at another time than planned",
	string(estimators.ReasonOther):   "for other reasons",
}
