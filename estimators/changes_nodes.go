package estimators

import (
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// lostHow says what became of a node that is lost.
func lostHow(n *dag.NodeState) string {
	switch n.Cause {
	case dag.NodeDecommissioned:
		return "is decommissioned"
	case dag.NodeUnhealthy:
		return "is unhealthy"
	}
	return "is lost"
}

// avoidances names the nodes that masters avoid and did not, and those that they take again.
func avoidances(s, later *dag.Snapshot) []string {
	var out []string
	for j := range s.Jobs {
		l := sameJob(s, later, j)
		if l < 0 {
			continue
		}
		was, is := names(s, s.Jobs[j].Avoided), names(later, later.Jobs[l].Avoided)
		for _, name := range is {
			if !slices.Contains(was, name) {
				out = append(out, s.Plan.JobName(j)+" avoids node "+name)
			}
		}
		for _, name := range was {
			if !slices.Contains(is, name) {
				out = append(out, s.Plan.JobName(j)+" avoids node "+name+" no longer")
			}
		}
	}
	return out
}

// avoid makes the masters of c avoid what those of later do.
func avoid(c, later *dag.Snapshot) {
	for j := range c.Jobs {
		l := sameJob(c, later, j)
		if l < 0 {
			continue
		}
		c.Jobs[j].Avoided = nil
		for _, name := range names(later, later.Jobs[l].Avoided) {
			i := slices.IndexFunc(c.Nodes, func(n dag.NodeState) bool { return n.Name == name })
			c.Jobs[j].Avoided = append(c.Jobs[j].Avoided, int32(i))
		}
		slices.Sort(c.Jobs[j].Avoided)
	}
}

// names are those of nodes.
func names(s *dag.Snapshot, nodes []int32) []string {
	var out []string
	for _, n := range nodes {
		if n >= 0 && int(n) < len(s.Nodes) {
			out = append(out, s.Nodes[n].Name)
		}
	}
	return out
}
