package hadoop

import "github.com/paratimer/paratimer/dag"

// remarkNodes warns of a job's attempts on nodes that are lost or drain, and of nodes that its master avoids. One that is killed but
// has no end is being stopped: the master asks for its task again only once it is, up to three minutes later
// (docs/facts/hadoop.md E0).
func (s *Source) remarkNodes(snap *dag.Snapshot, job int) {
	j := &snap.Jobs[job]
	if j.State.Ended() {
		return
	}
	for _, k := range []dag.Kind{dag.Map, dag.Reduce} {
		on := make([]int, len(snap.Nodes))
		for _, a := range j.Phase(k).Attempts {
			held := a.State == dag.AttemptRunning || a.State == dag.AttemptKilled && !a.End.Known()
			if held && a.Node >= 0 && int(a.Node) < len(on) {
				on[a.Node]++
			}
		}
		for n, count := range on {
			if count > 0 {
				s.remarkTasks(&snap.Nodes[n], count, k, j.ID)
			}
		}
	}
	for _, n := range j.Avoided {
		if !snap.Nodes[n].Lost {
			s.warn(dag.WarnNodeClosed, "the master of %s avoids node %s, where too many of its attempts failed: new ones go elsewhere", j.ID, snap.Nodes[n].Name)
		}
	}
}

// remarkTasks warns of a job's attempts on a node that is no good any more.
func (s *Source) remarkTasks(n *dag.NodeState, count int, k dag.Kind, job string) {
	switch {
	case n.Lost && n.Cause == dag.NodeUnhealthy:
		s.warn(dag.WarnNodeLost, "node %s is unhealthy with %d %s tasks of %s: they run again elsewhere", n.Name, count, k, job)
	case n.Lost && n.Cause == dag.NodeDecommissioned:
		s.warn(dag.WarnNodeLost, "node %s is decommissioned with %d %s tasks of %s; the master gives them up only once it has tried to stop them",
			n.Name, count, k, job)
	case n.Lost:
		s.warn(dag.WarnNodeLost, "node %s is lost with %d %s tasks of %s; the master gives them up only once it has tried to stop them", n.Name, count, k, job)
	case n.Draining:
		s.warn(dag.WarnNodeClosed, "node %s is being decommissioned: its %d %s tasks of %s go on for as long as it is given, new ones go elsewhere",
			n.Name, count, k, job)
	}
}
