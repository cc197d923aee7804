package whatif

import (
	"github.com/paratimer/paratimer/dag"
)

// Room is how many tasks can run at once: of FIFO's two kinds, or containers.
type Room struct {
	Policy        dag.Policy
	Maps, Reduces int // FIFO: slots
	Containers    int // YARN: that fit into the memory that we may use, application masters among them; 0: not known
	ContainerMB   int // YARN: the largest that a task asks for
}

// Total is all slots, or containers.
func (r Room) Total() int {
	if r.Policy == dag.FIFO {
		return r.Maps + r.Reduces
	}
	return r.Containers
}

// RoomOf is the room of a snapshot's cluster.
func RoomOf(s *dag.Snapshot) Room {
	c := &s.Plan.Cluster
	if c.Policy == dag.FIFO {
		return Room{Policy: dag.FIFO, Maps: c.MapSlots, Reduces: c.ReduceSlots}
	}
	mb := containerMB(s.Plan)
	return Room{Policy: dag.YARN, Containers: memory(s) / mb, ContainerMB: mb}
}

// defaultMB is a container where nobody says otherwise: MapReduce's default.
const defaultMB = 1024

// containerMB is the largest container that a task asks for.
func containerMB(p *dag.Plan) int {
	mb := 0
	for j := range p.Jobs {
		l := &p.Jobs[j].Limits
		if p.Jobs[j].Map.Count() > 0 || !p.Jobs[j].Map.Known {
			mb = max(mb, l.MapMB)
		}
		if p.Jobs[j].Reduce.Count() > 0 || !p.Jobs[j].Reduce.Known {
			mb = max(mb, l.ReduceMB)
		}
	}
	if mb == 0 {
		return defaultMB
	}
	return mb
}

// memory is what our queue may use of a YARN cluster, in MB.
func memory(s *dag.Snapshot) int {
	c := &s.Plan.Cluster
	mb := c.MemoryMB
	if sum := nodeMemory(s); sum > 0 && (mb == 0 || sum < mb) {
		mb = sum
	}
	if c.QueueMB > 0 {
		mb = min(mb, c.QueueMB)
	}
	return mb
}

func nodeMemory(s *dag.Snapshot) int {
	sum := 0
	for _, n := range s.Nodes {
		if !n.Lost {
			sum += n.MemoryMB
		}
	}
	return sum
}
