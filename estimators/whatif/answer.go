package whatif

import (
	"cmp"
	"slices"
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

// Together is all changes at once. It is an *AlternativesError where they exclude each other: two schedulers, two
// scales, two numbers of the same slots.
func Together(changes []Change) (Change, error) {
	var all Change
	for _, c := range changes {
		if c.Policy != AsIs && all.Policy != AsIs {
			return Change{}, alternatives("policy "+all.Policy.String(), "policy "+c.Policy.String())
		}
		if c.Scale != 0 && all.Scale != 0 {
			return Change{}, alternatives("scale "+number(all.Scale), "scale "+number(c.Scale))
		}
		if c.SlowStart != nil && all.SlowStart != nil {
			return Change{}, alternatives("slow start "+number(*all.SlowStart), "slow start "+number(*c.SlowStart))
		}
		for _, a := range all.Slots {
			for _, b := range c.Slots {
				if a.Which == b.Which || a.Which == Both || b.Which == Both {
					return Change{}, alternatives("slots "+a.String(), "slots "+b.String())
				}
			}
		}
		for _, a := range all.Pace {
			for _, b := range c.Pace {
				if a.Job == b.Job {
					return Change{}, alternatives("pace "+number(a.Factor), "pace "+number(b.Factor))
				}
			}
		}
		all.Policy = max(all.Policy, c.Policy)
		all.Scale = max(all.Scale, c.Scale)
		all.Even, all.Unfailing = all.Even || c.Even, all.Unfailing || c.Unfailing
		if c.SlowStart != nil {
			all.SlowStart = c.SlowStart
		}
		all.Slots = append(all.Slots, c.Slots...)
		all.Pace = append(all.Pace, c.Pace...)
		all.Failures = append(all.Failures, c.Failures...)
	}
	// A task before a job before a node: what is lost as a whole takes its tasks with it.
	slices.SortStableFunc(all.Failures, func(a, b Failure) int { return cmp.Compare(a.order(), b.order()) })
	return all, nil
}

// An AlternativesError says that two changes exclude each other.
type AlternativesError struct{ One, Other string }

func (e *AlternativesError) Error() string {
	return e.One + " and " + e.Other + " are alternatives: there is no answer for both together"
}

func alternatives(a, b string) error { return &AlternativesError{a, b} }
