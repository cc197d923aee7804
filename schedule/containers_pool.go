package schedule

import (
	"iter"
	"math/bits"
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
	cold   laneSet // on executors that are to come: nothing has run there
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
			node := p.roomiest(mb, nil)
			if lane = p.lane(node); node < 0 && len(p.room) > 0 {
				p.cold.add(lane)
			}
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

// A laneSet is the free lanes, one bit each. The smallest is used first.
type laneSet struct {
	words []uint64
	low   int // no word before it has a lane
}

// add makes lanes free.
func (s *laneSet) add(lanes ...int32) {
	for _, lane := range lanes {
		w := int(lane / 64)
		for len(s.words) <= w {
			s.words = append(s.words, 0)
		}
		s.words[w] |= 1 << (lane % 64)
		s.low = min(s.low, w)
	}
}

// take takes the smallest lane; -1: none is free.
func (s *laneSet) take() int32 {
	for ; s.low < len(s.words); s.low++ {
		if word := s.words[s.low]; word != 0 {
			s.words[s.low] = word & (word - 1)
			return int32(s.low*64 + bits.TrailingZeros64(word)) //nolint:gosec // a lane
		}
	}
	return -1
}

// drop takes one lane, if it is there, and reports whether it was.
func (s *laneSet) drop(lane int32) bool {
	if w := int(lane / 64); w >= len(s.words) || s.words[w]&(1<<(lane%64)) == 0 {
		return false
	}
	s.remove(lane)
	return true
}

// remove takes one lane.
func (s *laneSet) remove(lane int32) { s.words[lane/64] &^= 1 << (lane % 64) }

// all yields the free lanes, the smallest first. The one that was yielded last may be removed meanwhile.
func (s *laneSet) all() iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for w := s.low; w < len(s.words); w++ {
			for word := s.words[w]; word != 0; word &= word - 1 {
				if !yield(int32(w*64 + bits.TrailingZeros64(word))) { //nolint:gosec // a lane
					return
				}
			}
		}
	}
}
