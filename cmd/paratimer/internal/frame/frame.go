// Package frame defines the content of one tick, and builds it from a snapshot and the estimates. The loop, alerts,
// views and metrics all use it. docs/frames.md is the contract of its JSON.
package frame

import (
	"cmp"
	"math"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/schedule"
)

// SchemaVersion is the version of the frame's JSON. Fields may be added within a version, never renamed or removed;
// closed sets stay closed. 2 added the reason model and the warning code key_groups to them, 3 the scenarios about
// other applications and the warning codes node_closed, unverified and too_large.
const SchemaVersion = 3

// A Frame is the content of one tick. Its JSON is a contract (docs/frames.md): unknown is null, times are RFC 3339
// in UTC, lengths of time are seconds, ratios lie in 0..1. Seconds of a point in time count from the first job's
// submission.
type Frame struct {
	SchemaVersion  int           `json:"schema_version"`
	At             *Time         `json:"at"`
	Workflow       Workflow      `json:"workflow"`
	ElapsedSeconds *Seconds      `json:"elapsed_seconds"`
	ProgressRatio  *Ratio        `json:"progress_ratio"`
	StaleSeconds   Seconds       `json:"stale_seconds"`
	Headline       Headline      `json:"headline"`
	Quantiles      []Quantile    `json:"quantiles"`
	Estimates      []Estimate    `json:"estimates"`
	CriticalPath   []Segment     `json:"critical_path"`
	Jobs           []Job         `json:"jobs"`
	WaitingOn      *string       `json:"waiting_on"`
	WaitingURL     string        `json:"waiting_url,omitempty"` // the page of the stage of that task
	Changes        []Change      `json:"changes"`
	Moves          []Move        `json:"moves"`
	Replans        Replans       `json:"replans"`
	Warnings       []dag.Warning `json:"warnings"`
	Alerts         []Alert       `json:"alerts"`
	Skew           []Skew        `json:"skew"` // nil: not known
	Others         []Other       `json:"others,omitempty"`
	// Failures are the newest ones, newest first, at most MostFailures; FailedAttempts counts all.
	Failures       []Failure `json:"failures"`
	FailedAttempts int       `json:"failed_attempts"`
	// Nodes are the nodes that differ from the others; may be empty.
	Nodes []Node `json:"nodes,omitempty"`
	// HeldUpBy is the workflow that blocks this one, and HoldsUp the number of workflows that this one blocks. Only
	// a fleet finds them; nil: unknown, or none.
	HeldUpBy *HeldUp `json:"held_up_by,omitempty"`
	HoldsUp  *int    `json:"holds_up,omitempty"`

	// Tasks lists a job's tasks (index in Jobs); nil: unknown. It is not in the JSON.
	Tasks TasksOf `json:"-"`
	// Left is the distribution of the remaining time, the source of Quantiles. Alerts use it; it is not in the
	// JSON.
	Left estimators.Distribution `json:"-"`
	// Digest is a hash of everything that changes while a query makes progress: states, attempts, counters. 0:
	// none. It is not in the JSON.
	Digest uint64 `json:"-"`
}

// Elapsed returns the time from the first job's submission to the frame; 0 if unknown.
func (f *Frame) Elapsed() Seconds { return ValueOf(f.ElapsedSeconds) }

// IDs returns the ids that a run may be known by: the workflow's, "" if unknown, and those of its jobs. A script has
// the id of its first job until the job's master responds.
func (f *Frame) IDs() []string {
	ids := []string{ValueOf(f.Workflow.ID)}
	for i := range f.Jobs {
		if id := f.Jobs[i].ID; id != nil {
			ids = append(ids, *id)
		}
	}
	return ids
}

// TooLarge reports whether the workflow has too many tasks to be estimated, so that it will never have an estimate.
func (f *Frame) TooLarge() bool { return dag.TooLarge(f.Warnings) }

// WaitsFor returns what the query waits for; "" if unknown.
func (f *Frame) WaitsFor() string { return ValueOf(f.WaitingOn) }

// ValueOf returns what p points to; the zero value if it is unknown.
func ValueOf[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// A Quantile is the time within which the query ends with probability Q.
type Quantile struct {
	Q                float64 `json:"q"`
	RemainingSeconds Seconds `json:"remaining_seconds"`
}

// Levels are the probabilities of Quantiles.
var Levels = [...]float64{0.05, 0.10, 0.25, 0.50, 0.75, 0.90, 0.95}

// A Workflow identifies the watched query.
type Workflow struct {
	ID    *string   `json:"id"`
	Name  *string   `json:"name"`
	State dag.State `json:"state"`
	// Engine is the execution engine: "Tez", "Spark"; "" is MapReduce.
	Engine string `json:"engine,omitempty"`
	// Whole is the engine's term for the query if it is a single job; zero: it consists of jobs.
	Whole dag.Whole `json:"-"`
}

// Label returns the name of a workflow, or else its id; "" if it has neither.
func (w Workflow) Label() string { return cmp.Or(ValueOf(w.Name), ValueOf(w.ID)) }

// A Headline is the main answer to "when": the remaining time, or a lower bound of it if too much is assumed.
type Headline struct {
	RemainingSeconds *Seconds `json:"remaining_seconds"`
	LowSeconds       *Seconds `json:"low_seconds"`
	HighSeconds      *Seconds `json:"high_seconds"`
	EndAt            *Time    `json:"end_at"`
	From             *string  `json:"from"` // the scenario of the estimate
	// Rough is true if fewer than estimators.MinRuns earlier runs support the 80% range.
	Rough bool `json:"rough"`
	// MoreRatio is the probability that the application submits further work that is not announced yet; only in a
	// first run. RemainingSeconds includes the median of such work.
	MoreRatio *Ratio `json:"more_ratio,omitempty"`
}

// An Estimate is the remaining time under one named scenario.
type Estimate struct {
	Scenario         string          `json:"scenario"`
	RemainingSeconds *Seconds        `json:"remaining_seconds"`
	TotalSeconds     *Seconds        `json:"total_seconds"`
	EndAt            *Time           `json:"end_at"`
	Origin           schedule.Origin `json:"origin"`
	Meaning          string          `json:"meaning"`
	// Probability is that of as many failures from now on as the scenario assumes, ByProbability that of the query
	// ending within RemainingSeconds.
	Probability   *Ratio `json:"probability"`
	ByProbability *Ratio `json:"by_probability"`
	// It is true if the scenario is about other applications, but there are none, so that it equals the first
	// scenario.
	Moot bool `json:"moot,omitempty"`
}

// A Segment is a part of the critical path.
type Segment struct {
	Jobs         []string `json:"jobs"`
	Phase        Phase    `json:"phase"`
	StartSeconds *Seconds `json:"start_seconds"`
	EndSeconds   *Seconds `json:"end_seconds"`
	Slots        int      `json:"slots"`
}

// IsWhole reports whether the query is a single job of its engine: views show its stages and no jobs.
func (f *Frame) IsWhole() bool { return f.Workflow.IsWhole(len(f.Jobs)) }

// IsWhole reports whether a workflow with that many jobs is a single job of its engine.
func (w Workflow) IsWhole(jobs int) bool { return w.Whole.Name != "" && jobs == 1 }

// What describes a whole workflow: "Tez DAG", "Spark application".
func (w Workflow) What() string { return w.Engine + " " + w.Whole.Name }

// An Other is another estimator's result, for comparison.
type Other struct {
	Name             string   `json:"name"`
	RemainingSeconds *Seconds `json:"remaining_seconds"`
	ProgressRatio    *Ratio   `json:"progress_ratio"`
}

// Seconds is a length of time in seconds, to the millisecond.
type Seconds float64

// SecondsOf converts a duration.
func SecondsOf(d time.Duration) Seconds { return Seconds(float64(d.Milliseconds()) / 1000) }

// Duration converts to a duration.
func (s Seconds) Duration() time.Duration {
	return time.Duration(math.Round(float64(s)*1000)) * time.Millisecond
}

// Plus returns the sum of two lengths of time; nil if one is unknown.
func (s *Seconds) Plus(more *Seconds) *Seconds {
	if s == nil || more == nil {
		return nil
	}
	return new(SecondsOf(s.Duration() + more.Duration()))
}

// A Ratio lies in 0..1, rounded to a millionth.
type Ratio float64

// RatioOf limits v to 0..1; nil if v is NaN.
func RatioOf(v float64) *Ratio {
	if math.IsNaN(v) {
		return nil
	}
	return new(Ratio(math.Round(min(max(v, 0), 1)*1e6) / 1e6))
}

// Times is a factor, rounded to the hundredth.
type Times float64

// TimesOf rounds v; nil if v is not a positive finite number.
func TimesOf(v float64) *Times {
	if !(v > 0) || math.IsInf(v, 0) {
		return nil
	}
	return new(Times(math.Round(v*100) / 100))
}

// Time is an instant of the cluster's clock.
type Time struct{ dag.Instant }

// Time returns the instant as a time; the zero time if t is nil.
func (t *Time) Time() time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.Instant.Time()
}

// MarshalText formats as RFC 3339 in UTC with milliseconds.
func (t Time) MarshalText() ([]byte, error) {
	return []byte(t.Instant.Time().Format("2006-01-02T15:04:05.000Z07:00")), nil
}

// UnmarshalText parses RFC 3339.
func (t *Time) UnmarshalText(b []byte) error {
	v, err := time.Parse(time.RFC3339, string(b))
	t.Instant = dag.InstantOf(v)
	return err
}

// TimeOf returns nil if the instant is unknown.
func TimeOf(t dag.Instant) *Time {
	if !t.Known() {
		return nil
	}
	return &Time{t}
}

// InstantOf returns the instant; dag.NoInstant if t is nil.
func InstantOf(t *Time) dag.Instant {
	if t == nil {
		return dag.NoInstant
	}
	return t.Instant
}

// SecondsIn returns a length of time in seconds; nil stays nil.
func SecondsIn(d *time.Duration) *Seconds {
	if d == nil {
		return nil
	}
	return new(SecondsOf(*d))
}

// Since returns the seconds from origin to t; nil if either is not known.
func Since(t, origin dag.Instant) *Seconds {
	if !t.Known() || !origin.Known() {
		return nil
	}
	return new(SecondsOf(t.Sub(origin)))
}

// Text returns nil for the empty string, so that JSON has null.
func Text(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// progressOf is eq. (1) of the paper, its misprint corrected (facts/paratimer.md P1); nil if a time is unknown.
func progressOf(elapsed, remaining *Seconds) *Ratio {
	if elapsed == nil || remaining == nil {
		return nil
	}
	return RatioOf(float64(*elapsed) / float64(*elapsed+*remaining))
}

// An AlertState is the state of a query with respect to one bound.
type AlertState string

// The states of an alert.
const (
	OnTrack AlertState = "on_track"
	AtRisk  AlertState = "at_risk" // it will probably break the bound, for several ticks already
	Late    AlertState = "late"    // it has broken the bound and still runs
	Ended   AlertState = "ended"
	Blind   AlertState = "blind" // it cannot be observed: neither fires nor resolves
)

// An Outcome is whether an ended query met its bound.
type Outcome string

// The outcomes.
const (
	Met    Outcome = "met"
	Missed Outcome = "missed"
)

// An Alert is the state of one bound. Views and sinks only show it.
type Alert struct {
	Bound       string     `json:"bound"` // unique in the frame
	State       AlertState `json:"state"`
	Outcome     *Outcome   `json:"outcome"` // after the end
	Probability *Ratio     `json:"probability"`
	DeadlineAt  *Time      `json:"deadline_at"`
	Since       *Time      `json:"since"` // when the state began
	// BySeconds is how much later than the deadline the end is expected; negative: earlier.
	BySeconds *Seconds `json:"by_seconds"`
	// Text describes the alert: the delay, the probability, since when, what the query waits for, what changed.
	Text string `json:"text"`
	// Opened means that the bound was judged before the query ended.
	Opened bool `json:"-"`
}

// Firing reports whether the alert should reach people.
func (s AlertState) Firing() bool { return s == AtRisk || s == Late }

// A HeldUp is the workflow that blocks another one: it uses the most of what the other waits for.
type HeldUp struct {
	ID    *string `json:"id"` // of the blocking workflow
	Name  *string `json:"name"`
	User  *string `json:"user"`
	Queue *string `json:"queue"`
	// Scope is the limit that the two share: cluster, queue, user (the limit of one user in a queue), or masters
	// (of the queue).
	Scope string `json:"scope"`
	// Containers are the blocking workflow's part of OfContainers, the containers in use within the scope; in the
	// scope masters they are masters.
	Containers   int     `json:"containers"`
	OfContainers int     `json:"of_containers"`
	ForSeconds   Seconds `json:"for_seconds"` // how long this has lasted
	EndAt        *Time   `json:"end_at"`      // its predicted end
}
