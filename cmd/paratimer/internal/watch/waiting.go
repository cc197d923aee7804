package watch

import (
	"fmt"
	"strings"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/pathfrag"
	"github.com/paratimer/paratimer/schedule"
)

// waitingOn names what the critical path waits on now, "" where that is not known. An attempt that has stopped
// reporting comes first: the path through it is a guess.
func waitingOn(s *dag.Snapshot, scenarios []estimators.Estimate) string {
	if s.State.Ended() {
		return ""
	}
	if job, k, a := oneSilent(s); a != nil {
		return attempt(s, job, k, a)
	}
	if unheard(s) {
		return "the history server, which has not told how it ended"
	}
	if len(scenarios) == 0 {
		return ""
	}
	return describe(s, waitedSpan(scenarios[0].Path))
}

// unheard says that every job of the query has ended, and that the query counts as running only because its history is not there.
func unheard(s *dag.Snapshot) bool {
	for i := range s.Jobs {
		if !s.Jobs[i].State.Ended() {
			return false
		}
	}
	return len(s.Jobs) > 0 && !s.State.Ended()
}

// WaitedFor is the running attempt that waitingOn names, by the path of the standard scenario; a is nil where it names none.
func WaitedFor(s *dag.Snapshot, path *pathfrag.Path) (job int, k dag.Kind, a *dag.Attempt) {
	if s.State.Ended() {
		return 0, 0, nil
	}
	if job, k, a = oneSilent(s); a != nil {
		return job, k, a
	}
	span := waitedSpan(path)
	if span == nil || int(span.Job) >= len(s.Jobs) || span.Kind != dag.Map && span.Kind != dag.Reduce {
		return 0, 0, nil
	}
	return int(span.Job), span.Kind, running(s.Jobs[span.Job].Phase(span.Kind), span)
}

// oneSilent is the first attempt that has stopped reporting; a is nil where none has.
func oneSilent(s *dag.Snapshot) (job int, k dag.Kind, a *dag.Attempt) {
	eachSilent(s, func(j int, kind dag.Kind, silent *dag.Attempt) bool {
		job, k, a = j, kind, silent
		return false
	})
	return job, k, a
}

// waitedSpan is the span that the path waits on now; nil where that is not known.
func waitedSpan(path *pathfrag.Path) *schedule.Span {
	if path == nil || len(path.Critical) == 0 {
		return nil
	}
	span := firstSpan(path, path.Critical[0])
	if m := mapBefore(path.Schedule, span); m != nil {
		span = m
	}
	return span
}

// mapBefore is the map that a span of reduces waits for: a reduce that has its container while maps run does nothing but
// copy. It is the last of the job's maps to end; nil where none is left.
func mapBefore(all *schedule.Schedule, reduce *schedule.Span) *schedule.Span {
	if reduce == nil || reduce.Kind != dag.Reduce {
		return nil
	}
	var last *schedule.Span
	for i := range all.Spans {
		m := &all.Spans[i]
		if m.Job == reduce.Job && m.Kind == dag.Map && !m.Past && (last == nil || m.End > last.End) {
			last = m
		}
	}
	return last
}

// firstSpan is the span that the first segment of the path waits on: of its first round that is not over, the last to end.
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

func describe(s *dag.Snapshot, span *schedule.Span) string {
	if span == nil || int(span.Job) >= len(s.Jobs) {
		return ""
	}
	node := s.Plan.Jobs[span.Job].Node
	switch span.Kind {
	case dag.Launch:
		return "the launch of job " + node
	case dag.Wave:
		return "the submission of job " + node + ", the next wave"
	case dag.Finish:
		return "the end of job " + node + ", whose tasks are done"
	}
	if a := running(s.Jobs[span.Job].Phase(span.Kind), span); a != nil {
		return attempt(s, int(span.Job), span.Kind, a)
	}
	return fmt.Sprintf("a free slot for %s tasks of job %s", span.Kind, node)
}

// running finds the newest running attempt of the span's tasks.
func running(p *dag.PhaseState, span *schedule.Span) *dag.Attempt {
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

// attempt names an attempt: "attempt_…_m_000006_0 of job scope-35 on node1, since 03:22:01 UTC".
func attempt(s *dag.Snapshot, job int, k dag.Kind, a *dag.Attempt) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s of job %s", a.Name(s.Jobs[job].ID, k), s.Plan.Jobs[job].Node)
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

// machine names the node of an attempt; "" where that is not known.
func machine(s *dag.Snapshot, a *dag.Attempt) string {
	switch {
	case a.Node >= 0 && int(a.Node) < len(s.Nodes):
		return s.Nodes[a.Node].Name
	case a.Node >= 0:
		return fmt.Sprintf("node %d", a.Node)
	}
	return ""
}

// clock is the time of day, with the date where that is long ago.
func clock(t, now dag.Instant) string {
	if !t.Known() {
		return "an unknown time"
	}
	if now.Sub(t) < 24*time.Hour {
		return t.Time().Format("15:04:05 UTC")
	}
	return t.Time().Format("2006-01-02 15:04:05 UTC")
}
