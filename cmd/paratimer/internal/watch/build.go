package watch

import (
	"slices"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/schedule"
)

// assumedMost is the share of the remaining time that may rest on assumptions in a headline. Above it the headline is
// a range without a point, or a floor ("at least 4m").
const assumedMost = 1.0 / 3

// answers are what the estimators said of one run. scenarios[0] is the headline's.
type answers struct {
	scenarios, others []estimators.Estimate
	sampled           estimators.Estimate // whose Distribution the range is taken from; without one there is none
	uneven            estimators.Estimate // whose Skew is told
}

// build makes the frame of a snapshot.
func build(s *dag.Snapshot, a answers, changes []frame.Change) frame.Frame {
	origin := s.Origin()
	f := frame.Frame{
		SchemaVersion:  frame.SchemaVersion,
		At:             frame.TimeOf(s.At),
		Workflow:       frame.Workflow{ID: frame.Text(s.ID), Name: frame.Text(s.Plan.Name), State: s.State},
		ElapsedSeconds: elapsed(s, origin),
		Quantiles:      []frame.Quantile{},
		Alerts:         []frame.Alert{},
		Estimates:      []frame.Estimate{},
		CriticalPath:   []frame.Segment{},
		Jobs:           jobs(s, a.scenarios),
		WaitingOn:      frame.Text(waitingOn(s, a.scenarios)),
		Changes:        changes,
		Warnings:       warnings(s, a),
		Tasks:          tasks(s, planned(s, a.scenarios)),
		Digest:         digest(s),
	}
	f.Failures, f.FailedAttempts = failures(s)
	f.Nodes = oddNodes(s, a.scenarios)
	if f.Changes == nil {
		f.Changes = []frame.Change{}
	}
	for _, e := range a.scenarios {
		f.Estimates = append(f.Estimates, estimate(s, e, f.ElapsedSeconds))
	}
	for _, e := range a.others {
		f.Others = append(f.Others, other(e, f.ElapsedSeconds))
	}
	if s.State.Ended() {
		end(&f, s)
		return f
	}
	if unheard(s) {
		end(&f, s)
		f.Digest = 0 // nothing is left that could move
		return f
	}
	if len(a.scenarios) > 0 {
		f.CriticalPath = segments(s, a.scenarios[0].Path, origin)
		f.Headline = headline(s.At, a.scenarios)
		spread(&f, a.scenarios[0].Origin, a.sampled)
		f.Skew = Skew(s, a.uneven.Skew, a.scenarios[0].Remaining)
	}
	if r := f.Headline.RemainingSeconds; r != nil && f.ElapsedSeconds != nil {
		f.ProgressRatio = frame.ProgressOf(*f.ElapsedSeconds, *r)
	}
	return f
}

// end makes a frame one of a query whose jobs are over: nothing remains, whatever estimators say.
func end(f *frame.Frame, s *dag.Snapshot) {
	zero := frame.Seconds(0)
	f.Headline = frame.Headline{RemainingSeconds: &zero, LowSeconds: &zero, HighSeconds: &zero, EndAt: frame.TimeOf(finish(s))}
	if s.State == dag.Succeeded || s.State == dag.Running && succeeded(s) {
		f.ProgressRatio = frame.RatioOf(1)
	}
}

// succeeded says that all jobs have.
func succeeded(s *dag.Snapshot) bool {
	for i := range s.Jobs {
		if s.Jobs[i].State != dag.Succeeded {
			return false
		}
	}
	return true
}

// elapsed counts from the first submission; of a query that is over, to its last job's end.
func elapsed(s *dag.Snapshot, origin dag.Instant) *frame.Seconds {
	if s.State.Ended() {
		return frame.Since(finish(s), origin)
	}
	return frame.Since(s.At, origin)
}

// finish is the last known end of a job; NoInstant where no job has ended.
func finish(s *dag.Snapshot) dag.Instant {
	last := dag.NoInstant
	for i := range s.Jobs {
		last = max(last, s.Jobs[i].Finished)
	}
	return last
}

// headline is the standard estimate within the range of the other scenarios, or a floor where too much is assumed.
func headline(at dag.Instant, scenarios []estimators.Estimate) frame.Headline {
	std := scenarios[0]
	h := frame.Headline{From: frame.Text(std.Scenario)}
	if std.Remaining == nil {
		h.LowSeconds = frame.SecondsIn(std.Low)
		return h
	}
	if std.AssumedRatio > assumedMost {
		low := floor(std)
		h.LowSeconds = frame.SecondsIn(&low)
		return h
	}
	low, high := *std.Remaining, *std.Remaining
	for _, e := range scenarios {
		for _, d := range []*time.Duration{e.Remaining, e.Low, e.High} {
			if d != nil {
				low, high = min(low, *d), max(high, *d)
			}
		}
	}
	h.RemainingSeconds, h.LowSeconds, h.HighSeconds = frame.SecondsIn(std.Remaining), frame.SecondsIn(&low), frame.SecondsIn(&high)
	h.EndAt = frame.TimeOf(at.Add(*std.Remaining))
	return h
}

// floor is the part of a remaining time that is not assumed.
func floor(e estimators.Estimate) time.Duration {
	if e.Low != nil {
		return *e.Low
	}
	return time.Duration(float64(*e.Remaining) * (1 - e.AssumedRatio))
}

func estimate(s *dag.Snapshot, e estimators.Estimate, elapsed *frame.Seconds) frame.Estimate {
	out := frame.Estimate{Scenario: e.Scenario, Meaning: e.Meaning, Origin: e.Origin, Moot: e.Moot}
	if e.Remaining == nil {
		out.Origin = schedule.Unknown
		return out
	}
	out.RemainingSeconds = frame.SecondsIn(e.Remaining)
	out.EndAt = frame.TimeOf(s.At.Add(*e.Remaining))
	if e.Probability != nil {
		out.Probability = frame.RatioOf(*e.Probability)
	}
	if elapsed != nil {
		total := frame.SecondsOf(elapsed.Duration() + *e.Remaining)
		out.TotalSeconds = &total
	}
	return out
}

func other(e estimators.Estimate, elapsed *frame.Seconds) frame.Other {
	o := frame.Other{Name: e.Scenario, RemainingSeconds: frame.SecondsIn(e.Remaining), ProgressRatio: frame.RatioOf(e.Progress)}
	if o.ProgressRatio == nil && o.RemainingSeconds != nil && elapsed != nil {
		o.ProgressRatio = frame.ProgressOf(*elapsed, *o.RemainingSeconds)
	}
	return o
}

// warnings are the observation's and the estimators', each once, in that order.
func warnings(s *dag.Snapshot, a answers) []dag.Warning {
	all := append(slices.Clone(s.Warnings), silentWarnings(s)...)
	for _, e := range a.scenarios {
		all = append(all, e.Warnings...)
	}
	all = append(all, a.uneven.Warnings...)
	out := make([]dag.Warning, 0, len(all))
	for _, w := range all {
		if !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}
