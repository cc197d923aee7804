package schedule

import (
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// A pool is the memory that nobody holds, and the lanes that tasks of ours run in.
type pool struct {
	freeMB int
	free   laneSet
	node   []int32 // node of each lane, -1 unknown
	room   []int   // free MB of each node as far as our own tasks tell; nil where nodes are unknown
	open   []bool  // nodes that take new containers; nil where nodes are unknown
}

// init takes the memory of nodes that take containers.
func (p *pool) init(s *dag.Snapshot) {
	c := &s.Plan.Cluster
	total := c.MemoryMB
	if c.Policy == dag.Executors {
		total = c.Cores
	}
	if len(s.Nodes) > 0 {
		sum := 0
		p.room, p.open = make([]int, len(s.Nodes)), takesContainers(s)
		for i, n := range s.Nodes {
			if p.open[i] {
				p.room[i] = n.MemoryMB
				if c.Policy == dag.Executors {
					p.room[i] = n.Cores
				}
				sum += p.room[i]
			}
		}
		// Nodes are asked more seldom than the total, which counts those that drain: trust them where they know of
		// less, or are all there is.
		if sum > 0 && (total == 0 || sum < total) {
			total = sum
		}
	}
	p.freeMB = total
}

// lane opens a new lane on the node.
func (p *pool) lane(node int32) int32 {
	if int(node) >= len(p.room) {
		node = -1
	}
	p.node = append(p.node, node)
	return int32(len(p.node) - 1)
}

// use takes n lanes, in ascending order: freed ones first.
func (p *pool) use(n, mb int) []int32 {
	lanes := make([]int32, 0, n)
	for range n {
		lane := p.free.take()
		if lane < 0 {
			lane = p.lane(p.roomiest(mb, nil))
		}
		lanes = append(lanes, lane)
	}
	return lanes
}

// roomiest is the node with the most free memory, but for those avoided; -1 where nodes are unknown.
func (p *pool) roomiest(mb int, avoided []int32) int32 {
	best := int32(-1)
	for i, r := range p.room {
		if r >= mb && (best < 0 || r > p.room[best]) && !slices.Contains(avoided, int32(i)) {
			best = int32(i)
		}
	}
	if best >= 0 {
		p.room[best] -= mb
	}
	return best
}
