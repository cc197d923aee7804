package watch

import (
	"slices"
	"strings"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
)

// oddNodes are those that are lost, drain, are avoided, slow or fast, in the order of their names. What a query that is over met it tells no more.
func oddNodes(s *dag.Snapshot, scenarios []estimators.Estimate) []frame.Node {
	if s.State.Ended() {
		return nil
	}
	var factors map[int32]float64
	if len(scenarios) > 0 {
		factors = scenarios[0].Nodes
	}
	var out []frame.Node
	for i := range s.Nodes {
		n := frame.Node{Name: s.Nodes[i].Name, State: nodeState(&s.Nodes[i]), Times: frame.TimesOf(factors[int32(i)]), AvoidedBy: []string{}}
		for j := range s.Jobs {
			if !s.Jobs[j].State.Ended() && slices.Contains(s.Jobs[j].Avoided, int32(i)) {
				n.AvoidedBy = append(n.AvoidedBy, s.Plan.Jobs[j].Node)
			}
		}
		if n.State != frame.NodeRunning || n.Times != nil || len(n.AvoidedBy) > 0 {
			out = append(out, n)
		}
	}
	slices.SortStableFunc(out, func(a, b frame.Node) int { return strings.Compare(a.Name, b.Name) })
	return out
}

func nodeState(n *dag.NodeState) frame.NodeState {
	switch {
	case n.Lost && n.Cause == dag.NodeDecommissioned:
		return frame.NodeDecommissioned
	case n.Lost && n.Cause == dag.NodeUnhealthy:
		return frame.NodeUnhealthy
	case n.Lost:
		return frame.NodeLost
	case n.Draining:
		return frame.NodeDraining
	}
	return frame.NodeRunning
}
