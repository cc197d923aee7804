package frame

import (
	"fmt"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/pathfrag"
	"github.com/paratimer/paratimer/schedule"
	"github.com/paratimer/paratimer/units"
)

// waitingOn names what the critical path waits for now, by the results of WaitedFor; "" if unknown.
func waitingOn(s *dag.Snapshot, on AttemptOf, span *schedule.Span) string {
	c, since := &s.Plan.Cluster, s.DriverAlone()
	switch {
	case s.State.Ended():
		return ""
	case on.Attempt != nil && span == nil:
		return describe(s, on)
	case unconfirmed(s):
		return "the history server to report how it ended"
	case since.Known() && !dag.TooLarge(s.Warnings):
		return "the driver, which works alone since " + clock(since, s.At) + ": no job runs"
	case s.Queue != "" && s.State == dag.Submitted && s.Plan.IsWhole() && len(s.Jobs) > 0 && !s.Jobs[0].Started.Known():
		return "its first container in queue " + s.Queue
	case c.Policy == dag.Executors && s.State == dag.Submitted:
		return "the driver, which has not submitted a job yet"
	case c.Policy == dag.Executors && c.Cores <= 0 && len(s.Nodes) == 0:
		return "executors: none has registered"
	case c.Policy == dag.Executors && c.Cores <= 0:
		return "executors: none is left"
	case on.Attempt != nil:
		return describe(s, on)
	case span == nil:
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
	slot := "slot"
	if c.Policy == dag.Executors || s.Plan.IsWhole() {
		slot = c.Policy.Slot()
	}
	return fmt.Sprintf("a free %s for %s tasks%s", slot, span.What(s.Plan), s.Plan.OfJob(int(span.Job)))
}

// unconfirmed reports whether every job of the query has ended, but the query still counts as running because its
// history is missing.
func unconfirmed(s *dag.Snapshot) bool {
	runs := func(j dag.JobState) bool { return !j.State.Ended() }
	return len(s.Jobs) > 0 && !s.State.Ended() && !slices.ContainsFunc(s.Jobs, runs)
}

// An AttemptOf is an attempt of a stage of a job.
type AttemptOf struct {
	Job     int
	Stage   dag.StageIndex
	Attempt *dag.Attempt
}

// WaitedFor returns the span that the path waits for now, and the newest running attempt of its tasks; nil if unknown.
// An attempt that has stopped reporting comes first, without a span, because the path through it is uncertain.
func WaitedFor(s *dag.Snapshot, path *pathfrag.Path) (on AttemptOf, span *schedule.Span) {
	silent := silentOnes(s)
	switch {
	case s.State.Ended():
		return on, nil
	case len(silent) > 0:
		return silent[0], nil
	case path == nil || len(path.Critical) == 0:
		return on, nil
	}
	span = firstSpan(path, path.Critical[0])
	if m := mapBefore(s.Plan, path.Schedule, span); m != nil {
		span = m
	}
	switch {
	case span == nil || int(span.Job) >= len(s.Jobs):
		return on, nil
	case span.Pause != dag.NoPause:
		return on, span
	}
	list := s.Attempts(int(span.Job), span.Stage)
	for i := range list {
		a := &list[i]
		if a.State == dag.AttemptRunning && a.Task >= span.First && a.Task < span.First+span.Count &&
			(on.Attempt == nil || a.Start > on.Attempt.Start) {
			on = AttemptOf{int(span.Job), span.Stage, a}
		}
	}
	return on, span
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

// describe names an attempt: "map 6 of scope-35 on node1". The text stays the same while the attempt runs.
func describe(s *dag.Snapshot, on AttemptOf) string {
	words := s.Plan.TaskWords(on.Job, on.Stage, on.Attempt.Task)
	if n := on.Attempt.Number; n > 0 {
		words += fmt.Sprintf(" (attempt %d)", n+1)
	}
	if node := machine(s, on.Attempt); node != "" {
		words += " on " + node
	}
	if since, silent := silentSince(s, on.Attempt); silent {
		words += ", which stopped reporting at " + clock(since, s.At)
		if onLostNode(s, on.Attempt) {
			words += ": its node is lost"
		}
	}
	return words
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

// clock formats a time of day, with the date if it is on another day than now.
func clock(t, now dag.Instant) string {
	if !t.Known() {
		return "an unknown time"
	}
	return units.Clock(t.Time(), now.Time(), time.Second) + " UTC"
}

// mostSilent bounds the number of attempts that count as silent.
const mostSilent = 10

// silentOnes returns the first attempts that have stopped reporting and are their tasks' newest, in plan order.
func silentOnes(s *dag.Snapshot) (out []AttemptOf) {
	for j := range s.Jobs {
		if s.Jobs[j].State.Ended() {
			continue
		}
		for k := range s.Jobs[j].NumStages() {
			list := s.Jobs[j].Stages[k].Attempts
			for i := range list {
				newest := i+1 == len(list) || list[i+1].Task != list[i].Task
				if _, silent := silentSince(s, &list[i]); silent && newest && len(out) < mostSilent {
					out = append(out, AttemptOf{j, k, &list[i]})
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
	runs, lost := a.State == dag.AttemptRunning, onLostNode(s, a)
	moved := a.First.At.Known() && a.Last.At.Known() && a.Last.At > a.First.At
	switch {
	case a.End.Known() || !runs && a.State != dag.AttemptKilled:
	case lost:
		return dag.FirstKnown(a.Last.At, a.Start), true
	case runs && moved && s.At.Sub(a.Last.At) > silence:
		return a.Last.At, true
	}
	return dag.NoInstant, false
}

func onLostNode(s *dag.Snapshot, a *dag.Attempt) bool {
	return a.Node >= 0 && int(a.Node) < len(s.Nodes) && s.Nodes[a.Node].Lost
}
