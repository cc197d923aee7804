// Package frame is what one tick says, and how that is made of a snapshot and the estimates: the vocabulary between the
// loop, alerts, views and metrics. docs/frames.md is the contract of its JSON.
package frame

import (
	"math"
	"strings"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/schedule"
)

// SchemaVersion is the version of the frame's JSON. Fields may be added within a version, never renamed or removed;
// closed sets stay closed. 2 added the reason model and the warning code key_groups to them, 3 the scenarios about
// other applications and the warning codes node_closed, unverified and too_large.
const SchemaVersion = 3

// A Frame is what one tick says. Its JSON is a contract (docs/frames.md): unknown is null, times are RFC 3339 in UTC,
// lengths of time are seconds, ratios lie in 0..1. Seconds of a point in time count from the first job's submission.
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
	// Nodes are those of which something is to be said; none: of no node.
	Nodes []Node `json:"nodes,omitempty"`
	// Who holds it up, and how many others wait for what it holds. Only who watches all of them knows; nil: not known,
	// or nobody.
	HeldUpBy *HeldUp `json:"held_up_by,omitempty"`
	HoldsUp  *int    `json:"holds_up,omitempty"`

	// Waits is WaitingOn in short, for people: "map 16 of j2 on node 2"; "": use WaitingOn. It is in no JSON.
	Waits string `json:"-"`
	// Tasks tells of a job's tasks (index in Jobs); nil: nobody can. It is in no JSON.
	Tasks TasksOf `json:"-"`
	// Left is the distribution of the remaining time that Quantiles are taken from. Alerts ask it; it is in no JSON.
	Left estimators.Distribution `json:"-"`
	// Digest is of everything that moves while a query runs: states, attempts, counters. 0: nobody made one. It is in
	// no JSON.
	Digest uint64 `json:"-"`
}

// TooLarge reports whether the workflow has more tasks than are estimated, so that no number will come.
func (f *Frame) TooLarge() bool {
	return dag.TooLarge(f.Warnings)
}

// WaitsFor is what the query waits for, in short; "" where that is not known.
func (f *Frame) WaitsFor() string {
	if f.Waits == "" && f.WaitingOn != nil {
		return *f.WaitingOn
	}
	return f.Waits
}

// A Quantile is the time within which the query ends with probability Q.
type Quantile struct {
	Q                float64 `json:"q"`
	RemainingSeconds Seconds `json:"remaining_seconds"`
}

// Levels are the orders of Quantiles.
var Levels = [...]float64{0.05, 0.10, 0.25, 0.50, 0.75, 0.90, 0.95}

// A Workflow names the query that is watched.
type Workflow struct {
	ID    *string   `json:"id"`
	Name  *string   `json:"name"`
	State dag.State `json:"state"`
	// Engine is what runs it: "Tez", "Spark"; "" is MapReduce.
	Engine string `json:"engine,omitempty"`
	// Whole is what the engine calls it if it is one job; zero: it is of jobs.
	Whole dag.Whole `json:"-"`
}

// A Headline is the one answer to "when": the remaining time, or a floor of it where too much is assumed.
type Headline struct {
	RemainingSeconds *Seconds `json:"remaining_seconds"`
	LowSeconds       *Seconds `json:"low_seconds"`
	HighSeconds      *Seconds `json:"high_seconds"`
	EndAt            *Time    `json:"end_at"`
	From             *string  `json:"from"` // the scenario that it was taken from
	// Rough says that fewer than estimators.MinRuns earlier runs back the 80 % range.
	Rough bool `json:"rough"`
	// MoreRatio is how likely it is that the application submits work that nothing has announced, of a first run alone:
	// RemainingSeconds counts what such programs submit later in the median.
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
	// Probability is that of as many failures from now on as the scenario supposes, ByProbability that of the query
	// ending within RemainingSeconds.
	Probability   *Ratio `json:"probability"`
	ByProbability *Ratio `json:"by_probability"`
	// Moot: it is about others' applications, there are none, and it is what the first one says.
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

// A Job is how far a job is and how much later it may end without moving the end of the query.
type Job struct {
	Node  string    `json:"node"`
	ID    *string   `json:"id"`
	Name  *string   `json:"name"`
	After []string  `json:"after"` // nodes of the jobs whose outputs it reads
	State dag.State `json:"state"`
	// Diagnosis is why it failed, as the engine says; nil: it did not, or nobody says.
	Diagnosis    *string  `json:"diagnosis,omitempty"`
	SlackSeconds *Seconds `json:"slack_seconds"`
	Maps         Tasks    `json:"maps"`
	Reduces      Tasks    `json:"reduces"`
	Stages       []Stage  `json:"stages"` // in the order of the plan; of a MapReduce job map and reduce
	// Critical says that the critical path goes through it from now on.
	Critical bool `json:"critical"`
	// SubmittedSeconds and EndSeconds are seen or, as far as they lie after the frame's instant, predicted by standard.
	SubmittedSeconds *Seconds `json:"submitted_seconds"`
	EndSeconds       *Seconds `json:"end_seconds"`
	// its stages that have tasks, in the order of the plan; empty where not known
	Stretches []Stretch `json:"stretches"`
}

// A Stage is how far a stage of a job is.
type Stage struct {
	Name  string   `json:"name"`
	After []string `json:"after"` // the stages that it reads
	// Edges are the kinds of these, in the order of After: slow_start, broadcast. Only of a DAG of Tez.
	Edges []string `json:"edges,omitempty"`
	// AtMost is how many tasks it may have at most, if its engine has not submitted it. Only of Spark's applications.
	AtMost int `json:"at_most,omitempty"`
	Tasks
}

// Tasks counts a stage's tasks. Total is nil while nobody has said how many there will be.
type Tasks struct {
	Total   *int `json:"total"`
	Done    int  `json:"done"`
	Running int  `json:"running"`
}

// Known adds up the tasks of a job's stages as far as they are known; all is false where the number of some is not.
func (j *Job) Known() (sum Tasks, all bool) {
	stages := []Tasks{j.Maps, j.Reduces}
	if len(j.Stages) > 0 {
		stages = stages[:0]
		for k := range j.Stages {
			stages = append(stages, j.Stages[k].Tasks)
		}
	}
	n := 0
	sum.Total, all = &n, true
	for _, t := range stages {
		if t.Total == nil {
			all = false
		} else {
			n += *t.Total
		}
		sum.Done, sum.Running = sum.Done+t.Done, sum.Running+t.Running
	}
	return sum, all
}

// IsMapReduce reports whether the job has maps and reduces, or nobody has said what it has.
func (j *Job) IsMapReduce() bool {
	return len(j.Stages) == 0 || len(j.Stages) == dag.MapReduceStages &&
		j.Stages[dag.Map].Name == dag.MapReduceName(dag.Map)
}

// IsWhole reports whether the query is one job that its engine was given whole: it has stages and no jobs for people.
func (f *Frame) IsWhole() bool { return f.Workflow.IsWhole(len(f.Jobs)) }

// IsWhole reports whether a workflow of so many jobs is one that its engine was given whole.
func (w Workflow) IsWhole(jobs int) bool { return w.Whole.Name != "" && jobs == 1 }

// What says in a sentence what a workflow is that is whole: "a DAG of Tez", "an application of Spark".
func (w Workflow) What() string {
	if strings.ContainsAny(w.Whole.Name[:1], "aeiou") {
		return "an " + w.Whole.Name + " of " + w.Engine
	}
	return "a " + w.Whole.Name + " of " + w.Engine
}

// An Other is what another estimator says, for comparison.
type Other struct {
	Name             string   `json:"name"`
	RemainingSeconds *Seconds `json:"remaining_seconds"`
	ProgressRatio    *Ratio   `json:"progress_ratio"`
}

// Seconds is a length of time in seconds, to the millisecond.
type Seconds float64

// SecondsOf converts d.
func SecondsOf(d time.Duration) Seconds { return Seconds(float64(d.Milliseconds()) / 1000) }

// Duration converts back.
func (s Seconds) Duration() time.Duration {
	return time.Duration(math.Round(float64(s)*1000)) * time.Millisecond
}

// A Ratio lies in 0..1 and is given to a millionth.
type Ratio float64

// RatioOf limits v to 0..1; nil if v is NaN.
func RatioOf(v float64) *Ratio {
	if math.IsNaN(v) {
		return nil
	}
	r := Ratio(math.Round(min(max(v, 0), 1)*1e6) / 1e6)
	return &r
}

// Times is a factor, to the hundredth.
type Times float64

// TimesOf is nil where there is no factor.
func TimesOf(v float64) *Times {
	if !(v > 0) || math.IsInf(v, 0) {
		return nil
	}
	t := Times(math.Round(v*100) / 100)
	return &t
}

// Time is an instant of the cluster's clock.
type Time struct{ dag.Instant }

// MarshalText gives RFC 3339 in UTC with milliseconds.
func (t Time) MarshalText() ([]byte, error) {
	return []byte(t.Instant.Time().Format("2006-01-02T15:04:05.000Z07:00")), nil
}

// UnmarshalText reads RFC 3339.
func (t *Time) UnmarshalText(b []byte) error {
	v, err := time.Parse(time.RFC3339, string(b))
	t.Instant = dag.InstantOf(v)
	return err
}

// TimeOf is nil if the instant is not known.
func TimeOf(t dag.Instant) *Time {
	if !t.Known() {
		return nil
	}
	return &Time{t}
}

// SecondsIn returns a length of time in seconds; nil stays nil.
func SecondsIn(d *time.Duration) *Seconds {
	if d == nil {
		return nil
	}
	s := SecondsOf(*d)
	return &s
}

// Since returns the seconds from origin to t; nil if either is not known.
func Since(t, origin dag.Instant) *Seconds {
	if !t.Known() || !origin.Known() {
		return nil
	}
	s := SecondsOf(t.Sub(origin))
	return &s
}

// Text is nil for the empty string, which JSON shows as null.
func Text(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// ProgressOf is eq. (1) of the paper, its misprint corrected (docs/facts/paratimer.md P1).
func ProgressOf(elapsed, remaining Seconds) *Ratio {
	return RatioOf(float64(elapsed) / float64(elapsed+remaining))
}
