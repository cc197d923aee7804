package frame

import (
	"cmp"
	"math"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// MostFailures bounds Failures to the newest ones.
const MostFailures = 20

// A Failure is an attempt that failed, or that lost its work with its node.
type Failure struct {
	AtSeconds *Seconds `json:"at_seconds"`
	Job       string   `json:"job"`  // node in the DAG
	Task      string   `json:"task"` // for people
	Attempt   string   `json:"attempt"`
	Node      *string  `json:"node"` // the machine
	Why       *string  `json:"why"`
}

// What names the task of the attempt, or else the attempt.
func (f *Failure) What() string { return cmp.Or(f.Task, f.Attempt+" of job "+f.Job) }

// failures returns the newest attempts that failed or lost their work, newest first, and the number of all. Those
// at an unknown time come last.
func failures(s *dag.Snapshot) ([]Failure, int) {
	var all []Failure
	for j := range s.Jobs {
		for k := range s.Jobs[j].NumStages() {
			list := s.Jobs[j].Stages[k].Attempts
			for i := range list {
				a := &list[i]
				if a.State != dag.AttemptFailed && a.State != dag.AttemptKilled {
					continue
				}
				if at, why, lost := lostWork(s, j, k, i); lost {
					all = append(all, Failure{
						AtSeconds: Since(at, s.Origin()), Job: s.Plan.Jobs[j].Node, Node: Text(machine(s, a)),
						Attempt: a.Name(s.Jobs[j].ID, s.Plan.StageName(j, k)), Why: Text(why),
						Task: s.Plan.TaskWords(j, k, a.Task),
					})
				}
			}
		}
	}
	at := func(f Failure) float64 {
		if f.AtSeconds == nil {
			return math.Inf(-1)
		}
		return float64(*f.AtSeconds)
	}
	slices.SortStableFunc(all, func(x, y Failure) int { return cmp.Compare(at(y), at(x)) })
	return append([]Failure{}, all[:min(len(all), MostFailures)]...), len(all)
}

// lostWork reports whether a failed or killed attempt is a failure, when, and why. A killed attempt is one if its
// work was lost: with its node, or with the application master. It is none if a faster attempt of the same task
// ended first, if it was preempted, or if its job ended.
func lostWork(s *dag.Snapshot, job int, k dag.StageIndex, i int) (at dag.Instant, why string, lost bool) {
	j := &s.Jobs[job]
	a := &j.Stages[k].Attempts[i]
	switch {
	case a.State == dag.AttemptFailed:
		return a.End, a.Diagnosis, true
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
