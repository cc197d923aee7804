package hadoop

import (
	"time"

	"github.com/paratimer/paratimer/dag"
)

// patience is how long jobs of the graph may be missing, at least, before the workflow counts as ended without them.
const patience = 60 * time.Second

// end judges the state of the workflow.
//
// All jobs of the graph have succeeded, and the history server has said so: it has succeeded. One has failed or was
// killed, nothing runs, and only jobs that depend on it are missing: so has the workflow. Else, while nothing runs
// and jobs are missing, new ones may come for max(60 s, 3 x the longest launch gap).
func (s *Source) end(g *graph) dag.State {
	failed := make([]bool, len(g.nodes)) // or behind one that did
	worst := dag.Succeeded
	missing, last := 0, dag.NoInstant
	stops := false
	for i := range g.nodes {
		n := &g.nodes[i]
		for _, p := range n.after {
			failed[i] = failed[i] || failed[p]
		}
		j := n.job
		switch {
		case j == nil && !failed[i]:
			missing++
		case j == nil:
		case !j.state.Ended(), j.at == jobUnconfirmed, s.unread(j):
			return dag.Running
		case j.state != dag.Succeeded:
			failed[i] = true
			worst = worse(worst, j.state)
			stops = stops || j.conf != nil && j.conf.stops
		}
		if j != nil && (!last.Known() || j.finished > last) {
			last = j.finished
		}
	}
	if missing == 0 || worst != dag.Succeeded && stops {
		return worst
	}
	if !last.Known() || s.seenAt.Sub(last) < max(patience, 3*longestGap(g)) {
		return dag.Running
	}
	if worst != dag.Succeeded {
		return worst
	}
	return dag.EndedUnconfirmed
}

// unread says that how a job ended is known, but not all that its history tells, and that it may be had yet: the
// history server answers from time to time.
func (s *Source) unread(j *job) bool {
	final := s.target.Final != nil && s.target.Final()
	waiting := s.now.Sub(max(j.overSince, j.backlog.movedAt)) < unreadPatience || j.backlog.vain < unreadTries
	return j.backlog.failed && j.at != jobSettled && !final && waiting && s.now.Sub(j.overSince) < unreadAtMost
}

// A workflow that has ended waits for what its history tells: this long and so many ticks after the last news of it,
// though each may have been late or in vain, and no longer than that after its end.
const (
	unreadPatience = 2 * time.Minute
	unreadTries    = 40
	unreadAtMost   = 10 * time.Minute
)

// worse is what two jobs' ends make of a workflow: a failure that is known counts more than an end that is not.
func worse(a, b dag.State) dag.State {
	for _, s := range []dag.State{dag.Failed, dag.Killed, dag.EndedUnconfirmed} {
		if a == s || b == s {
			return s
		}
	}
	return dag.Succeeded
}

// longestGap is the longest time from the end of the jobs before to a submission.
func longestGap(g *graph) time.Duration {
	var longest time.Duration
	for i := range g.nodes {
		j := g.nodes[i].job
		if j == nil || !j.submitted.Known() {
			continue
		}
		before := dag.NoInstant
		for k := range g.nodes {
			b := g.nodes[k].job
			if b != nil && b.state.Ended() && b.finished.Known() && b.finished <= j.submitted && b.finished > before {
				before = b.finished
			}
		}
		if before.Known() {
			longest = max(longest, j.submitted.Sub(before))
		}
	}
	return longest
}
