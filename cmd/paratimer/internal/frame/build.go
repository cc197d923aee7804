package frame

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/pathfrag"
	"github.com/paratimer/paratimer/schedule"
	"github.com/paratimer/paratimer/units"
)

// MostAssumed is the largest fraction of the remaining time that may be assumed in a headline, unless the
// assumptions were measured on other programs. Above it the headline is a range without a point, or a lower bound
// ("at least 4m").
const MostAssumed = 1.0 / 3

// Answers are the estimates for one run.
type Answers struct {
	Scenarios []estimators.Estimate // the first is the headline's
	Others    []estimators.Estimate // other methods, for comparison
	Sampled   estimators.Estimate   // the range is taken from its Distribution; if that is empty there is no range
	Uneven    estimators.Estimate   // its Skew is shown
}

// A Tick is one observation of a query and all results from it.
type Tick struct {
	// Snapshot is the observation; nil if it was missed, and Frame repeats the last one.
	Snapshot *dag.Snapshot
	// Run is everything observed of the query so far, including Snapshot.
	Run dag.Run
	// Answers are the estimates for Frame, of all scenarios; none if the observation was missed.
	Answers Answers
	Frame   Frame
}

// Of builds the frame of a snapshot from the estimates, and from the causes of the last change of the predicted
// end.
func Of(s *dag.Snapshot, a Answers, changes []Change) Frame {
	var std estimators.Estimate // the headline's
	if len(a.Scenarios) > 0 {
		std = a.Scenarios[0]
	}
	none := &pathfrag.Path{Schedule: &schedule.Schedule{}}
	path := cmp.Or(std.Path, none)
	over := s.State.Ended() || unconfirmed(s)
	if over {
		path = none
	}
	next := futureOf(none)
	if std.Remaining != nil { // without an estimate, costs are lower bounds and times no predictions
		next = futureOf(path)
	}
	on, span := WaitedFor(s, std.Path)
	f := Frame{
		SchemaVersion: SchemaVersion,
		At:            TimeOf(s.At),
		Workflow: Workflow{
			ID: Text(s.ID), Name: Text(s.Plan.Name), State: s.State, Engine: s.Plan.Engine, Whole: s.Plan.Whole,
		},
		ElapsedSeconds: elapsed(s),
		Quantiles:      []Quantile{},
		Alerts:         []Alert{},
		CriticalPath:   segments(s, path),
		Jobs:           jobs(s, path, next),
		WaitingOn:      Text(waitingOn(s, on, span)),
		Changes:        append([]Change{}, changes...),
		Moves:          []Move{},
		Warnings:       warnings(s, a),
		Nodes:          oddNodes(s, std.Nodes),
		Tasks:          tasks(s, next),
		Digest:         digest(s),
	}
	if on.Attempt != nil {
		f.WaitingURL = s.Plan.Jobs[on.Job].Stages[on.Stage].URL
	}
	f.Failures, f.FailedAttempts = failures(s)
	f.Estimates = units.Each(a.Scenarios, func(e estimators.Estimate) Estimate {
		return EstimateOf(s.At, e, f.ElapsedSeconds)
	})
	f.Others = units.Each(a.Others, func(e estimators.Estimate) Other {
		left := SecondsIn(e.Remaining)
		progress := cmp.Or(RatioOf(e.Progress), progressOf(f.ElapsedSeconds, left))
		return Other{Name: e.Scenario, RemainingSeconds: left, ProgressRatio: progress}
	})
	switch {
	case over:
		end(&f, s)
		return f
	case len(a.Scenarios) > 0:
		f.Headline = headline(s.At, a.Scenarios)
		spread(&f, std.Origin, a.Sampled)
		f.Skew = SkewOf(s, a.Uneven.Skew, std.Remaining)
	}
	f.ProgressRatio = progressOf(f.ElapsedSeconds, f.Headline.RemainingSeconds)
	return f
}

// end sets the headline of a query after all its jobs have ended: nothing remains, whatever the estimates are.
func end(f *Frame, s *dag.Snapshot) {
	zero := Seconds(0)
	f.Headline = Headline{RemainingSeconds: &zero, LowSeconds: &zero, HighSeconds: &zero, EndAt: TimeOf(s.LastEnd())}
	if !s.State.Ended() {
		f.Digest = 0 // no further progress is possible
	}
	failed := func(j dag.JobState) bool { return j.State != dag.Succeeded }
	if s.State == dag.Succeeded || s.State == dag.Running && !slices.ContainsFunc(s.Jobs, failed) {
		f.ProgressRatio = RatioOf(1)
	}
}

// elapsed counts from the first submission; for an ended query until the last job's end.
func elapsed(s *dag.Snapshot) *Seconds {
	if s.State.Ended() {
		return Since(s.LastEnd(), s.Origin())
	}
	return Since(s.At, s.Origin())
}

// headline returns the standard estimate within the range of the other scenarios, or, if too much is assumed, a lower
// bound: the part of the estimate that is not assumed.
func headline(at dag.Instant, scenarios []estimators.Estimate) Headline {
	std := scenarios[0]
	h := Headline{From: Text(std.Scenario)}
	if std.Remaining == nil || std.AssumedRatio > MostAssumed && !std.Measured {
		if h.LowSeconds = SecondsIn(std.Low); h.LowSeconds == nil && std.Remaining != nil {
			h.LowSeconds = new(SecondsOf(time.Duration(float64(*std.Remaining) * (1 - std.AssumedRatio))))
		}
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
	h.RemainingSeconds, h.LowSeconds, h.HighSeconds = SecondsIn(std.Remaining), SecondsIn(&low), SecondsIn(&high)
	h.EndAt = TimeOf(at.Add(*std.Remaining))
	if std.More != nil {
		h.MoreRatio = RatioOf(*std.More)
	}
	return h
}

// EstimateOf returns the estimate that a scenario made at an instant, some time after the first submission.
func EstimateOf(at dag.Instant, e estimators.Estimate, elapsed *Seconds) Estimate {
	out := Estimate{Scenario: e.Scenario, Meaning: e.Meaning, Origin: e.Origin, Moot: e.Moot}
	if e.Remaining == nil {
		out.Origin = schedule.Unknown
		return out
	}
	out.RemainingSeconds, out.EndAt = SecondsIn(e.Remaining), TimeOf(at.Add(*e.Remaining))
	if e.Probability != nil {
		out.Probability = RatioOf(*e.Probability)
	}
	out.TotalSeconds = elapsed.Plus(out.RemainingSeconds)
	return out
}

// warnings returns the warnings of the observation, then of the estimates, without duplicates.
func warnings(s *dag.Snapshot, a Answers) []dag.Warning {
	all := slices.Clone(s.Warnings)
	for _, on := range silentOnes(s) {
		all = append(all, dag.Warning{Code: dag.WarnNotReporting, Text: describe(s, on)})
	}
	for _, e := range a.Scenarios {
		all = append(all, e.Warnings...)
	}
	return Once(append(all, a.Uneven.Warnings...))
}

// Once returns a list without duplicates, each at its first place.
func Once[S ~[]T, T comparable](all S) S {
	out := make(S, 0, len(all))
	for _, v := range all {
		if !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

// spread sets the frame's quantiles, the scenarios' probabilities, and the headline's 80% range. If too much is
// assumed for a point, only the range is set. If the pace of some running work is unknown (origin), there is no
// upper limit: the headline remains a lower bound.
func spread(f *Frame, origin schedule.Origin, e estimators.Estimate) {
	d, h := e.Distribution, &f.Headline
	if len(d) == 0 {
		return
	}
	f.Left = d
	h.Rough = e.Runs < estimators.MinRuns
	for _, q := range Levels {
		f.Quantiles = append(f.Quantiles, Quantile{Q: q, RemainingSeconds: SecondsOf(d.At(q))})
	}
	for i := range f.Estimates {
		if r := f.Estimates[i].RemainingSeconds; r != nil {
			f.Estimates[i].ByProbability = RatioOf(1 - d.Above(r.Duration()))
		}
	}
	low, high := SecondsOf(d.At(0.1)), SecondsOf(d.At(0.9))
	switch point := h.RemainingSeconds; {
	case point != nil:
		// The point is standard's, which may lie outside the quantiles: the shown range is extended to it.
		h.LowSeconds, h.HighSeconds = new(min(low, *point)), new(max(high, *point))
	case h.LowSeconds == nil:
	case origin >= schedule.Unknown:
		h.LowSeconds = new(min(SecondsOf(d.At(0.05)), *h.LowSeconds))
	default:
		h.LowSeconds, h.HighSeconds = &low, &high
	}
}

// digest is a hash of everything that changes while a query makes progress: the states of jobs, the attempts of
// masters and tasks, and all counters. If it is the same in two snapshots there was no progress between them. It is
// like FNV-1a, but of 64-bit words instead of bytes.
func digest(s *dag.Snapshot) uint64 {
	h, bits := uint64(1), math.Float64bits
	add := func(words ...uint64) {
		for _, v := range words {
			h = (h ^ v) * 0x9e3779b97f4a7c15
			h ^= h >> 29
		}
	}
	add(uint64(s.State))
	for _, j := range s.Jobs {
		add(uint64(j.State)<<32|uint64(j.Attempt), uint64(len(j.Stages)))
		for k, a := range j.All() {
			add(uint64(k), uint64(a.Task)<<32|uint64(a.Number)<<8|uint64(a.State), uint64(a.Start), uint64(a.End))
			add(bits(a.Done[0]), bits(a.Done[1]), bits(a.Done[2]), bits(a.Out), bits(a.Bytes), bits(a.Ratio))
		}
	}
	return max(h, 1) // 0 means that there is no digest
}
