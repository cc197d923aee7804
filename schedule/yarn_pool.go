package schedule

import (
	"cmp"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// A pool is the memory that nobody holds, and the lanes that tasks of ours run in.
type pool struct {
	freeMB int
	lanes  []int32 // free lanes, smallest last
	node   []int32 // node of each lane, -1 unknown
	room   []int   // free MB of each node as far as our own tasks tell; nil where nodes are unknown
	open   []bool  // nodes that take new containers; nil where nodes are unknown
}

// init takes the memory of nodes that take containers.
func (p *pool) init(s *dag.Snapshot) {
	c := &s.Plan.Cluster
	total := c.MemoryMB
	if len(s.Nodes) > 0 {
		sum := 0
		p.room, p.open = make([]int, len(s.Nodes)), takesContainers(s)
		for i, n := range s.Nodes {
			if p.open[i] {
				sum += n.MemoryMB
				p.room[i] = n.MemoryMB
			}
		}
		// Nodes are asked more seldom than the total, which counts those that drain: trust them where they know of less, or are all there is.
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

// use takes n lanes, freed ones first.
func (p *pool) use(n, mb int) []int32 {
	lanes := make([]int32, 0, n)
	for range n {
		if k := len(p.lanes); k > 0 {
			lanes = append(lanes, p.lanes[k-1])
			p.lanes = p.lanes[:k-1]
			continue
		}
		lanes = append(lanes, p.lane(p.roomiest(mb, nil)))
	}
	slices.Sort(lanes)
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

// free gives lanes back; the smallest free lane is used first.
func (p *pool) free(lanes ...int32) {
	if len(lanes) == 1 {
		at, _ := slices.BinarySearchFunc(p.lanes, lanes[0], func(a, b int32) int { return cmp.Compare(b, a) })
		p.lanes = slices.Insert(p.lanes, at, lanes[0])
		return
	}
	// Both are sorted, in opposite directions: merge from the end.
	i, j := len(p.lanes)-1, 0
	p.lanes = slices.Grow(p.lanes, len(lanes))[:len(p.lanes)+len(lanes)]
	for at := len(p.lanes) - 1; j < len(lanes); at-- {
		if i >= 0 && p.lanes[i] < lanes[j] {
			p.lanes[at] = p.lanes[i]
			i--
		} else {
			p.lanes[at] = lanes[j]
			j++
		}
	}
}
