package frame

import (
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// Aged repeats a frame, unseen for age since it was made, and why.
func (f Frame) Aged(age time.Duration, why error) Frame {
	f = f.Older(age)
	f.Changes, f.Moves = []Change{}, []Move{}
	f.Warnings = append(slices.Clone(f.Warnings), dag.Warning{Code: dag.WarnStale, Text: dag.Clean(why.Error())})
	return f
}

// Older is the frame, unseen for so much longer: the predicted end stands, so what remains is less.
func (f Frame) Older(age time.Duration) Frame {
	if f.At != nil {
		f.At = TimeOf(f.At.Add(age))
	}
	f.StaleSeconds = SecondsOf(f.StaleSeconds.Duration() + age)
	if f.ElapsedSeconds != nil && !f.Workflow.State.Ended() {
		e := SecondsOf(f.ElapsedSeconds.Duration() + age)
		f.ElapsedSeconds = &e
	}
	h := &f.Headline
	h.RemainingSeconds, h.LowSeconds, h.HighSeconds = less(h.RemainingSeconds, age), less(h.LowSeconds, age),
		less(h.HighSeconds, age)
	f.Quantiles = slices.Clone(f.Quantiles)
	for i := range f.Quantiles {
		f.Quantiles[i].RemainingSeconds = *less(&f.Quantiles[i].RemainingSeconds, age)
	}
	f.Left = f.Left.Less(age)
	f.Estimates = slices.Clone(f.Estimates)
	for i := range f.Estimates {
		f.Estimates[i].RemainingSeconds = less(f.Estimates[i].RemainingSeconds, age)
	}
	f.Others = slices.Clone(f.Others)
	for i := range f.Others {
		f.Others[i].RemainingSeconds = less(f.Others[i].RemainingSeconds, age)
	}
	if h.RemainingSeconds != nil && f.ElapsedSeconds != nil {
		f.ProgressRatio = ProgressOf(*f.ElapsedSeconds, *h.RemainingSeconds)
	}
	return f
}

func less(s *Seconds, by time.Duration) *Seconds {
	if s == nil {
		return nil
	}
	d := max(0, s.Duration()-by)
	return SecondsIn(&d)
}
