package runreport

import (
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/pathfrag/attribution"
)

// A TimeAttribution is where the time went along the critical path: its parts follow each other from 0 to the end and
// add up.
type TimeAttribution struct {
	Summary string  `json:"says"`
	Parts   []Part  `json:"parts"`  // at most MostParts
	Causes  []Cause `json:"causes"` // in a fixed order, those with a time
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

// MostParts bounds the parts of an attribution. Beyond it, consecutive parts of a job are merged by cause. The sums
// stay exact; a part's position is off by no more than the parts that it was merged with.
const MostParts = 2000

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
	out := TimeAttribution{Parts: []Part{}, Causes: []Cause{}}
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
	for _, p := range fewer(of.Parts, MostParts) {
		part := Part{
			Cause: p.Cause.String(), StartSeconds: *frame.Since(p.Start, of.From),
			EndSeconds: *frame.Since(p.End, of.From),
		}
		if p.Job >= 0 {
			part.Job = frame.Text(s.Plan.Jobs[p.Job].Node)
		}
		if p.Task >= 0 {
			part.Task = frame.Text(attemptName(s, p.Job, p.Stage, p.Task, p.Attempt))
		}
		out.Parts = append(out.Parts, part)
	}
	out.Summary = attributionSummary(s, of)
	return out, nil
}

// attemptName returns the engine's name of an attempt.
func attemptName(s *dag.Snapshot, job int, k dag.StageIndex, task, number int32) string {
	a := dag.Attempt{Task: task, Number: number}
	return a.Name(s.Jobs[job].ID, s.Plan.StageName(job, k))
}

// fewer merges consecutive parts of a job until at most `most` are left, or no two can be merged.
func fewer(parts []attribution.Part, most int) []attribution.Part {
	for chunk := 4; len(parts) > most && chunk < 4*len(parts); chunk *= 2 {
		var out []attribution.Part
		for from := 0; from < len(parts); {
			to := from + 1
			for to < len(parts) && to-from < chunk && parts[to].Job == parts[from].Job {
				to++
			}
			out = byCause(out, parts[from:to])
			from = to
		}
		parts = out
	}
	return parts
}

// byCause appends one part for each cause of consecutive parts, in the order in which the causes first occur.
func byCause(out, parts []attribution.Part) []attribution.Part {
	first := len(out)
	at := parts[0].Start
	for i := range parts {
		p, known := parts[i], false
		for o := first; o < len(out) && !known; o++ {
			if known = out[o].Cause == p.Cause; known {
				out[o].End += p.End - p.Start
				out[o].Task, out[o].Attempt = -1, -1
			}
		}
		if !known {
			p.Start, p.End = 0, p.End-p.Start
			out = append(out, p)
		}
	}
	for o := first; o < len(out); o++ {
		length := out[o].End
		out[o].Start, out[o].End = at, at+length
		at += length
	}
	return out
}
