package runreport

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/page"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/pathfrag"
	"github.com/paratimer/paratimer/units"
)

// A Glance is the most important result: how the run compares with what was expected, why it took as long and which
// change would help most.
type Glance struct {
	Diagnosis string   `json:"diagnosis"` // what most lengthened the run, and what would help; "" if unknown
	Advice    *Advice  `json:"advice"`    // the diagnosis of a Spark application; else null
	Failure   *Failure `json:"failure"`   // why the run failed; null unless it did
	Against   *Against `json:"against"`   // null if there is neither a deadline nor a first prediction
	// null unless an attempt failed or a node was lost, and the run succeeded
	FailureCost *FailureCost `json:"failure_cost"`
	// the feasible change that helps most; null if none helps
	Helps *Limit `json:"helps"`
}

// A Failure is the reason why a run failed.
type Failure struct {
	Title  string `json:"title"`
	Reason string `json:"reason"` // as the engine reported it; "" if it reported none
}

// An Against compares a run with its deadline, or with the first prediction if it had no deadline.
type Against struct {
	Bound           *string        `json:"bound"` // the alert's name; null for the first prediction
	DeadlineAt      *frame.Time    `json:"deadline_at"`
	ExpectedSeconds *frame.Seconds `json:"expected_seconds"` // of the first prediction: the whole length
	LowSeconds      *frame.Seconds `json:"low_seconds"`
	HighSeconds     *frame.Seconds `json:"high_seconds"`
	LaterSeconds    *frame.Seconds `json:"later_seconds"` // than the deadline; negative: earlier; null if unknown
}

// glance fills in s.Size, s.Glance and s.Summary. The other parts of the report must be complete.
func (s *Report) glance(snap *dag.Snapshot) {
	s.Size = s.size()
	g := &s.Glance
	if s.Workflow.State == dag.Failed {
		g.Failure = failureOf(snap)
	}
	g.Against = cmp.Or(s.againstDeadline(), s.againstPrediction())
	for _, r := range s.Limits.Rows {
		if r.Question == noFailures {
			g.FailureCost = &FailureCost{r.GainSeconds, "The failures cost about " + units.Seconds(r.GainSeconds) + "."}
		}
	}
	g.Helps = s.Limits.helps
	if g.Diagnosis = s.diagnosis(snap); g.Diagnosis != "" {
		s.Summary = append(s.Summary, g.Diagnosis)
	}
	s.Summary = append(s.Summary, s.Limits.Summary)
}

// againstDeadline compares the run with the bound that it missed by most, or met most narrowly. It is nil if the user
// set no bound.
func (s *Report) againstDeadline() *Against {
	var worst *Against
	for _, a := range s.Alerts {
		if a.DeadlineAt == nil {
			continue
		}
		end := dag.FirstKnown(frame.InstantOf(s.EndAt), frame.InstantOf(s.Headline.EndAt))
		// Without an end by the bound's judge, which may be another scenario than the headline's.
		later := cmp.Or(frame.Since(end, a.DeadlineAt.Instant), a.BySeconds)
		if worst == nil || later != nil && (worst.LaterSeconds == nil || *later > *worst.LaterSeconds) {
			worst = &Against{Bound: &a.Bound, DeadlineAt: a.DeadlineAt, LaterSeconds: later}
		}
	}
	return worst
}

// againstPrediction compares the run with its first prediction; nil if there was none before the end.
func (s *Report) againstPrediction() *Against {
	total := s.PredictionHistory.TotalSeconds
	for _, p := range s.PredictionHistory.Points {
		if p.TotalSeconds != nil && (total == nil || p.AtSeconds < *total) {
			return &Against{ExpectedSeconds: p.TotalSeconds, LowSeconds: p.LowSeconds, HighSeconds: p.HighSeconds}
		}
	}
	return nil
}

// failureOf returns the task that made a job fail, and the engine's report of its last attempt; nil if no job failed.
func failureOf(s *dag.Snapshot) *Failure {
	j := slices.IndexFunc(s.Jobs, func(job dag.JobState) bool { return job.State == dag.Failed })
	if j < 0 {
		return nil
	}
	job, last := &s.Jobs[j], dag.NoInstant
	out := &Failure{Reason: job.Diagnosis}
	for k, a := range job.All() {
		if a.State == dag.AttemptFailed && (out.Title == "" || a.End > last) {
			last = a.End
			*out = Failure{": " + attemptFailed(s, j, k, a), cmp.Or(a.Diagnosis, job.Diagnosis)}
		}
	}
	out.Title = view.Escape(page.Capital(s.Plan.JobName(j)) + " failed" + out.Title)
	return out
}

// A FailureCost is how much longer a run took because of its failures: beyond a replay of it without them, as in
// whatif and compare.
type FailureCost struct {
	Seconds frame.Seconds `json:"seconds"`
	Summary string        `json:"says"`
}

// noFailures is the change of the question that leaves out a run's failures.
const noFailures = "no failures"

// size counts jobs and tasks.
func (s *Report) size() string {
	tasks, known := 0, true
	for i := range s.Jobs {
		sum, all := s.Jobs[i].Known()
		tasks, known = tasks+*sum.Total, known && all
	}
	what := units.Count(len(s.Jobs), "job")
	if s.Workflow.IsWhole(len(s.Jobs)) {
		what = s.Workflow.What()
	}
	text := what + ", " + units.Count(tasks, "task")
	if !known {
		text += " that are known"
	}
	return text
}

// leastNamed is the least share of a run that a cause takes to be the diagnosis.
const leastNamed = 0.1

// diagnosis returns what most lengthened the run: failures and their cost, else what a rule has found, skew, or the
// largest cause. It is "" if nothing is known.
func (s *Report) diagnosis(snap *dag.Snapshot) string {
	failed, nodes := s.whatFailed(snap)
	e := evidenceOf(s, snap)
	cost := func(c Cause) bool { return c.Cause == pathfrag.Failures.String() && c.Seconds > 0 }
	switch {
	case failed == "":
	case e == nil || nodes == 0:
		if s.Glance.FailureCost != nil {
			failed += " " + s.Glance.FailureCost.Summary
		}
		return failed
	case slices.ContainsFunc(s.TimeAttribution.Causes, cost): // executors that are released cost nothing
		s.Glance.Advice = e.lost(failed)
	}
	if s.Glance.Advice = cmp.Or(s.Glance.Advice, e.advise()); s.Glance.Advice != nil {
		return s.Glance.Advice.text(*s.ElapsedSeconds, s.Workflow.State.Ended())
	}
	if text := s.skewText(); text != "" {
		return text + "."
	}
	most := s.largestCause()
	if most == nil {
		return ""
	}
	return fmt.Sprintf("%s of the critical path, %s, was %s.", units.Seconds(most.Seconds), units.Percent(*most.Ratio),
		most.Title)
}

// largestCause returns the largest cause of at least leastNamed; work only if there is no other, nil if there is none.
func (s *Report) largestCause() *Cause {
	work := pathfrag.Work.String()
	causes := slices.DeleteFunc(slices.Clone(s.TimeAttribution.Causes), func(c Cause) bool {
		return c.Ratio == nil || c.Cause != work && *c.Ratio < leastNamed
	})
	if len(causes) == 0 {
		return nil
	}
	most := slices.MaxFunc(causes, func(a, b Cause) int {
		return cmp.Or(order(b.Cause == work)-order(a.Cause == work), cmp.Compare(a.Seconds, b.Seconds))
	})
	return &most
}

// skewText returns what skewed tasks cost the run; "" if there are none.
func (s *Report) skewText() string {
	if len(s.Skew) > 0 && s.Skew[0].Skewed > 0 && s.Skew[0].DelaySeconds >= 1 {
		return page.Capital(view.SkewSentence(&s.Skew[0]))
	}
	return ""
}

// whatFailed counts failures, lost nodes and restarts of masters; text is "" if there are none.
func (s *Report) whatFailed(snap *dag.Snapshot) (text string, nodes int) {
	failed, restarts := 0, 0
	for i := range s.Jobs {
		failed += s.Jobs[i].FailedAttempts
	}
	for i := range snap.Jobs {
		restarts += max(snap.Jobs[i].Attempt-1, 0)
	}
	for i := range s.PredictionHistory.Marks {
		nodes += order(s.PredictionHistory.Marks[i].Kind == MarkNode)
	}
	var parts []string
	count := func(n int, what string) {
		if n > 0 {
			parts = append(parts, units.Count(n, what))
		}
	}
	count(failed, "failed attempt")
	count(nodes, "lost node")
	count(restarts, "restarted master")
	if len(parts) == 0 {
		return "", nodes
	}
	return page.Capital(strings.Join(parts, ", ")) + ".", nodes
}

// conditions are the texts for scenarios in a sentence.
var conditions = map[string]string{
	"standard": "as it is", "one_failure": "if the longest task fails",
	"failure_until_proven": "if a failure is still to come", "skew_low": "with skew at its best",
	"skew_high": "with skew at its worst", "best_guess": "in the scheduler's likely order",
	"slots_as_now": "if others keep what they hold", "slots_fair_share": "with our queue's share",
	"alone": "without other applications",
}

// leftIf returns in a sentence how the remaining time differs between scenarios, each time once: "~21m as it is ·
// ~33m if the longest task fails · no difference with skew at its best". The first case is the standard one. It returns
// "" if that one is unknown, or if no other case is known.
func leftIf(cases []view.Case) string {
	cases = slices.DeleteFunc(slices.Clone(cases), func(c view.Case) bool {
		return conditions[c.Scenario] == "" || c.Left == units.Unknown
	})
	if len(cases) < 2 || cases[0].Scenario != "standard" {
		return ""
	}
	var parts, same []string
	for i, row := range view.MergeCases(cases) {
		parts = append(parts, cases[row[0]].Left+" "+conditions[cases[row[0]].Scenario])
		if i == 0 {
			same = units.Each(row[1:], func(s int) string { return conditions[cases[s].Scenario] })
		}
	}
	if len(same) > 0 {
		parts = append(parts, "no difference "+strings.Join(same, ", "))
	}
	return strings.Join(parts, " · ")
}
