package frame

import (
	"cmp"
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

// Text describes the failure: the task, the node and the reason. Each goes through safe, which escapes it.
func (f *Failure) Text(safe func(string) string) string {
	s := safe(f.What())
	if f.Node != nil {
		s += " on " + safe(*f.Node)
	}
	if f.Why != nil {
		s += ": " + safe(*f.Why)
	}
	return s
}

// failures returns the newest attempts that failed or lost their work, newest first, and the number of all. Those
// at an unknown time come last.
func failures(s *dag.Snapshot) ([]Failure, int) {
	all := []Failure{}
	for j := range s.Jobs {
		for k, a := range s.Jobs[j].All() {
			if at, why, lost := lostWork(s, j, k, a); lost {
				all = append(all, Failure{
					AtSeconds: Since(at, s.Origin()), Job: s.Plan.Jobs[j].Node, Node: Text(machine(s, a)),
					Attempt: a.Name(s.Jobs[j].ID, s.Plan.StageName(j, k)), Why: Text(why),
					Task: s.Plan.TaskWords(j, k, a.Task),
				})
			}
		}
	}
	slices.SortStableFunc(all, func(x, y Failure) int {
		return cmp.Compare(ValueOf(y.AtSeconds), ValueOf(x.AtSeconds))
	})
	return slices.Clone(all[:min(len(all), MostFailures)]), len(all)
}

// lostWork reports whether an attempt is a failure, when, and why. A killed attempt is one if its work was lost: with
// its node, or with the application master. It is none if a faster attempt of the same task ended first, if it was
// preempted, or if its job ended.
func lostWork(s *dag.Snapshot, job int, k dag.StageIndex, a *dag.Attempt) (at dag.Instant, why string, lost bool) {
	switch j := &s.Jobs[job]; {
	case a.State == dag.AttemptFailed:
		return a.End, a.Diagnosis, true
	case a.State != dag.AttemptKilled || !a.Start.Known() || j.Stages[k].Overtaken(a) || a.Preempted():
	case onLostNode(s, a):
		since := s.Nodes[a.Node].LostAt
		if !j.Finished.Known() || !since.Known() || j.Finished > since {
			return dag.FirstKnown(since, a.End), cmp.Or(a.Diagnosis, "its node is lost"), true
		}
	case j.Attempt > 1 && j.Started.Known() && a.End.Known() && a.End <= j.Started:
		return j.Started, cmp.Or(a.Diagnosis, "its application master came again"), true
	}
	return dag.NoInstant, "", false
}

// A Node is a machine of the cluster that differs from the others.
type Node struct {
	Name string `json:"name"`
	// State is running, draining or lost, or why the node was lost: unhealthy, decommissioned.
	State string `json:"state"`
	// Times is the time of its tasks relative to other nodes; nil: the same, as far as known.
	Times *Times `json:"times"`
	// AvoidedBy are the jobs (nodes of the DAG) with masters that request no containers there.
	AvoidedBy []string `json:"avoided_by"`
}

// oddNodes returns the nodes that are lost, draining, avoided, slow or fast, sorted by name; none for an ended
// query. factors are the times of tasks relative to other nodes, by node.
func oddNodes(s *dag.Snapshot, factors map[int32]float64) []Node {
	if s.State.Ended() {
		return nil
	}
	var out []Node
	for i := range s.Nodes {
		n := Node{
			Name: s.Nodes[i].Name, State: nodeState(&s.Nodes[i]), Times: TimesOf(factors[int32(i)]),
			AvoidedBy: []string{},
		}
		for j := range s.Jobs {
			if !s.Jobs[j].State.Ended() && slices.Contains(s.Jobs[j].Avoided, int32(i)) {
				n.AvoidedBy = append(n.AvoidedBy, s.Plan.Jobs[j].Node)
			}
		}
		if n.State != "running" || n.Times != nil || len(n.AvoidedBy) > 0 {
			out = append(out, n)
		}
	}
	slices.SortStableFunc(out, func(a, b Node) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

func nodeState(n *dag.NodeState) string {
	switch {
	case n.Lost && n.Cause != dag.NodeGone:
		return n.Cause.String()
	case n.Lost:
		return "lost"
	case n.Draining:
		return "draining"
	}
	return "running"
}
