package frame

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/pathfrag"
	"github.com/paratimer/paratimer/schedule"
)

// waitingOn names what the critical path waits for now; "" if unknown. An attempt that has stopped reporting comes
// first, because the path through it is uncertain. named formats an attempt.
func waitingOn(s *dag.Snapshot, scenarios []estimators.Estimate, named nameOf) string {
	if s.State.Ended() {
		return ""
	}
	if job, k, a := oneSilent(s); a != nil {
		return named(s, job, k, a)
	}
	if unconfirmed(s) {
		return "the history server, which has not told how it ended"
	}
	if since := s.DriverAlone(); since.Known() && !dag.TooLarge(s.Warnings) {
		return "the driver, which works alone since " + clock(since, s.At) + ": no job runs"
	}
	if w := cmp.Or(accepted(s), executors(s)); w != "" {
		return w
	}
	if len(scenarios) == 0 {
		return ""
	}
	return describe(s, waitedSpan(s.Plan, scenarios[0].Path), named)
}

// unconfirmed reports whether every job of the query has ended, but the query still counts as running because its
// history is missing.
func unconfirmed(s *dag.Snapshot) bool {
	for i := range s.Jobs {
		if !s.Jobs[i].State.Ended() {
			return false
		}
	}
	return len(s.Jobs) > 0 && !s.State.Ended()
}

// accepted returns the queue in which an application waits for its first container; "" if it does not.
func accepted(s *dag.Snapshot) string {
	if s.Queue == "" || s.State != dag.Submitted || !s.Plan.IsWhole() || len(s.Jobs) == 0 || s.Jobs[0].Started.Known() {
		return ""
	}
	return "its first container in queue " + s.Queue
}

// executors describes that an application has no executors; "" if it has some.
func executors(s *dag.Snapshot) string {
	c := &s.Plan.Cluster
	switch {
	case c.Policy != dag.Executors || c.Cores > 0:
		return ""
	case len(s.Nodes) == 0:
		return "executors: none has registered"
	}
	return "executors: none is left"
}

// WaitedFor returns the running attempt that waitingOn names, by the path of the standard scenario; a is nil if
// there is none.
func WaitedFor(s *dag.Snapshot, path *pathfrag.Path) (job int, k dag.StageIndex, a *dag.Attempt) {
	if s.State.Ended() {
		return 0, 0, nil
	}
	if job, k, a = oneSilent(s); a != nil {
		return job, k, a
	}
	span := waitedSpan(s.Plan, path)
	if span == nil || int(span.Job) >= len(s.Jobs) || span.Pause != dag.NoPause {
		return 0, 0, nil
	}
	return int(span.Job), span.Stage, running(&s.Jobs[span.Job].Stages[span.Stage], span)
}

// oneSilent returns the first attempt that has stopped reporting; a is nil if there is none.
func oneSilent(s *dag.Snapshot) (job int, k dag.StageIndex, a *dag.Attempt) {
	eachSilent(s, func(j int, kind dag.StageIndex, silent *dag.Attempt) bool {
		job, k, a = j, kind, silent
		return false
	})
	return job, k, a
}

// waitedSpan returns the span that the path waits for now; nil if unknown.
func waitedSpan(plan *dag.Plan, path *pathfrag.Path) *schedule.Span {
	if path == nil || len(path.Critical) == 0 {
		return nil
	}
	span := firstSpan(path, path.Critical[0])
	if m := mapBefore(plan, path.Schedule, span); m != nil {
		span = m
	}
	return span
}

// mapBefore returns the map that a span of reduces waits for: while maps run, a started reduce only copies. It is
// the last task to end of the stages from which it copies; nil if none is left.
func mapBefore(plan *dag.Plan, all *schedule.Schedule, reduce *schedule.Span) *schedule.Span {
	if reduce == nil || reduce.Pause != dag.NoPause {
		return nil
	}
	copies := func(k dag.StageIndex) bool {
		return slices.ContainsFunc(plan.Jobs[reduce.Job].Stages[reduce.Stage].After,
			func(e dag.Edge) bool { return e.Kind == dag.SlowStart && e.From == k })
	}
	var last *schedule.Span
	for i := range all.Spans {
		m := &all.Spans[i]
		if m.Job == reduce.Job && !m.Past && copies(m.Stage) && (last == nil || m.End > last.End) {
			last = m
		}
	}
	return last
}

// firstSpan returns the span that the path's first segment waits for: in its first unfinished round, the last to
// end.
func firstSpan(path *pathfrag.Path, seg pathfrag.Segment) *schedule.Span {
	var on *schedule.Span
	for _, r := range path.Fragments[seg.Fragment].Rounds {
		for _, i := range path.Rounds[r].Spans {
			if span := &path.Schedule.Spans[i]; !span.Past && (on == nil || span.End > on.End) {
				on = span
			}
		}
		if on != nil {
			break
		}
	}
	return on
}

func describe(s *dag.Snapshot, span *schedule.Span, named nameOf) string {
	if span == nil || int(span.Job) >= len(s.Jobs) {
		return ""
	}
	job := s.Plan.JobName(int(span.Job))
	switch span.Pause {
	case dag.Launch:
		return "the launch of " + job
	case dag.Wave:
		return "the submission of " + job + ", the next wave"
	case dag.Finish:
		return "the end of " + job + ", whose tasks are done"
	}
	if a := running(&s.Jobs[span.Job].Stages[span.Stage], span); a != nil {
		return named(s, int(span.Job), span.Stage, a)
	}
	slot := "slot"
	if p := s.Plan.Cluster.Policy; p == dag.Executors || s.Plan.IsWhole() {
		slot = p.Slot()
	}
	return fmt.Sprintf("a free %s for %s tasks%s", slot, span.What(s.Plan), s.Plan.OfJob(int(span.Job)))
}

// running returns the newest running attempt of the span's tasks.
func running(p *dag.StageState, span *schedule.Span) *dag.Attempt {
	var found *dag.Attempt
	for i := range p.Attempts {
		a := &p.Attempts[i]
		if a.State == dag.AttemptRunning && a.Task >= span.First && a.Task < span.First+span.Count &&
			(found == nil || a.Start > found.Start) {
			found = a
		}
	}
	return found
}

// A nameOf formats an attempt of a stage of a job.
type nameOf func(s *dag.Snapshot, job int, k dag.StageIndex, a *dag.Attempt) string

// briefAttempt formats an attempt in short: "map 6 of scope-35 on node1". The text stays the same while the attempt
// runs.
func briefAttempt(s *dag.Snapshot, job int, k dag.StageIndex, a *dag.Attempt) string {
	words := s.Plan.TaskWords(job, k, a.Task)
	if a.Number > 0 {
		words += " (" + ordinal(int(a.Number)+1) + " attempt)"
	}
	if on := machine(s, a); on != "" {
		words += " on " + on
	}
	if _, silent := silentSince(s, a); silent {
		words += ", which stopped reporting"
		if onLostNode(s, a) {
			words += ": its node is lost"
		}
	}
	return words
}

// ordinal formats a number from 2 on as an ordinal: "2nd", "3rd", "11th".
func ordinal(n int) string {
	suffix := "th"
	if n%100 < 11 || n%100 > 13 {
		suffix = [...]string{"th", "st", "nd", "rd", "th", "th", "th", "th", "th", "th"}[n%10]
	}
	return strconv.Itoa(n) + suffix
}

// attempt formats an attempt: "attempt_…_m_000006_0 of job scope-35 on node1, since 03:22:01 UTC".
func attempt(s *dag.Snapshot, job int, k dag.StageIndex, a *dag.Attempt) string {
	var b strings.Builder
	b.WriteString(a.Name(s.Jobs[job].ID, s.Plan.StageName(job, k)) + s.Plan.OfJob(job))
	if on := machine(s, a); on != "" {
		b.WriteString(" on " + on)
	}
	if a.Start.Known() {
		b.WriteString(", since " + clock(a.Start, s.At))
	}
	if since, silent := silentSince(s, a); silent {
		b.WriteString(", stopped reporting at " + clock(since, s.At))
		if onLostNode(s, a) {
			b.WriteString(": its node is lost")
		}
	}
	return b.String()
}

// machine returns the name of an attempt's node; "" if unknown.
func machine(s *dag.Snapshot, a *dag.Attempt) string {
	switch {
	case a.Node >= 0 && int(a.Node) < len(s.Nodes):
		return s.Nodes[a.Node].Name
	case a.Node >= 0:
		return fmt.Sprintf("node %d", a.Node)
	}
	return ""
}

// clock formats a time of day, with the date if it is more than a day ago.
func clock(t, now dag.Instant) string {
	if !t.Known() {
		return "an unknown time"
	}
	if now.Sub(t) < 24*time.Hour {
		return t.Time().Format("15:04:05 UTC")
	}
	return t.Time().Format("2006-01-02 15:04:05 UTC")
}
