package runreport

import (
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/floats"

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

// A Spread has quantiles of the lengths of finished tasks, from start to end.
type Spread struct {
	Tasks  int           `json:"tasks"`
	Min    frame.Seconds `json:"min"`
	Median frame.Seconds `json:"median"`
	P90    frame.Seconds `json:"p90"`
	Max    frame.Seconds `json:"max"`
}

// spreadOf returns nil if no task has finished.
func spreadOf(list []dag.Attempt) *Spread {
	var all []time.Duration
	for i := range list {
		if a := &list[i]; a.State == dag.AttemptSucceeded && a.Start.Known() && a.End >= a.Start {
			all = append(all, a.End.Sub(a.Start))
		}
	}
	if len(all) == 0 {
		return nil
	}
	slices.Sort(all)
	at := func(q float64) frame.Seconds { return frame.SecondsOf(all[int(q*float64(len(all)-1))]) }
	return &Spread{Tasks: len(all), Min: at(0), Median: at(0.5), P90: at(0.9), Max: at(1)}
}

// jobsOf returns the table of jobs, from the frame and from the attempts of the newest snapshot.
func jobsOf(s *dag.Snapshot, f *frame.Frame, a *TimeAttribution) []Job {
	out := make([]Job, len(f.Jobs))
	for j := range f.Jobs {
		out[j] = Job{Job: f.Jobs[j]}
		if len(a.Parts) > 0 {
			out[j].OnPathSeconds = new(frame.SecondsOf(a.byNode[f.Jobs[j].Node]))
		}
		if j < len(s.Jobs) {
			out[j].measure(&s.Plan.Jobs[j], &s.Jobs[j])
		}
	}
	return out
}

// total returns the sum of what attempts reported; nil if there are none, or if one did not report its own.
func total(all []float64) *float64 {
	if len(all) == 0 {
		return nil
	}
	return units.Rounded(floats.Sum(all))
}

// measure fills in the values from the attempts of a job: the input of stages that read no other, the input of the
// others, and the output of stages that no stage with tasks reads.
func (to *Job) measure(plan *dag.Job, j *dag.JobState) {
	var input, records, shuffled, output []float64
	first := dag.Instant(math.MaxInt64)
	isRead := map[dag.StageIndex]bool{}
	for l := range j.NumStages() {
		for _, e := range plan.Stages[l].After {
			isRead[e.From] = isRead[e.From] || len(j.Stages[l].Attempts) > 0
		}
	}
	for k, a := range j.All() {
		if a.Start.Known() {
			first = min(first, a.Start)
		}
		if a.State != dag.AttemptSucceeded {
			to.FailedAttempts += order(a.State == dag.AttemptFailed)
			to.KilledAttempts += order(a.State == dag.AttemptKilled && !j.Stages[k].Overtaken(a))
			continue
		}
		if len(plan.Stages[k].After) == 0 {
			input, records = append(input, a.Bytes), append(records, a.Done[0])
		} else {
			shuffled = append(shuffled, a.Bytes)
		}
		if !isRead[k] {
			output = append(output, a.Out)
		}
	}
	to.InputBytes, to.InputRecords = total(input), total(records)
	to.ShuffleBytes, to.OutputRecords = total(shuffled), total(output)
	if j.Submitted.Known() && first < math.MaxInt64 {
		to.WaitSeconds = frame.Since(max(first, j.Submitted), j.Submitted)
	}
	if j.Finished.Known() {
		to.LengthSeconds = frame.Since(j.Finished, j.Submitted)
	}
	if plan.IsMapReduce() {
		to.MapSeconds, to.ReduceSeconds = spreadOf(j.Stages[dag.Map].Attempts), spreadOf(j.Stages[dag.Reduce].Attempts)
	}
}

// order returns 1 for true: what is true comes last.
func order(last bool) int {
	if last {
		return 1
	}
	return 0
}
