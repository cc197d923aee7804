package observed

import (
	"cmp"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// defaultMB is what a container is taken to hold where nobody says: MapReduce's default, and the replay's.
const defaultMB = 1024

// makeRoom makes the cluster as large as it must be: it holds what runs at once, and a master with one task of each job
// that is left. A run made from a history shows no more than its tasks took, and a ResourceManager may not tell the
// size of its cluster.
func makeRoom(s *dag.Snapshot) {
	c := &s.Plan.Cluster
	if c.Policy != dag.YARN {
		return
	}
	held, least, largest := 0, 0, 0
	for j := range s.Jobs {
		limits, state := &s.Plan.Jobs[j].Limits, &s.Jobs[j]
		task := max(cmp.Or(limits.MapMB, defaultMB), cmp.Or(limits.ReduceMB, defaultMB))
		master := cmp.Or(limits.AMMB, limits.MapMB, defaultMB)
		if state.State.Ended() {
			continue
		}
		least, largest = max(least, master+task), max(largest, task)
		running := 0
		for _, k := range [...]dag.StageIndex{dag.Map, dag.Reduce} {
			mb := cmp.Or(limits.MapMB, defaultMB)
			if k == dag.Reduce {
				mb = cmp.Or(limits.ReduceMB, defaultMB)
			}
			for i := range state.Stages[k].Attempts {
				if state.Stages[k].Attempts[i].State == dag.AttemptRunning {
					running += mb
				}
			}
		}
		if running > 0 {
			running += master
		}
		held += max(running, state.HeldMB)
	}
	least = max(least, held)
	if c.MemoryMB > 0 || len(s.Nodes) == 0 {
		c.MemoryMB = max(c.MemoryMB, least)
	}
	if c.QueueMB > 0 {
		c.QueueMB = max(c.QueueMB, least)
	}
	growNodes(s, least, largest)
}

// growNodes makes the largest node that takes containers large enough, where there is one.
func growNodes(s *dag.Snapshot, least, task int) {
	sum, best := 0, -1
	for i := range s.Nodes {
		if n := &s.Nodes[i]; !n.Lost && !n.Draining {
			sum += n.MemoryMB
			if best < 0 || n.MemoryMB > s.Nodes[best].MemoryMB {
				best = i
			}
		}
	}
	if best < 0 || sum >= least && s.Nodes[best].MemoryMB >= task {
		return
	}
	s.Nodes = slices.Clone(s.Nodes)
	s.Nodes[best].MemoryMB = max(s.Nodes[best].MemoryMB+least-sum, task)
}
