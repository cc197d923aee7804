package schedule

import (
	"math/bits"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// A pool is the resources that tasks run in: the free amount, and the slots of tasks, one each. The slots of FIFO
// are fixed. Slots of containers and cores are numbered as they are allocated; a free slot is used again, so that
// the tasks in one slot follow each other.
type pool struct {
	free  int // MB of memory, or cores
	slots slotSet
	count int            // FIFO: slots of the cluster; only attempts that run now use higher numbers
	nodes []int32        // by slot, -1 if unknown
	room  []int          // free memory or cores of each node, given our own tasks; nil if nodes are unknown
	open  []bool         // nodes that take new containers; nil if nodes are unknown
	cold  map[int32]bool // slots on requested executors, in which nothing has run
}

// newPool returns the memory or the cores of nodes that take containers.
func newPool(s *dag.Snapshot) pool {
	var p pool
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
		// Nodes are observed less often than the total, which includes draining nodes: their sum counts if it is
		// less, or if there is no total.
		if sum > 0 && (total == 0 || sum < total) {
			total = sum
		}
	}
	p.free = total
	return p
}

// takesContainers reports by node whether it takes new containers of ours. Nodes that are lost or drain do not, nor
// do nodes of another partition, unless a task of ours has run there.
func takesContainers(s *dag.Snapshot) []bool {
	open := make([]bool, len(s.Nodes))
	partitions := false
	for i := range open {
		n := &s.Nodes[i]
		open[i] = !n.Lost && !n.Draining && n.Label == ""
		partitions = partitions || n.Label != ""
	}
	if !partitions {
		return open
	}
	for j := range s.Jobs {
		for k := range s.Jobs[j].Stages {
			for _, a := range s.Jobs[j].Stages[k].Attempts {
				if a.Node >= 0 && int(a.Node) < len(open) {
					n := &s.Nodes[a.Node]
					open[a.Node] = !n.Lost && !n.Draining
				}
			}
		}
	}
	return open
}

// closedTo reports whether a slot's node takes no containers, so that the end of its task frees nothing for us.
func (p *pool) closedTo(slot int32) bool {
	n := p.nodes[slot]
	return n >= 0 && int(n) < len(p.open) && !p.open[n]
}

// addSlot opens a new slot on a node.
func (p *pool) addSlot(node int32) int32 {
	if int(node) >= len(p.room) {
		node = -1
	}
	p.nodes = append(p.nodes, node)
	return p.slots.add()
}

// take allocates n slots of a size outside the avoided nodes, free ones first.
func (p *pool) take(n, size int, avoided []int32) []int32 {
	var took []int32
	if len(avoided) == 0 {
		if k := min(n, p.slots.n); k > 0 {
			if took = p.slots.take(k); k == n {
				return took
			}
		}
	} else {
		p.slots.spill()
		for slot := p.slots.after(-1); slot >= 0 && len(took) < n; slot = p.slots.after(slot) {
			if !slices.Contains(avoided, p.nodes[slot]) {
				took = append(took, p.slots.takeOne(slot)...)
			}
		}
	}
	took = slices.Grow(slices.Clip(took), n-len(took))
	for len(took) < n {
		node := p.emptiest(size, avoided)
		slot := p.addSlot(node)
		if node < 0 && len(p.room) > 0 && len(avoided) == 0 {
			if p.cold == nil {
				p.cold = map[int32]bool{}
			}
			p.cold[slot] = true
		}
		took = append(took, slot)
	}
	return took
}

// emptiest allocates the memory of a container on the node with the most free memory, except avoided ones; -1 if no
// node has room or nodes are unknown.
func (p *pool) emptiest(size int, avoided []int32) int32 {
	best := int32(-1)
	for i, r := range p.room {
		if r >= size && (best < 0 || r > p.room[best]) && !slices.Contains(avoided, int32(i)) {
			best = int32(i)
		}
	}
	if best >= 0 {
		p.room[best] -= size
	}
	return best
}

// freeOn returns the free amount on some nodes, as far as slots of a size show it.
func (p *pool) freeOn(nodes []int32, size int) int {
	free := 0
	if len(nodes) == 0 {
		return free
	}
	for _, n := range nodes {
		if int(n) < len(p.room) {
			free += p.room[n]
		}
	}
	p.slots.spill()
	for slot := p.slots.after(-1); slot >= 0; slot = p.slots.after(slot) {
		if slices.Contains(nodes, p.nodes[slot]) {
			free += size
		}
	}
	return free
}

// hold reserves resources of ours on a node; a negative size releases them.
func (p *pool) hold(node int32, size int) {
	if node >= 0 && int(node) < len(p.room) {
		p.room[node] = max(0, p.room[node]-size)
	}
}

// A slotSet is the free slots of a pool. Slots are taken in ascending order (docs/facts/paratimer.md A1, rule 2).
//
// Slots that are released together stay together as one block: a round of a uniform stage passes its slice on to
// the next round, whatever its length. Only if blocks meet are slots handled one by one, in a bitmap.
type slotSet struct {
	all   []int32 // all[i] == i; consecutive slots are views of it
	n     int     // number of free slots
	block []int32 // the free slots, ascending, if they are one block; else nil
	words []uint64
	sums  []uint64 // one bit a word: it is not zero
	spare []int32  // buffer for the slices of take
}

// newSlotSet returns a set of the slots 0 to n-1, none of them free.
func newSlotSet(n int) slotSet {
	s := slotSet{all: make([]int32, n)}
	for i := range s.all {
		s.all[i] = int32(i)
	}
	return s
}

// add adds a slot that is not free.
func (s *slotSet) add() int32 {
	s.all = append(s.all, int32(len(s.all))) //nolint:gosec // a cluster has fewer slots
	return s.all[len(s.all)-1]
}

// release frees slots, which must be ascending, in range and not free. It keeps the slice.
func (s *slotSet) release(slots []int32) {
	s.n += len(slots)
	if s.n == len(slots) {
		s.block = slots
		return
	}
	s.spill()
	s.mark(slots)
}

// spill moves the block into the bitmap.
func (s *slotSet) spill() {
	for len(s.words)*64 < len(s.all) {
		s.words = append(s.words, make([]uint64, max(len(s.words), (len(s.all)+63)/64-len(s.words)))...)
	}
	for len(s.sums)*64 < len(s.words) {
		s.sums = append(s.sums, 0)
	}
	s.mark(s.block)
	s.block = nil
}

func (s *slotSet) mark(slots []int32) {
	for _, slot := range slots {
		w := slot / 64
		s.words[w] |= 1 << (slot % 64)
		s.sums[w/64] |= 1 << (w % 64)
	}
}

func (s *slotSet) clear(slot int32) {
	w := slot / 64
	s.words[w] &^= 1 << (slot % 64)
	if s.words[w] == 0 {
		s.sums[w/64] &^= 1 << (w % 64)
	}
}

// first returns the lowest free slot, -1 if there is none.
func (s *slotSet) first() int32 {
	if s.block != nil {
		return s.block[0]
	}
	for i, sum := range s.sums {
		if sum != 0 {
			w := i*64 + bits.TrailingZeros64(sum)
			return int32(w*64 + bits.TrailingZeros64(s.words[w])) //nolint:gosec // a slot
		}
	}
	return -1
}

// after returns the lowest free slot above slot, -1 if there is none. It must not be called while block is set.
func (s *slotSet) after(slot int32) int32 {
	slot++
	for w := int(slot / 64); w < len(s.words); w++ {
		word := s.words[w]
		if w == int(slot/64) {
			word &= ^uint64(0) << (slot % 64)
		}
		if word != 0 {
			return int32(w*64 + bits.TrailingZeros64(word)) //nolint:gosec // a slot
		}
	}
	return -1
}

// has reports whether a slot is free, and moves the block into the bitmap.
func (s *slotSet) has(slot int32) bool {
	s.spill()
	return s.words[slot/64]>>(slot%64)&1 == 1
}

// takeOne takes a free slot out of the bitmap.
func (s *slotSet) takeOne(slot int32) []int32 {
	s.clear(slot)
	s.n--
	return s.all[slot : slot+1 : slot+1]
}

// take allocates the k lowest free slots. At least as many must be free. The slice is never written again.
func (s *slotSet) take(k int) []int32 {
	if s.block != nil {
		took := s.block[:k:k]
		s.block = s.block[k:]
		if len(s.block) == 0 {
			s.block = nil
		}
		s.n -= k
		return took
	}
	if k == 1 {
		return s.takeOne(s.first())
	}
	if len(s.spare) < k {
		s.spare = make([]int32, max(k, 4096))
	}
	took := s.spare[:k:k]
	for i := range took {
		took[i] = s.first()
		s.clear(took[i])
	}
	s.n -= k
	if v := s.view(took); v != nil {
		return v
	}
	s.spare = s.spare[k:]
	return took
}

// view returns ascending slots as a view of all if they are consecutive and in range, else nil.
func (s *slotSet) view(slots []int32) []int32 {
	a, b := slots[0], slots[len(slots)-1]
	if a < 0 || int(b) >= len(s.all) || int(b-a) != len(slots)-1 {
		return nil
	}
	return s.all[a : b+1 : b+1]
}

// keep returns a lasting copy of slots.
func (s *slotSet) keep(slots []int32) []int32 {
	if v := s.view(slots); v != nil {
		return v
	}
	return slices.Clone(slots)
}
