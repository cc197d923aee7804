package whatif

import (
	"time"
)

// The models that answer.
const (
	ModelReplay   = "replay"   // the scheduler, replayed over the tasks that are left
	ModelQueueing = "queueing" // a queueing network, where tasks contend
	ModelErnest   = "ernest"   // a curve fitted to smaller runs
)

// An Answer is when the query would end. Lengths of time count from now; of a plan or a finished run, from its
// submission.
type Answer struct {
	Model  string
	Change Change
	// Remaining is nil where it is too early to say; then Floor is what it takes at least, where that is known.
	Remaining, Floor *time.Duration
	// Low and High are the range that 8 of 10 runs lie in, nil where the model gives none.
	Low, High *time.Duration
	// AssumedRatio is the share of Remaining that rests on costs that nobody has seen, 0..1.
	AssumedRatio float64
	// Note says what the change came to, e.g. which task's failure is the worst; "" where it needs no words.
	Note     string
	Warnings []Warning
	// MostSaved is what a finished run took beyond a replay of it without its failures, nil of other changes: what the
	// failures cost if all that the replay misses of the run is due to them.
	MostSaved *time.Duration
}

// A Warning is something that a reader must know about an answer. Codes are closed: see the Warn constants.
type Warning struct {
	Code string `json:"code"`
	Text string `json:"text"`
}

// The codes of warnings.
const (
	WarnCosts        = "costs"        // a cost that the answer rests on is assumed or doubted
	WarnObservation  = "observation"  // what the observations themselves say of what they lack
	WarnNoEffect     = "no_effect"    // the change means nothing to this plan or model
	WarnBase         = "base"         // the replay of a finished run misses what it took
	WarnDisagree     = "disagree"     // two models differ by more than a fifth
	WarnAlternatives = "alternatives" // the changes exclude each other
	WarnUnsupported  = "unsupported"  // a model cannot answer a change
	WarnFailures     = "failures"     // what failures cost differs by the way in which it is measured
	WarnApproximate  = "approximate"  // something was taken to be what it may not be
)

// An UnsupportedError says that a model cannot answer a change.
type UnsupportedError struct {
	Model  string
	Change string // what of it
	Why    string
}

func (e *UnsupportedError) Error() string {
	return "whatif: " + e.Model + ", " + e.Change + ": " + e.Why
}
