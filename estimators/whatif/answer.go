package whatif

import (
	"cmp"
	"slices"
	"time"
)

// An Answer is the predicted end of the query. Durations count from now; for a plan or a finished run, from its
// submission.
type Answer struct {
	// Remaining is nil if it is too early for an estimate. Floor is then the lower bound, if one is known.
	Remaining, Floor *time.Duration
	// Low and High are the range that should contain 8 of 10 runs; nil if there is no range.
	Low, High *time.Duration
	// AssumedRatio is the share of Remaining, 0..1, that rests on assumed costs.
	AssumedRatio float64
	// Note describes the effect of the change, e.g. which task's failure is the worst; "" if there is nothing to add.
	Note     string
	Warnings []Warning
}

// A Warning is a caveat about an answer. Codes are a closed set: see the Warn constants.
type Warning struct {
	Code string `json:"code"`
	Text string `json:"text"`
}

// The codes of warnings.
const (
	WarnCosts        = "costs"        // a cost behind the answer is assumed or doubtful
	WarnObservation  = "observation"  // a warning of the observations about missing data
	WarnNoEffect     = "no_effect"    // the change has no effect on this plan or model
	WarnBase         = "base"         // the replay of a finished run differs from its duration
	WarnAlternatives = "alternatives" // the changes exclude each other
	WarnUnsupported  = "unsupported"  // the replay does not support a change
)

// An UnsupportedError means that a replay does not support a change.
type UnsupportedError struct {
	Change string // the unsupported part of the change
	Why    string
}

func (e *UnsupportedError) Error() string { return "whatif: " + e.Change + ": " + e.Why }

// Together combines all changes into one. It returns an *AlternativesError if they exclude each other: two
// scales, two numbers of the same slots, or two paces.
func Together(changes []Change) (Change, error) {
	var all Change
	for _, c := range changes {
		for _, a := range all.parts() {
			for _, b := range c.parts() {
				if a.excludes(b) {
					return Change{}, &AlternativesError{a.String(), b.String()}
				}
			}
		}
		all.Scale = max(all.Scale, c.Scale)
		all.Ideal, all.Even, all.Unfailing = all.Ideal || c.Ideal, all.Even || c.Even, all.Unfailing || c.Unfailing
		all.SlowStart = cmp.Or(all.SlowStart, c.SlowStart)
		all.Slots = append(all.Slots, c.Slots...)
		all.Pace = append(all.Pace, c.Pace...)
		all.Failures = append(all.Failures, c.Failures...)
	}
	// Tasks fail before jobs, and jobs before nodes, because the loss of a job or node includes its tasks.
	slices.SortStableFunc(all.Failures, func(a, b Failure) int { return cmp.Compare(a.What, b.What) })
	return all, nil
}

// An AlternativesError means that two changes exclude each other.
type AlternativesError struct{ One, Other string }

func (e *AlternativesError) Error() string {
	return e.One + " and " + e.Other + " are alternatives: there is no answer for both together"
}
