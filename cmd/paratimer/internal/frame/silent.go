package frame

import (
	"time"

	"github.com/paratimer/paratimer/dag"
)

// eachSilent calls visit for every attempt that has stopped reporting and is its task's newest, in plan order,
// until visit returns false.
func eachSilent(s *dag.Snapshot, visit func(job int, k dag.StageIndex, a *dag.Attempt) bool) {
	for j := range s.Jobs {
		if s.Jobs[j].State.Ended() {
			continue
		}
		for k := range s.Jobs[j].NumStages() {
			list := s.Jobs[j].Stages[k].Attempts
			for i := range list {
				newest := i+1 == len(list) || list[i+1].Task != list[i].Task
				if _, silent := silentSince(s, &list[i]); silent && newest && !visit(j, k, &list[i]) {
					return
				}
			}
		}
	}
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

// mostSilent bounds the number of attempts with a warning.
const mostSilent = 10

// silentWarnings returns a warning for each attempt that has stopped reporting.
func silentWarnings(s *dag.Snapshot) []dag.Warning {
	var out []dag.Warning
	eachSilent(s, func(job int, k dag.StageIndex, a *dag.Attempt) bool {
		out = append(out, dag.Warning{Code: dag.WarnNotReporting, Text: attempt(s, job, k, a)})
		return len(out) < mostSilent
	})
	return out
}
