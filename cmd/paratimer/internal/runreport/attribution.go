package runreport

import (
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/pathfrag/attribution"
)

// A TimeAttribution is where the time went along the critical path: its parts follow each other from 0 to the end and
// add up.
type TimeAttribution struct {
	Parts  []Part  `json:"parts"`
	Causes []Cause `json:"causes"` // in a fixed order, those with a time

	byNode map[string]time.Duration // how much is a job's
}

// A Part is a piece of the critical path with one cause.
type Part struct {
	Cause        string        `json:"cause"`
	Job          *string       `json:"job"` // node; null between jobs
	Task         *string       `json:"task"`
	StartSeconds frame.Seconds `json:"start_seconds"`
	EndSeconds   frame.Seconds `json:"end_seconds"`
}

// A Cause is the total of all parts of one cause.
type Cause struct {
	Cause   string        `json:"cause"`
	Title   string        `json:"title"`
	Meaning string        `json:"meaning"`
	Seconds frame.Seconds `json:"seconds"`
	Ratio   *frame.Ratio  `json:"ratio"`
}

// attributionOf returns where the time of a run went so far. marks are from all its snapshots. towards is the attempt
// that the end of a running run waits for, nil if unknown.
func attributionOf(s *dag.Snapshot, marks *attribution.Marks, towards *attribution.Attempt) (TimeAttribution, error) {
	var of *attribution.Attribution
	var err error
	if towards != nil {
		of, err = attribution.Towards(s, marks, *towards)
	} else {
		of, err = attribution.Of(s, marks)
	}
	if err != nil {
		return TimeAttribution{}, err
	}
	out := TimeAttribution{Parts: []Part{}, Causes: []Cause{}, byNode: map[string]time.Duration{}}
	sums, total := of.ByCause(), of.Total()
	for _, c := range attribution.Causes() {
		if sums[c] > 0 {
			title, meaning := c.On(s.Plan.Cluster.Policy)
			out.Causes = append(out.Causes, Cause{
				Cause: c.String(), Title: title, Meaning: meaning, Seconds: frame.SecondsOf(sums[c]),
				Ratio: frame.RatioOf(float64(sums[c]) / float64(total)),
			})
		}
	}
	for _, p := range of.Parts {
		part := Part{
			Cause: p.Cause.String(), StartSeconds: *frame.Since(p.Start, of.From),
			EndSeconds: *frame.Since(p.End, of.From),
		}
		if p.Job >= 0 {
			part.Job = frame.Text(s.Plan.Jobs[p.Job].Node)
			out.byNode[s.Plan.Jobs[p.Job].Node] += p.End.Sub(p.Start)
		}
		if p.Task >= 0 {
			part.Task = frame.Text(attemptName(s, p.Job, p.Stage, p.Task, p.Attempt))
		}
		out.Parts = append(out.Parts, part)
	}
	return out, nil
}

// attemptName returns the engine's name of an attempt.
func attemptName(s *dag.Snapshot, job int, k dag.StageIndex, task, number int32) string {
	a := dag.Attempt{Task: task, Number: number}
	return a.Name(s.Jobs[job].ID, s.Plan.StageName(job, k))
}
