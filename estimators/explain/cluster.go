package explain

import (
	"fmt"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// changedSlots is the ingredient of slots: the later cluster, its nodes, and the memory that others use.
func changedSlots(s, later *dag.Snapshot) (*dag.Snapshot, string) {
	subjects, avoided := clusterChanges(s, later), avoidances(s, later)
	if subjects = append(subjects, avoided...); len(subjects) == 0 {
		return nil, ""
	}
	c := clone(s)
	plan := *s.Plan
	plan.Cluster = later.Plan.Cluster
	c.Plan, c.Load, c.Coming = &plan, later.Load, later.Coming
	// Attempts name their nodes by index: nodes keep their places.
	for i := range c.Nodes {
		if n := node(later, c.Nodes[i].Name); n != nil {
			c.Nodes[i] = *n
		}
	}
	for _, n := range later.Nodes {
		if node(c, n.Name) == nil {
			c.Nodes = append(c.Nodes, n)
		}
	}
	if len(avoided) > 0 {
		avoid(c, later)
	}
	return c, list(subjects)
}

func node(s *dag.Snapshot, name string) *dag.NodeState {
	if i := slices.IndexFunc(s.Nodes, func(n dag.NodeState) bool { return n.Name == name }); i >= 0 {
		return &s.Nodes[i]
	}
	return nil
}

// clusterChanges names the nodes and slots that came or went, and the applications that use more or less memory.
func clusterChanges(s, later *dag.Snapshot) []string {
	out := capacityChanges(s, later)
	if len(out) == 0 && len(s.Nodes) == 0 && len(later.Nodes) > 0 {
		out = append(out, "its nodes became known")
	}
	return append(out, loadChanges(s.Load, later.Load)...)
}

// capacityChanges names the nodes and slots that came or went. If s has no nodes at all, the later ones are not
// new.
func capacityChanges(s, later *dag.Snapshot) []string {
	var out []string
	for i := range later.Nodes {
		n := &later.Nodes[i]
		was := node(s, n.Name)
		switch {
		case n.Lost && (was == nil || !was.Lost):
			out = append(out, "node "+n.Name+" "+lostHow(n))
		case n.Draining && (was == nil || !was.Draining):
			out = append(out, "node "+n.Name+" is being decommissioned")
		case was == nil && len(s.Nodes) == 0:
		case was == nil:
			out = append(out, "node "+n.Name+" is new")
		case !n.Lost && was.Lost:
			out = append(out, "node "+n.Name+" is back")
		case !n.Lost && !n.Draining && was.Draining:
			out = append(out, "node "+n.Name+" stays in the cluster")
		case n.MemoryMB != was.MemoryMB:
			out = append(out, fmt.Sprintf("node %s has %d MB, not %d", n.Name, n.MemoryMB, was.MemoryMB))
		}
	}
	a, b := s.Plan.Cluster, later.Plan.Cluster
	for _, c := range []struct {
		what    string
		was, is int
	}{
		{"map slots", a.MapSlots, b.MapSlots},
		{"reduce slots", a.ReduceSlots, b.ReduceSlots},
		{"MB in the queue", a.QueueMB, b.QueueMB},
		{"MB in the cluster", a.MemoryMB, b.MemoryMB},
	} {
		if c.was != c.is && len(out) == 0 {
			out = append(out, fmt.Sprintf("%d %s, not %d", c.is, c.what, c.was))
		}
	}
	return out
}

// loadChanges names the other applications that use more or less memory than before.
func loadChanges(was, is []dag.Load) []string {
	held := func(list []dag.Load, id string) (int, bool) {
		i := slices.IndexFunc(list, func(l dag.Load) bool { return l.ID == id })
		if i < 0 {
			return 0, false
		}
		return list[i].HeldMB, true
	}
	var out []string
	for i := range is {
		l := &is[i]
		switch before, there := held(was, l.ID); {
		case !there && l.HeldMB == 0:
			out = append(out, l.Title()+" has come and waits")
		case !there:
			out = append(out, fmt.Sprintf("%s has come and holds %d MB", l.Title(), l.HeldMB))
		case before != l.HeldMB:
			out = append(out, fmt.Sprintf("%s holds %d MB, not %d", l.Title(), l.HeldMB, before))
		}
	}
	for i := range was {
		if _, there := held(is, was[i].ID); !there {
			out = append(out, was[i].Title()+" is gone")
		}
	}
	return out
}

// lostHow describes why a node is lost.
func lostHow(n *dag.NodeState) string {
	switch n.Cause {
	case dag.NodeDecommissioned:
		return "is decommissioned"
	case dag.NodeUnhealthy:
		return "is unhealthy"
	}
	return "is lost"
}

// avoidances names the nodes that masters have begun to avoid, and those that they use again.
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

// avoid makes the masters of c avoid the same nodes as those of later.
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

// names returns the names of the nodes.
func names(s *dag.Snapshot, nodes []int32) []string {
	var out []string
	for _, n := range nodes {
		if n >= 0 && int(n) < len(s.Nodes) {
			out = append(out, s.Nodes[n].Name)
		}
	}
	return out
}
