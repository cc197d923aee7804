package runreport

import (
	"fmt"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/pathfrag"
	"github.com/paratimer/paratimer/units"
)

// summary names the stages that the critical path goes through, and the job with the most slack.
func (d *drawing) summary() string {
	var through []phases
	for _, seg := range d.path.Critical {
		f := &d.path.Fragments[seg.Fragment]
		if f.Pause != dag.NoPause || seg.End <= seg.Start {
			continue
		}
		who, kind := d.owners(f), units.Stage(name(d.s.Plan.StageName(d.path.JobOf(f), f.Stage)))
		n := len(through) - 1
		switch {
		case n < 0 || through[n].who != who:
			through = append(through, phases{who, []string{kind}})
		case !slices.Contains(through[n].kinds, kind):
			through[n].kinds = append(through[n].kinds, kind)
		}
	}
	if len(through) == 0 {
		return ""
	}
	parts := make([]string, len(through))
	for i, t := range through {
		if len(t.kinds) > mostPhases {
			t.kinds = append(t.kinds[:mostPhases-1:mostPhases-1], units.Count(len(t.kinds)-mostPhases+1, "other"))
		}
		parts[i] = t.who + list(t.kinds)
	}
	if len(parts) > mostPhases {
		parts = append(parts[:mostPhases-1:mostPhases-1], units.Count(len(parts)-mostPhases+1, "other phase"))
	}
	goes, had := "goes", "had"
	if !d.s.State.Ended() {
		goes, had = "goes, as far as can be said now,", "has"
	}
	return fmt.Sprintf("The critical path %s through %s%s.", goes, strings.Join(parts, ", then "),
		d.slackSummary(had))
}

// phases are consecutive stages of the same jobs on the critical path.
type phases struct {
	who   string // as a genitive; "" for a plan that is one DAG
	kinds []string
}

// mostPhases bounds the number of items of a list in the sentence.
const mostPhases = 6

// owners returns the jobs of a fragment as a genitive.
func (d *drawing) owners(f *pathfrag.Fragment) string {
	if d.s.Plan.IsWhole() {
		return ""
	}
	jobs := d.jobsIn(f)
	for i := range jobs {
		jobs[i] = name(jobs[i])
	}
	if len(jobs) > 3 {
		jobs = append(jobs[:2:2], units.Count(len(jobs)-2, "other job"))
	}
	return list(jobs) + "'s "
}

// slackSummary names the job with the most slack.
func (d *drawing) slackSummary(had string) string {
	best := -1
	for j, slack := range d.path.Slack {
		if slack > 0 && d.s.Jobs[j].Submitted.Known() && (best < 0 || slack > d.path.Slack[best]) {
			best = j
		}
	}
	if best < 0 {
		return ""
	}
	return fmt.Sprintf("; %s %s %s of slack", name(d.s.Plan.Jobs[best].Node), had,
		units.Seconds(frame.SecondsOf(d.path.Slack[best])))
}
