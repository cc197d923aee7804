package runreport

import (
	"math"
	"slices"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// A Job is a row of the table of jobs. Bytes and records are sums over the attempts that succeeded; null if one of
// them did not report its own.
type Job struct {
	frame.Job
	WaitSeconds    *frame.Seconds `json:"wait_seconds"` // from its submission to its first task
	LengthSeconds  *frame.Seconds `json:"length_seconds"`
	OnPathSeconds  *frame.Seconds `json:"on_path_seconds"` // of the critical path
	InputBytes     *float64       `json:"input_bytes"`
	InputRecords   *float64       `json:"input_records"`
	ShuffleBytes   *float64       `json:"shuffle_bytes"`
	OutputRecords  *float64       `json:"output_records"`
	MapSeconds     *Spread        `json:"map_seconds"`    // of its maps' lengths
	ReduceSeconds  *Spread        `json:"reduce_seconds"` // of its reduces' lengths
	FailedAttempts int            `json:"failed_attempts"`
	KilledAttempts int            `json:"killed_attempts"`
}

// jobsOf returns the table of jobs, from the frame and from the attempts of the newest snapshot.
func jobsOf(s *dag.Snapshot, f *frame.Frame, a *TimeAttribution) []Job {
	out := make([]Job, len(f.Jobs))
	for j := range f.Jobs {
		out[j] = Job{Job: f.Jobs[j], OnPathSeconds: onPath(a, f.Jobs[j].Node)}
		if j >= len(s.Jobs) {
			continue
		}
		out[j].measure(&s.Plan.Jobs[j], &s.Jobs[j])
	}
	return out
}

// measure fills in the values from the attempts of a job.
func (to *Job) measure(plan *dag.Job, j *dag.JobState) {
	if first := firstStart(j); j.Submitted.Known() && first.Known() {
		to.WaitSeconds = frame.Since(max(first, j.Submitted), j.Submitted)
	}
	if j.Finished.Known() {
		to.LengthSeconds = frame.Since(j.Finished, j.Submitted)
	}
	for k := range j.Stages {
		for i := range j.Stages[k].Attempts {
			switch j.Stages[k].Attempts[i].State {
			case dag.AttemptFailed:
				to.FailedAttempts++
			case dag.AttemptKilled:
				if !j.Stages[k].Overtaken(i) {
					to.KilledAttempts++
				}
			case dag.AttemptWaiting, dag.AttemptRunning, dag.AttemptSucceeded:
			}
		}
	}
	if !plan.IsMapReduce() {
		to.measureStages(plan, j)
		return
	}
	to.MapSeconds, to.ReduceSeconds = spreadOf(j.Stages[dag.Map].Attempts), spreadOf(j.Stages[dag.Reduce].Attempts)
	to.InputBytes = amount(j.Stages[dag.Map].Attempts, func(a *dag.Attempt) float64 { return a.Bytes })
	to.InputRecords = amount(j.Stages[dag.Map].Attempts, func(a *dag.Attempt) float64 { return a.Done[0] })
	to.ShuffleBytes = amount(j.Stages[dag.Reduce].Attempts, func(a *dag.Attempt) float64 { return a.Bytes })
	last := j.Stages[dag.Reduce].Attempts
	if len(last) == 0 {
		last = j.Stages[dag.Map].Attempts
	}
	to.OutputRecords = amount(last, func(a *dag.Attempt) float64 { return a.Out })
}

// measureStages fills in the input of stages that read no other, the input of the others, and the output of stages
// that no stage reads.
func (to *Job) measureStages(plan *dag.Job, j *dag.JobState) {
	var first, others, last []dag.Attempt
	for k := range j.NumStages() {
		list := j.Stages[k].Attempts
		if len(plan.Stages[k].After) == 0 {
			first = append(first, list...)
		} else {
			others = append(others, list...)
		}
		read := func(s dag.Stage) bool {
			return slices.ContainsFunc(s.After, func(e dag.Edge) bool { return e.From == k })
		}
		if !slices.ContainsFunc(plan.Stages, read) {
			last = append(last, list...)
		}
	}
	to.InputBytes = amount(first, func(a *dag.Attempt) float64 { return a.Bytes })
	to.InputRecords = amount(first, func(a *dag.Attempt) float64 { return a.Done[0] })
	to.ShuffleBytes = amount(others, func(a *dag.Attempt) float64 { return a.Bytes })
	to.OutputRecords = amount(last, func(a *dag.Attempt) float64 { return a.Out })
}

// firstStart returns when the first attempt of a job started; NoInstant if none did.
func firstStart(j *dag.JobState) dag.Instant {
	first := dag.NoInstant
	for k := range j.Stages {
		for i := range j.Stages[k].Attempts {
			if t := j.Stages[k].Attempts[i].Start; t.Known() && (!first.Known() || t < first) {
				first = t
			}
		}
	}
	return first
}

// amount sums a value over the attempts that succeeded; nil if there are none or one did not report it.
func amount(list []dag.Attempt, of func(*dag.Attempt) float64) *float64 {
	total := math.NaN()
	for i := range list {
		if list[i].State != dag.AttemptSucceeded {
			continue
		}
		if math.IsNaN(total) {
			total = 0
		}
		total += of(&list[i])
		if math.IsNaN(total) {
			return nil
		}
	}
	return units.Rounded(total)
}

// onPath returns how much of the critical path is a job's; nil if the path is unknown.
func onPath(a *TimeAttribution, node string) *frame.Seconds {
	if len(a.Parts) == 0 {
		return nil
	}
	on := frame.Seconds(0)
	for i := range a.Parts {
		if p := &a.Parts[i]; p.Job != nil && *p.Job == node {
			on = frame.SecondsOf(on.Duration() + p.EndSeconds.Duration() - p.StartSeconds.Duration())
		}
	}
	return &on
}

func order(first bool) int {
	if first {
		return 1
	}
	return 0
}
