package runreport

import (
	"fmt"
	"strings"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// summary names what the path goes through, and who could have been later.
func (d *drawing) summary() string {
	var through []string
	last := ""
	for _, seg := range d.path.Critical {
		f := &d.path.Fragments[seg.Fragment]
		if f.Pause != dag.NoPause || seg.End <= seg.Start {
			continue
		}
		jobs := d.jobsIn(f)
		for i := range jobs {
			jobs[i] = name(jobs[i])
		}
		if len(jobs) > 3 {
			jobs = append(jobs[:2:2], units.Count(len(jobs)-2, "other job"))
		}
		who, kind := list(jobs)+"'s ", units.Stage(name(d.s.Plan.StageName(d.path.JobOf(f), f.Stage)))
		n := len(through) - 1
		switch {
		case n >= 0 && last == who && !strings.Contains(through[n][len(who):], kind):
			through[n] += " and " + kind
		case n < 0 || last != who:
			through = append(through, who+kind)
		}
		last = who
	}
	if len(through) == 0 {
		return ""
	}
	if len(through) > 6 {
		through = append(through[:5:5], units.Count(len(through)-5, "other phase"))
	}
	goes, had := "goes", "had"
	if !d.s.State.Ended() {
		goes, had = "goes, as far as can be said now,", "has"
	}
	return fmt.Sprintf("The critical path %s through %s%s.", goes, strings.Join(through, ", then "),
		d.slackSummary(had))
}

// slackSummary names the job with most slack.
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
