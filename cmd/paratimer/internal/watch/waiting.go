package watch

import (
	"fmt"
	"strings"

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
	if silent := silentAttempt(s); silent != "" {
		return silent
	}
	if len(scenarios) == 0 || scenarios[0].Path == nil || len(scenarios[0].Path.Critical) == 0 {
		return ""
	}
	path := scenarios[0].Path
	return describe(s, firstSpan(path, path.Critical[0]))
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
		return "the submission of the next wave, after job " + node
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

// silentAttempt names a running attempt on a node that the cluster has lost, the oldest first.
func silentAttempt(s *dag.Snapshot) string {
	for j := range s.Jobs {
		for _, k := range []dag.Kind{dag.Map, dag.Reduce} {
			for i := range s.Jobs[j].Phase(k).Attempts {
				a := &s.Jobs[j].Phase(k).Attempts[i]
				if a.State == dag.AttemptRunning && onLostNode(s, a) {
					return attempt(s, j, k, a)
				}
			}
		}
	}
	return ""
}

func onLostNode(s *dag.Snapshot, a *dag.Attempt) bool {
	return a.Node >= 0 && int(a.Node) < len(s.Nodes) && s.Nodes[a.Node].Lost
}

// attempt names an attempt: "attempt_…_m_000006_0 of job scope-35 on node1, since 2026-11-21T03:22:01Z".
func attempt(s *dag.Snapshot, job int, k dag.Kind, a *dag.Attempt) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s of job %s", a.Name(s.Jobs[job].ID, k), s.Plan.Jobs[job].Node)
	switch {
	case a.Node >= 0 && int(a.Node) < len(s.Nodes):
		b.WriteString(" on " + s.Nodes[a.Node].Name)
	case a.Node >= 0:
		fmt.Fprintf(&b, " on node %d", a.Node)
	}
	if a.Start.Known() {
		b.WriteString(", since " + a.Start.Time().Format("2006-01-02T15:04:05Z07:00"))
	}
	if onLostNode(s, a) {
		b.WriteString(", stopped reporting: its node is lost")
	}
	return b.String()
}
