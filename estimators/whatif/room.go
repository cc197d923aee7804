package whatif

import (
	"github.com/paratimer/paratimer/dag"
)

// Room is how many tasks can run at once: of FIFO's two kinds, or containers, or cores.
type Room struct {
	Policy        dag.Policy
	Maps, Reduces int // FIFO: slots
	Containers    int // YARN: that fit into the memory that we may use, application masters among them; 0: not known
	ContainerMB   int // YARN: the largest that a task asks for
	Cores         int // Executors; 0: not known
}

// slots are those of each kind: of FIFO's two, or of the one pool.
func (r Room) slots() []int {
	switch r.Policy {
	case dag.FIFO:
		return []int{r.Maps, r.Reduces}
	case dag.Executors:
		return []int{r.Cores}
	}
	return []int{r.Containers}
}

// Total is all slots, containers or cores.
func (r Room) Total() int {
	n := 0
	for _, of := range r.slots() {
		n += of
	}
	return n
}

// RoomOf is the room of a snapshot's cluster.
func RoomOf(s *dag.Snapshot) Room {
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

// defaultMB is a container where nobody says otherwise: MapReduce's default.
const defaultMB = 1024

// slotSize is what one slot takes of a pool: the largest container in MB that a task asks for, or one core.
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

// need is what a task of a stage takes: MB, 0 where nobody has said, or cores of executors.
func need(p *dag.Plan, j int, k dag.StageIndex) int {
	job := &p.Jobs[j]
	if p.Cluster.Policy == dag.Executors {
		return max(job.Stages[k].Cores, 1)
	}
	return job.TaskMB(k)
}

// capacity is what our queue may use of a pool: MB, or cores of executors.
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

// size is all that a pool has: MB, or cores of executors.
func size(c *dag.Cluster) *int {
	if c.Policy == dag.Executors {
		return &c.Cores
	}
	return &c.MemoryMB
}

// nodeSize is what a node has for tasks: MB, or cores of an executor.
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
