package whatif

import (
	"fmt"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// nodesTried is how many nodes are tried at a moment: those on which most is lost.
const nodesTried = 2

// nodeTrials lose a node just before the last map, or the last task, of each job ends: then most of what it holds is
// lost with it.
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
		for k := range c.w.s.Plan.Jobs[j].NumStages() {
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
			here = append(here, trial{
				note: fmt.Sprintf("%s after %s", c.nodeName(node), c.since(t)), weight: lost,
				make: func() *clusterState {
					one := c.at(t)
					c.lose(one, int32(node))
					return one.clusterState(c.w)
				},
			})
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
	c.onNodes(m, -1, func(a *dag.Attempt) {
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

// onNodes visits what a loss of a node, or of all if it is -1, would undo: attempts that run, and tasks that are done
// and whose output is still wanted, by a task that is not done or is lost itself.
func (c *course) onNodes(m *moment, node int32, visit func(a *dag.Attempt)) {
	for j := range m.s.Jobs {
		js, stages := &m.s.Jobs[j], m.s.Plan.Jobs[j].Stages
		if js.State.Ended() {
			continue
		}
		readers := make([]reader, len(stages))
		for k := len(stages) - 1; k >= 0; k-- {
			n := stages[k].Count()
			readers[k] = reader{done: make([]bool, n), left: n}
			list := js.Stages[k].Attempts
			for i := range list {
				a := &list[i]
				on := node < 0 || a.Node == node
				switch {
				case int(a.Task) >= n:
				case a.State == dag.AttemptRunning && on, a.State == dag.AttemptSucceeded && on &&
					wanted(stages, readers, k, int(a.Task)):
					visit(a)
				case readers[k].done[a.Task]:
				case a.State == dag.AttemptSucceeded, a.State == dag.AttemptRunning && !stages[k].Copies():
					// it has its input
					readers[k].done[a.Task] = true
					readers[k].left--
				}
			}
		}
	}
}

// A reader is how far a stage is that reads others.
type reader struct {
	done []bool // by task: it needs its input no more
	left int
}

// wanted says whether what a task wrote is still to be read.
func wanted(stages []dag.Stage, readers []reader, k, task int) bool {
	for to := k + 1; to < len(stages); to++ {
		for _, e := range stages[to].After {
			r := &readers[to]
			if int(e.From) != k || r.left == 0 {
				continue
			}
			if e.Kind != dag.OneToOne || task < len(r.done) && !r.done[task] {
				return true
			}
		}
	}
	return false
}

// lose takes a node out of a moment. In a pool the master goes on believing in what ran there, until it gives it up
// (dag.Overheads.Abandon); the paper's cluster runs it again at once.
func (c *course) lose(m *moment, node int32) {
	p := &m.s.Plan.Cluster
	pool := p.Policy != dag.FIFO
	c.onNodes(m, node, func(a *dag.Attempt) {
		if a.State == dag.AttemptSucceeded || !pool {
			a.State, a.End = dag.AttemptKilled, m.s.At
		}
	})
	if pool {
		m.s.Nodes[node].Lost, m.s.Nodes[node].LostAt = true, m.s.At
		return
	}
	per := max(1, p.SlotsPerNode)
	p.MapSlots -= onNode(p.MapSlots, int(node), per)
	p.ReduceSlots -= onNode(p.ReduceSlots, int(node), per)
}

// onNode is how many of the slots of a kind a node has.
func onNode(slots, node, per int) int { return min(max(slots-node*per, 0), per) }
