package whatif

import (
	"cmp"
	"slices"
)

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
