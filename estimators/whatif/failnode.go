package whatif

import (
	"fmt"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// nodesTried is the number of nodes that are tried at a moment: those with the most work to lose.
const nodesTried = 2

// nodeTrials returns trials that lose a node just before the last task of each stage ends, when most of its work is
// lost.
func (c *course) nodeTrials(Failure) ([]trial, error) {
	n := c.nodeCount()
	switch {
	case n == 0:
		return nil, &UnsupportedError{"fail node", "the nodes of the cluster are unknown"}
	case n == 1:
		return nil, &UnsupportedError{"fail node", "the cluster has one node: without it nothing runs"}
	}
	var moments []dag.Instant
	for _, spans := range slices.Concat(c.stages...) {
		if len(spans) > 0 {
			moments = append(moments, max(endOf(spans)-1, c.w.s.At))
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
		cut := c.at(t)
		var here []trial
		for node, lost := range lostWith(cut.Snapshot) {
			if node >= n || lost == 0 {
				continue
			}
			here = append(here, trial{
				note: fmt.Sprintf("%s after %s", c.nodeName(node), c.since(t)), weight: lost,
				make: func() *clusterState {
					cut := c.at(t)
					lose(cut.Snapshot, int32(node))
					return c.from(cut)
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

// mostCounted limits the number of nodes that are considered.
const mostCounted = 1 << 16

// lostWith returns, by node, the work that the loss of the node would undo.
func lostWith(s *dag.Snapshot) []time.Duration {
	var lost []time.Duration
	onNodes(s, -1, func(a *dag.Attempt) {
		if a.Node < 0 || a.Node >= mostCounted {
			return
		}
		for len(lost) <= int(a.Node) {
			lost = append(lost, 0)
		}
		if end := a.End; a.Start.Known() {
			if !end.Known() {
				end = s.At
			}
			lost[a.Node] += max(end.Sub(a.Start), 0)
		}
	})
	return lost
}

// onNodes visits the attempts that the loss of a node, or of all nodes if it is -1, would undo. These are running
// attempts, and finished tasks with output that an unfinished or lost task still needs.
func onNodes(s *dag.Snapshot, node int32, visit func(a *dag.Attempt)) {
	for j := range s.Jobs {
		js, stages := &s.Jobs[j], s.Plan.Jobs[j].Stages
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
					// The task has its input.
					readers[k].done[a.Task] = true
					readers[k].left--
				}
			}
		}
	}
}

// A reader is the progress of a stage that reads other stages.
type reader struct {
	done []bool // by task: it no longer needs its input
	left int
}

// wanted reports whether some task still has to read the output of a task.
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

// lose removes a node from a snapshot. In a pool the master counts its tasks as running until it abandons them
// (dag.Overheads.Abandon). The paper's cluster runs them again at once.
func lose(s *dag.Snapshot, node int32) {
	p := &s.Plan.Cluster
	pool := p.Policy != dag.FIFO
	onNodes(s, node, func(a *dag.Attempt) {
		if a.State == dag.AttemptSucceeded || !pool {
			a.State, a.End = dag.AttemptKilled, s.At
		}
	})
	if pool {
		s.Nodes[node].Lost, s.Nodes[node].LostAt = true, s.At
		return
	}
	per := max(1, p.SlotsPerNode)
	p.MapSlots -= onNode(p.MapSlots, int(node), per)
	p.ReduceSlots -= onNode(p.ReduceSlots, int(node), per)
}

// onNode returns how many of the slots of a kind belong to a node.
func onNode(slots, node, per int) int { return min(max(slots-node*per, 0), per) }
