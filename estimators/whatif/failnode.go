package whatif

import (
	"fmt"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// nodesTried is how many nodes are tried at a moment: those on which most is lost.
const nodesTried = 2

// nodeTrials lose a node just before the last map, or the last task, of each job ends: then most of what it holds is lost with it.
func (c *course) nodeTrials() ([]trial, error) {
	n := c.nodeCount()
	switch {
	case n == 0:
		return nil, &UnsupportedError{ModelReplay, "fail node", "nobody has told the nodes of the cluster"}
	case n == 1:
		return nil, &UnsupportedError{ModelReplay, "fail node", "the cluster has one node: without it nothing runs"}
	}
	var moments []dag.Instant
	for j := range c.w.s.Plan.Jobs {
		for _, k := range [...]dag.Kind{dag.Map, dag.Reduce} {
			if end, left := c.ends(j, k); left {
				moments = append(moments, max(end-1, c.w.s.At))
			}
		}
	}
	slices.Sort(moments)
	moments = slices.Compact(moments)
	if most := c.w.tries() / nodesTried; len(moments) > most { // evenly over the run
		for i := range most {
			moments[i] = moments[(i+1)*len(moments)/most-1]
		}
		moments = moments[:most]
	}
	var all []trial
	for _, t := range moments {
		m := c.at(t)
		var here []trial
		for node, lost := range c.lostWith(m) {
			if node >= n || lost == 0 {
				continue
			}
			here = append(here, trial{note: fmt.Sprintf("%s after %s", c.nodeName(node), c.since(t)), weight: lost, make: func() *world {
				one := c.at(t)
				c.lose(one, int32(node))
				return one.world(c.w)
			}})
		}
		all = append(all, heaviest(here, nodesTried)...)
	}
	return all, nil
}

func (c *course) nodeCount() int {
	p := &c.w.s.Plan.Cluster
	if p.Policy == dag.FIFO {
		per := max(1, p.SlotsPerNode)
		return (max(p.MapSlots, p.ReduceSlots) + per - 1) / per
	}
	n := 0
	for _, s := range c.w.s.Nodes {
		if !s.Lost {
			n++
		}
	}
	if n < 2 {
		return n
	}
	return len(c.w.s.Nodes)
}

func (c *course) nodeName(node int) string {
	if node < len(c.w.s.Nodes) {
		return c.w.s.Nodes[node].Name
	}
	return fmt.Sprintf("node %d", node)
}

// mostCounted bounds the nodes that are looked at.
const mostCounted = 1 << 16

// lostWith is the work that would be lost with each node at a moment.
func (c *course) lostWith(m *moment) []time.Duration {
	var lost []time.Duration
	c.onNodes(m, func(_ int, _ dag.Kind, a *dag.Attempt) {
		if a.Node < 0 || a.Node >= mostCounted {
			return
		}
		for len(lost) <= int(a.Node) {
			lost = append(lost, 0)
		}
		lost[a.Node] += took(a, m.s.At)
	})
	return lost
}

// onNodes visits what a loss of its node would undo: attempts that run, and maps whose output is still wanted.
func (c *course) onNodes(m *moment, visit func(j int, k dag.Kind, a *dag.Attempt)) {
	for j := range m.s.Jobs {
		js := &m.s.Jobs[j]
		if js.State.Ended() {
			continue
		}
		wanted := m.s.Plan.Jobs[j].Reduce.Count() > 0
		for _, k := range [...]dag.Kind{dag.Map, dag.Reduce} {
			list := js.Phase(k).Attempts
			for i := range list {
				a := &list[i]
				if a.State == dag.AttemptRunning || k == dag.Map && wanted && a.State == dag.AttemptSucceeded {
					visit(j, k, a)
				}
			}
		}
	}
}

// lose takes a node out of a moment. On YARN the master goes on believing in what ran there, until it gives it up
// (dag.Overheads.Abandon); the paper's cluster runs it again at once.
func (c *course) lose(m *moment, node int32) {
	p := &m.s.Plan.Cluster
	yarn := p.Policy == dag.YARN
	c.onNodes(m, func(_ int, _ dag.Kind, a *dag.Attempt) {
		if a.Node == node && (a.State == dag.AttemptSucceeded || !yarn) {
			a.State, a.End = dag.AttemptKilled, m.s.At
		}
	})
	if yarn {
		m.s.Nodes[node].Lost, m.s.Nodes[node].LostAt = true, m.s.At
		return
	}
	per := max(1, p.SlotsPerNode)
	p.MapSlots -= onNode(p.MapSlots, int(node), per)
	p.ReduceSlots -= onNode(p.ReduceSlots, int(node), per)
}

// onNode is how many of the slots of a kind a node has.
func onNode(slots, node, per int) int { return min(max(slots-node*per, 0), per) }
