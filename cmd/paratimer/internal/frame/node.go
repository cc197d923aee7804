package frame

import (
	"slices"
	"strings"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
)

// A Node is a machine of the cluster that differs from the others.
type Node struct {
	Name  string    `json:"name"`
	State NodeState `json:"state"`
	// Times is the time of its tasks relative to other nodes; nil: the same, as far as known.
	Times *Times `json:"times"`
	// AvoidedBy are the jobs (nodes of the DAG) with masters that request no containers there.
	AvoidedBy []string `json:"avoided_by"`
}

// A NodeState is the state of a node.
type NodeState string

// The states.
const (
	NodeRunning        NodeState = "running"
	NodeDraining       NodeState = "draining"
	NodeLost           NodeState = "lost"
	NodeUnhealthy      NodeState = "unhealthy"
	NodeDecommissioned NodeState = "decommissioned"
)

// oddNodes returns the nodes that are lost, draining, avoided, slow or fast, sorted by name; none for an ended
// query.
func oddNodes(s *dag.Snapshot, scenarios []estimators.Estimate) []Node {
	if s.State.Ended() {
		return nil
	}
	var factors map[int32]float64
	if len(scenarios) > 0 {
		factors = scenarios[0].Nodes
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
		if n.State != NodeRunning || n.Times != nil || len(n.AvoidedBy) > 0 {
			out = append(out, n)
		}
	}
	slices.SortStableFunc(out, func(a, b Node) int { return strings.Compare(a.Name, b.Name) })
	return out
}

func nodeState(n *dag.NodeState) NodeState {
	switch {
	case n.Lost && n.Cause == dag.NodeDecommissioned:
		return NodeDecommissioned
	case n.Lost && n.Cause == dag.NodeUnhealthy:
		return NodeUnhealthy
	case n.Lost:
		return NodeLost
	case n.Draining:
		return NodeDraining
	}
	return NodeRunning
}
