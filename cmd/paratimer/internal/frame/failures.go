package frame

import (
	"cmp"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// An attempt with lost work, for the list of failures.
type mishap struct {
	at   dag.Instant
	job  int
	kind dag.StageIndex
	a    *dag.Attempt
	why  string
}

// failures returns the newest attempts that failed or lost their work, newest first, and the number of all. Those
// at an unknown time come last.
func failures(s *dag.Snapshot) ([]Failure, int) {
	var all []mishap
	for j := range s.Jobs {
		for k := range s.Jobs[j].NumStages() {
			list := s.Jobs[j].Stages[k].Attempts
			for i := range list {
				a := &list[i]
				if a.State != dag.AttemptFailed && a.State != dag.AttemptKilled {
					continue
				}
				if at, why, lost := mishapOf(s, j, k, i); lost {
					all = append(all, mishap{at, j, k, a, why})
				}
			}
		}
	}
	slices.SortStableFunc(all, func(x, y mishap) int { return cmp.Compare(y.at, x.at) })
	out := make([]Failure, min(len(all), MostFailures))
	for i := range out {
		m := &all[i]
		out[i] = Failure{
			AtSeconds: Since(m.at, s.Origin()), Job: s.Plan.Jobs[m.job].Node, Attempt: m.a.Name(s.Jobs[m.job].ID,
				s.Plan.StageName(m.job, m.kind)),
			Node: Text(machine(s, m.a)), Why: Text(m.why),
		}
	}
	return out, len(all)
}

// mishapOf reports whether a failed or killed attempt is a failure, when, and why. A killed attempt is one if its
// work was lost: with its node, or with the application master. It is none if a faster attempt of the same task
// ended first, if it was preempted, or if its job ended.
func mishapOf(s *dag.Snapshot, job int, k dag.StageIndex, i int) (at dag.Instant, why string, lost bool) {
	j := &s.Jobs[job]
	a := &j.Stages[k].Attempts[i]
	if a.State == dag.AttemptFailed {
		return a.End, a.Diagnosis, true
	}
	switch {
	case !a.Start.Known() || j.Stages[k].Overtaken(i) || a.Preempted():
	case onLostNode(s, a):
		since := s.Nodes[a.Node].LostAt
		if j.Finished.Known() && since.Known() && j.Finished <= since {
			break
		}
		if !since.Known() {
			since = a.End
		}
		return since, cmp.Or(a.Diagnosis, "its node is lost"), true
	case j.Attempt > 1 && j.Started.Known() && a.End.Known() && a.End <= j.Started:
		return j.Started, cmp.Or(a.Diagnosis, "its application master came again"), true
	}
	return dag.NoInstant, "", false
}
