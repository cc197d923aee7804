package frame

import (
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/schedule"
)

// assumedMost is the largest fraction of the remaining time that may be assumed in a headline, unless the
// assumptions were measured on other programs. Above it the headline is a range without a point, or a lower bound
// ("at least 4m").
const assumedMost = 1.0 / 3

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
	origin := s.Origin()
	f := Frame{
		SchemaVersion: SchemaVersion,
		At:            TimeOf(s.At),
		Workflow: Workflow{
			ID: Text(s.ID), Name: Text(s.Plan.Name), State: s.State, Engine: s.Plan.Engine, Whole: s.Plan.Whole,
		},
		ElapsedSeconds: elapsed(s, origin),
		Quantiles:      []Quantile{},
		Alerts:         []Alert{},
		Estimates:      []Estimate{},
		CriticalPath:   []Segment{},
		Jobs:           jobs(s, a.Scenarios),
		WaitingOn:      Text(waitingOn(s, a.Scenarios)),
		Changes:        changes,
		Moves:          []Move{},
		Warnings:       warnings(s, a),
		Tasks:          tasks(s, planned(s, a.Scenarios)),
		Digest:         digest(s),
	}
	f.Failures, f.FailedAttempts = failures(s)
	f.Nodes = oddNodes(s, a.Scenarios)
	if f.Changes == nil {
		f.Changes = []Change{}
	}
	for _, e := range a.Scenarios {
		f.Estimates = append(f.Estimates, estimate(s, e, f.ElapsedSeconds))
	}
	for _, e := range a.Others {
		f.Others = append(f.Others, other(e, f.ElapsedSeconds))
	}
	if s.State.Ended() {
		end(&f, s)
		return f
	}
	if unconfirmed(s) {
		end(&f, s)
		f.Digest = 0 // no further progress is possible
		return f
	}
	if len(a.Scenarios) > 0 {
		f.CriticalPath = segments(s, a.Scenarios[0].Path, origin)
		f.Headline = headline(s.At, a.Scenarios)
		spread(&f, a.Scenarios[0].Origin, a.Sampled)
		f.Skew = SkewOf(s, a.Uneven.Skew, a.Scenarios[0].Remaining)
	}
	if r := f.Headline.RemainingSeconds; r != nil && f.ElapsedSeconds != nil {
		f.ProgressRatio = ProgressOf(*f.ElapsedSeconds, *r)
	}
	return f
}

// end sets the headline of a query after all its jobs have ended: nothing remains, whatever the estimates are.
func end(f *Frame, s *dag.Snapshot) {
	zero := Seconds(0)
	f.Headline = Headline{RemainingSeconds: &zero, LowSeconds: &zero, HighSeconds: &zero, EndAt: TimeOf(finish(s))}
	if s.State == dag.Succeeded || s.State == dag.Running && succeeded(s) {
		f.ProgressRatio = RatioOf(1)
	}
}

// succeeded reports whether all jobs succeeded.
func succeeded(s *dag.Snapshot) bool {
	for i := range s.Jobs {
		if s.Jobs[i].State != dag.Succeeded {
			return false
		}
	}
	return true
}

// elapsed counts from the first submission; for an ended query until the last job's end.
func elapsed(s *dag.Snapshot, origin dag.Instant) *Seconds {
	if s.State.Ended() {
		return Since(finish(s), origin)
	}
	return Since(s.At, origin)
}

// finish returns the last known end of a job; NoInstant if no job has ended.
func finish(s *dag.Snapshot) dag.Instant {
	last := dag.NoInstant
	for i := range s.Jobs {
		last = max(last, s.Jobs[i].Finished)
	}
	return last
}

// headline returns the standard estimate within the range of the other scenarios, or a lower bound if too much is
// assumed.
func headline(at dag.Instant, scenarios []estimators.Estimate) Headline {
	std := scenarios[0]
	h := Headline{From: Text(std.Scenario)}
	if std.Remaining == nil {
		h.LowSeconds = SecondsIn(std.Low)
		return h
	}
	if std.AssumedRatio > assumedMost && !std.Measured {
		low := floor(std)
		h.LowSeconds = SecondsIn(&low)
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

// floor returns the part of a remaining time that is not assumed.
func floor(e estimators.Estimate) time.Duration {
	if e.Low != nil {
		return *e.Low
	}
	return time.Duration(float64(*e.Remaining) * (1 - e.AssumedRatio))
}

func estimate(s *dag.Snapshot, e estimators.Estimate, elapsed *Seconds) Estimate {
	out := Estimate{Scenario: e.Scenario, Meaning: e.Meaning, Origin: e.Origin, Moot: e.Moot}
	if e.Remaining == nil {
		out.Origin = schedule.Unknown
		return out
	}
	out.RemainingSeconds = SecondsIn(e.Remaining)
	out.EndAt = TimeOf(s.At.Add(*e.Remaining))
	if e.Probability != nil {
		out.Probability = RatioOf(*e.Probability)
	}
	if elapsed != nil {
		total := SecondsOf(elapsed.Duration() + *e.Remaining)
		out.TotalSeconds = &total
	}
	return out
}

func other(e estimators.Estimate, elapsed *Seconds) Other {
	o := Other{Name: e.Scenario, RemainingSeconds: SecondsIn(e.Remaining), ProgressRatio: RatioOf(e.Progress)}
	if o.ProgressRatio == nil && o.RemainingSeconds != nil && elapsed != nil {
		o.ProgressRatio = ProgressOf(*elapsed, *o.RemainingSeconds)
	}
	return o
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
	all = append(all, a.Uneven.Warnings...)
	out := make([]dag.Warning, 0, len(all))
	for _, w := range all {
		if !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

// spread sets the frame's quantiles, the scenarios' probabilities, and the headline's 80% range. If too much is
// assumed for a point, only the range is set. If the pace of some running work is unknown (origin), there is no
// upper limit: the headline remains a lower bound.
func spread(f *Frame, origin schedule.Origin, e estimators.Estimate) {
	d := e.Distribution
	if len(d) == 0 {
		return
	}
	f.Left = d
	f.Headline.Rough = e.Runs < estimators.MinRuns
	for _, q := range Levels {
		f.Quantiles = append(f.Quantiles, Quantile{Q: q, RemainingSeconds: SecondsOf(d.At(q))})
	}
	for i := range f.Estimates {
		if r := f.Estimates[i].RemainingSeconds; r != nil {
			f.Estimates[i].ByProbability = RatioOf(1 - d.Above(r.Duration()))
		}
	}
	if point := f.Headline.RemainingSeconds; point != nil {
		// The point is standard's, which may lie outside the quantiles: the shown range is extended to it.
		low, high := min(SecondsOf(d.At(0.1)), *point), max(SecondsOf(d.At(0.9)), *point)
		f.Headline.LowSeconds, f.Headline.HighSeconds = &low, &high
		return
	}
	if f.Headline.LowSeconds == nil {
		return
	}
	low, high := SecondsOf(d.At(0.1)), SecondsOf(d.At(0.9))
	if origin >= schedule.Unknown {
		low = min(SecondsOf(d.At(0.05)), *f.Headline.LowSeconds)
		f.Headline.LowSeconds = &low
		return
	}
	f.Headline.LowSeconds, f.Headline.HighSeconds = &low, &high
}

// digest is a hash of everything that changes while a query makes progress: the states of jobs, the attempts of
// masters and tasks, and all counters. If it is the same in two snapshots there was no progress between them.
func digest(s *dag.Snapshot) uint64 {
	d := mixer(1)
	d.add(uint64(s.State))
	for i := range s.Jobs {
		j := &s.Jobs[i]
		d.add(uint64(j.State)<<32 | uint64(j.Attempt))
		for k := range j.Stages {
			p := &j.Stages[k]
			d.add(uint64(len(p.Attempts)))
			for k := range p.Attempts {
				d.attempt(&p.Attempts[k])
			}
		}
	}
	return max(uint64(d), 1) // 0 means that there is no digest
}

// A mixer is a hash like FNV-1a, but of 64-bit words instead of bytes.
type mixer uint64

func (m *mixer) add(v uint64) {
	h := (uint64(*m) ^ v) * 0x9e3779b97f4a7c15
	*m = mixer(h ^ h>>29)
}

func (m *mixer) attempt(a *dag.Attempt) {
	m.add(uint64(a.Task)<<32 | uint64(a.Number)<<8 | uint64(a.State))
	m.add(uint64(a.Start))
	m.add(uint64(a.End))
	for _, v := range a.Done {
		m.add(math.Float64bits(v))
	}
	m.add(math.Float64bits(a.Out))
	m.add(math.Float64bits(a.Bytes))
	m.add(math.Float64bits(a.Ratio))
}
