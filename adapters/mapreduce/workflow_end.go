package mapreduce

import (
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// patience is the least time that jobs of the graph may be missing before the workflow counts as ended without
// them.
const patience = 60 * time.Second

// end returns the state of the workflow.
//
// It has succeeded if all jobs of the graph have, and the history server has confirmed it. It has failed or was
// killed if a job was, nothing runs, and only jobs that depend on that job are missing. Otherwise, while nothing
// runs and jobs are missing, new ones may come for max(60 s, 3 x the longest launch gap).
func (s *Source) end(g placed) dag.State {
	failed := make([]bool, len(g.jobs)) // failed, or depends on a failed job
	worst := dag.Succeeded
	missing, last := 0, dag.NoInstant
	stops := false
	for i, j := range g.jobs {
		for _, p := range g.Vertices[i].After {
			failed[i] = failed[i] || failed[p]
		}
		switch {
		case j == nil && !failed[i]:
			missing++
		case j == nil:
		case !j.state.Ended(), j.at == jobUnconfirmed, j.unread(s.now, s.isLast()):
			return dag.Running
		case j.state != dag.Succeeded:
			failed[i] = true
			worst = severity[max(slices.Index(severity, worst), slices.Index(severity, j.state))]
			stops = stops || j.conf != nil && j.conf.Stops
		}
		if j != nil && (!last.Known() || j.finished > last) {
			last = j.finished
		}
	}
	if missing == 0 || worst != dag.Succeeded && stops {
		return worst
	}
	if !last.Known() || s.view.ListedAt().Sub(last) < max(patience, 3*longestGap(g)) {
		return dag.Running
	}
	if worst != dag.Succeeded {
		return worst
	}
	return dag.EndedUnconfirmed
}

// severity orders the ends of jobs: a known failure comes before an unknown end.
var severity = []dag.State{dag.Succeeded, dag.EndedUnconfirmed, dag.Killed, dag.Failed}

// longestGap returns the longest time from the end of earlier jobs to a submission.
func longestGap(g placed) time.Duration {
	var longest time.Duration
	for _, j := range g.jobs {
		if j == nil || !j.submitted.Known() {
			continue
		}
		before := dag.NoInstant
		for _, b := range g.jobs {
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
