package whatif

import (
	"github.com/paratimer/paratimer/dag"
)

// Room is how many tasks can run at once: slots of FIFO's two kinds, or containers, or cores.
type Room struct {
	Policy        dag.Policy
	Maps, Reduces int // FIFO: slots
	Containers    int // YARN: containers that fit into our share of the memory, including application masters; 0: unknown
	ContainerMB   int // YARN: the largest container that a task requests
	Cores         int // Executors; 0: unknown
}

// slots returns the slots of each kind: FIFO's two kinds, or the one pool.
func (r Room) slots() []int {
	switch r.Policy {
	case dag.FIFO:
		return []int{r.Maps, r.Reduces}
	case dag.Executors:
		return []int{r.Cores}
	}
	return []int{r.Containers}
}

// Total returns the number of all slots, containers or cores.
func (r Room) Total() int {
	n := 0
	for _, of := range r.slots() {
		n += of
	}
	return n
}

// roomOf returns the room of a snapshot's cluster.
func roomOf(s *dag.Snapshot) Room {
	c := &s.Plan.Cluster
	switch c.Policy {
	case dag.FIFO:
		return Room{Policy: dag.FIFO, Maps: c.MapSlots, Reduces: c.ReduceSlots}
	case dag.Executors:
		return Room{Policy: dag.Executors, Cores: capacity(s)}
	}
	mb := slotSize(s.Plan)
	return Room{Policy: dag.YARN, Containers: capacity(s) / mb, ContainerMB: mb}
}

// defaultMB is the size of a container if it is unknown: MapReduce's default.
const defaultMB = 1024

// slotSize returns the pool's capacity for one slot: the largest container in MB that a task requests, or one core.
func slotSize(p *dag.Plan) int {
	if p.Cluster.Policy == dag.Executors {
		return 1
	}
	mb := 0
	for j := range p.Jobs {
		for k := range p.Jobs[j].NumStages() {
			if stage := &p.Jobs[j].Stages[k]; stage.Count() > 0 || !stage.Known {
				mb = max(mb, need(p, j, k))
			}
		}
	}
	if mb == 0 {
		return defaultMB
	}
	return mb
}

// need returns the capacity for a task of a stage: MB, 0 if unknown, or cores of executors.
func need(p *dag.Plan, j int, k dag.StageIndex) int {
	job := &p.Jobs[j]
	if p.Cluster.Policy == dag.Executors {
		return max(job.Stages[k].Cores, 1)
	}
	return job.TaskMB(k)
}

// capacity returns our queue's share of a pool: MB, or cores of executors.
func capacity(s *dag.Snapshot) int {
	c := &s.Plan.Cluster
	most := *size(c)
	if sum := nodesSize(s); sum > 0 && (most == 0 || sum < most) {
		most = sum
	}
	if c.QueueMB > 0 && c.Policy != dag.Executors {
		most = min(most, c.QueueMB)
	}
	return most
}

// size returns the whole capacity of a pool: MB, or cores of executors.
func size(c *dag.Cluster) *int {
	if c.Policy == dag.Executors {
		return &c.Cores
	}
	return &c.MemoryMB
}

// nodeSize returns a node's capacity for tasks: MB, or cores of an executor.
func nodeSize(s *dag.Snapshot, n *dag.NodeState) *int {
	if s.Plan.Cluster.Policy == dag.Executors {
		return &n.Cores
	}
	return &n.MemoryMB
}

func nodesSize(s *dag.Snapshot) int {
	sum := 0
	for i := range s.Nodes {
		if !s.Nodes[i].Lost {
			sum += *nodeSize(s, &s.Nodes[i])
		}
	}
	return sum
}
