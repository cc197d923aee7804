package frame

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/pathfrag"
	"github.com/paratimer/paratimer/schedule"
)

// waitingOn names what the critical path waits for now; "" if unknown. An attempt that has stopped reporting comes
// first, because the path through it is uncertain.
func waitingOn(s *dag.Snapshot, scenarios []estimators.Estimate) string {
	if s.State.Ended() {
		return ""
	}
	if silent := silentOnes(s); len(silent) > 0 {
		return describe(s, silent[0])
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
	return waitsFor(s, waitedSpan(s.Plan, scenarios[0].Path))
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
	if silent := silentOnes(s); len(silent) > 0 {
		return silent[0].job, silent[0].k, silent[0].a
	}
	span := waitedSpan(s.Plan, path)
	if span == nil || int(span.Job) >= len(s.Jobs) || span.Pause != dag.NoPause {
		return 0, 0, nil
	}
	return int(span.Job), span.Stage, running(&s.Jobs[span.Job].Stages[span.Stage], span)
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

// waitsFor names what a span waits for.
func waitsFor(s *dag.Snapshot, span *schedule.Span) string {
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
		return describe(s, attemptOf{int(span.Job), span.Stage, a})
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

// An attemptOf is an attempt of a stage of a job.
type attemptOf struct {
	job int
	k   dag.StageIndex
	a   *dag.Attempt
}

// describe names an attempt: "map 6 of scope-35 on node1". The text stays the same while the attempt runs.
func describe(s *dag.Snapshot, on attemptOf) string {
	words := s.Plan.TaskWords(on.job, on.k, on.a.Task)
	if n := on.a.Number; n > 0 {
		words += " (" + ordinal(int(n)+1) + " attempt)"
	}
	if node := machine(s, on.a); node != "" {
		words += " on " + node
	}
	if since, silent := silentSince(s, on.a); silent {
		words += ", which stopped reporting at " + clock(since, s.At)
		if onLostNode(s, on.a) {
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

// mostSilent bounds the number of attempts that count as silent.
const mostSilent = 10

// silentOnes returns the first attempts that have stopped reporting and are their tasks' newest, in plan order.
func silentOnes(s *dag.Snapshot) (out []attemptOf) {
	for j := range s.Jobs {
		if s.Jobs[j].State.Ended() {
			continue
		}
		for k := range s.Jobs[j].NumStages() {
			list := s.Jobs[j].Stages[k].Attempts
			for i := range list {
				newest := i+1 == len(list) || list[i+1].Task != list[i].Task
				if _, silent := silentSince(s, &list[i]); silent && newest && len(out) < mostSilent {
					out = append(out, attemptOf{j, k, &list[i]})
				}
			}
		}
	}
	return out
}

// silence is how long counters that have moved may stay the same. By default tasks report every 6 s, but a single
// record may take longer.
const silence = 30 * time.Second

// silentSince reports whether an attempt has stopped reporting, and since when. Either its node is lost (such an
// attempt may count as killed without an end, while its master still expects it), or its counters moved before and
// no longer do. Counters that never moved prove nothing.
func silentSince(s *dag.Snapshot, a *dag.Attempt) (dag.Instant, bool) {
	if a.State != dag.AttemptRunning && a.State != dag.AttemptKilled || a.End.Known() {
		return dag.NoInstant, false
	}
	moved := a.First.At.Known() && a.Last.At.Known() && a.Last.At > a.First.At
	switch {
	case onLostNode(s, a) && a.Last.At.Known():
		return a.Last.At, true
	case onLostNode(s, a):
		return a.Start, true
	case a.State == dag.AttemptRunning && moved && s.At.Sub(a.Last.At) > silence:
		return a.Last.At, true
	}
	return dag.NoInstant, false
}

func onLostNode(s *dag.Snapshot, a *dag.Attempt) bool {
	return a.Node >= 0 && int(a.Node) < len(s.Nodes) && s.Nodes[a.Node].Lost
}
