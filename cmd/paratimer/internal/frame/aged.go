package frame

import (
	"cmp"
	"regexp"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// Aged repeats a frame that was not confirmed for age, with the error as a warning.
func (f Frame) Aged(age time.Duration, why error) Frame {
	f = f.Older(age)
	f.Changes, f.Moves = []Change{}, []Move{}
	f.Warnings = append(slices.Clone(f.Warnings), dag.Warning{Code: dag.WarnStale, Text: dag.Clean(Reason(why))})
	return f
}

// Older returns the frame after so much more time without an observation. The predicted end stays, so the remaining
// time is shorter.
func (f Frame) Older(age time.Duration) Frame {
	if f.At != nil {
		f.At = TimeOf(f.At.Add(age))
	}
	f.StaleSeconds = SecondsOf(f.StaleSeconds.Duration() + age)
	if f.ElapsedSeconds != nil && !f.Workflow.State.Ended() {
		f.ElapsedSeconds = new(SecondsOf(f.ElapsedSeconds.Duration() + age))
	}
	h := &f.Headline
	f.Quantiles, f.Estimates, f.Others = slices.Clone(f.Quantiles), slices.Clone(f.Estimates), slices.Clone(f.Others)
	last := max(ValueOf(h.RemainingSeconds), ValueOf(h.LowSeconds), ValueOf(h.HighSeconds)).Duration()
	if last > 0 && age >= last && !f.Workflow.State.Ended() { // the remaining time is then unknown
		*h, f.Quantiles, f.ProgressRatio = Headline{}, []Quantile{}, nil
	}
	left := []**Seconds{&h.RemainingSeconds, &h.LowSeconds, &h.HighSeconds}
	for i := range f.Estimates {
		left = append(left, &f.Estimates[i].RemainingSeconds)
	}
	for i := range f.Others {
		left = append(left, &f.Others[i].RemainingSeconds)
	}
	less := func(s Seconds) Seconds { return SecondsOf(max(0, s.Duration()-age)) }
	for _, s := range left {
		if *s != nil {
			*s = new(less(**s))
		}
	}
	for i := range f.Quantiles {
		f.Quantiles[i].RemainingSeconds = less(f.Quantiles[i].RemainingSeconds)
	}
	f.Left = f.Left.Less(age)
	f.ProgressRatio = cmp.Or(progressOf(f.ElapsedSeconds, h.RemainingSeconds), f.ProgressRatio)
	return f
}

// inCore matches the names of internal packages at the start of errors, which mean nothing to readers.
var inCore = regexp.MustCompile(
	`(^|: )(?:(?:schedule|pathfrag|attribution|estimators|observed|nearestfit|queueing|simulation|whatif|profiles|dag): )+`)

// Reason formats an error for display, without the names of internal packages.
func Reason(err error) string { return inCore.ReplaceAllString(err.Error(), "$1") }
