package schedule

import (
	"math/bits"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// A pool is the resources that tasks run in: the total amount, and the slots of tasks, one each. The slots of FIFO
// are fixed. Slots of containers and cores are numbered as they are allocated; a free slot is used again, so that
// the tasks in one slot follow each other.
type pool struct {
	size  int // MB of memory, or cores
	slots freeSlots
	count int            // FIFO: slots of the cluster; only attempts that run now use higher numbers
	nodes []int32        // by slot, -1 if unknown
	room  []int          // free memory or cores of each node, given our own tasks; nil if nodes are unknown
	open  []bool         // nodes that take new containers; nil if nodes are unknown
	cold  map[int32]bool // slots on requested executors, in which nothing has run
}

// newPool returns the memory or the cores of nodes that take containers.
func newPool(s *dag.Snapshot) pool {
	size := func(memoryMB, cores int) int {
		if s.Plan.Cluster.Policy == dag.Executors {
			return cores
		}
		return memoryMB
	}
	p := pool{size: size(s.Plan.Cluster.MemoryMB, s.Plan.Cluster.Cores)}
	if len(s.Nodes) == 0 {
		return p
	}
	sum := 0
	p.room, p.open = make([]int, len(s.Nodes)), takesContainers(s)
	for i, n := range s.Nodes {
		if p.open[i] {
			p.room[i] = size(n.MemoryMB, n.Cores)
			sum += p.room[i]
		}
	}
	// The total includes draining nodes, but is observed more often than the nodes. The sum of the nodes counts if it
	// is less, or if there is no total.
	if sum > 0 && (p.size == 0 || sum < p.size) {
		p.size = sum
	}
	return p
}

// takesContainers reports by node whether it takes new containers of ours. Nodes that are lost or drain do not, nor
// do nodes of another partition, unless a task of ours has run there.
func takesContainers(s *dag.Snapshot) []bool {
	open := make([]bool, len(s.Nodes))
	for i := range open {
		open[i] = !s.Nodes[i].Closed() && s.Nodes[i].Label == ""
	}
	if !slices.ContainsFunc(s.Nodes, func(n dag.NodeState) bool { return n.Label != "" }) {
		return open
	}
	for j := range s.Jobs {
		for _, a := range s.Jobs[j].All() {
			if a.Node >= 0 && int(a.Node) < len(open) {
				open[a.Node] = !s.Nodes[a.Node].Closed()
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
	switch free := min(n, p.slots.len()); {
	case free == 0:
	case len(avoided) == 0:
		if took = p.slots.take(free); free == n {
			return took
		}
	default:
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

// freeSlots are the free slots of a pool. Slots are taken in ascending order (facts/paratimer.md A1, rule 2).
//
// Consecutive slots that are released together stay together while no others are free: a round of a uniform stage
// passes its slots on to the next round at once. Otherwise slots are bits of a bitmap.
type freeSlots struct {
	all    []int32 // all[i] == i; consecutive slots are views of it
	n      int     // number of free slots
	lo, hi int32   // if not equal, the free slots are those from lo to hi-1, and the bitmap is empty
	words  []uint64
	sums   []uint64 // one bit a word: it is not zero
}

// newFreeSlots returns the free slots 0 to n-1.
func newFreeSlots(n int) freeSlots {
	//nolint:gosec // a cluster has fewer slots
	s := freeSlots{n: n, hi: int32(n), words: make([]uint64, (n+63)/64), sums: make([]uint64, (n+4095)/4096)}
	s.all = make([]int32, n)
	for i := range s.all {
		s.all[i] = int32(i)
	}
	return s
}

// add adds a slot that is not free.
func (s *freeSlots) add() int32 {
	slot := int32(len(s.all)) //nolint:gosec // a cluster has fewer slots
	if slot%64 == 0 {
		s.words = append(s.words, 0)
	}
	if slot%4096 == 0 {
		s.sums = append(s.sums, 0)
	}
	s.all = append(s.all, slot)
	return slot
}

// release frees slots, which must be ascending, in range and not free.
func (s *freeSlots) release(slots []int32) {
	lo, hi := slots[0], slots[len(slots)-1]+1
	if s.n += len(slots); s.n == len(slots) && int(hi-lo) == s.n {
		s.lo, s.hi = lo, hi
		return
	}
	s.spill()
	for _, slot := range slots {
		s.set(slot)
	}
}

// spill moves all free slots into the bitmap.
func (s *freeSlots) spill() {
	for ; s.lo < s.hi; s.lo++ {
		s.set(s.lo)
	}
}

func (s *freeSlots) set(slot int32) {
	w := slot / 64
	s.words[w] |= 1 << (slot % 64)
	s.sums[w/64] |= 1 << (w % 64)
}

// has reports whether a slot is free.
func (s *freeSlots) has(slot int32) bool {
	s.spill()
	return s.words[slot/64]>>(slot%64)&1 == 1
}

// len returns the number of free slots.
func (s *freeSlots) len() int { return s.n }

// view returns a slot as a slice. It must not be written.
func (s *freeSlots) view(slot int32) []int32 { return s.all[slot : slot+1 : slot+1] }

// first returns the lowest free slot, -1 if there is none.
func (s *freeSlots) first() int32 {
	if s.lo < s.hi {
		return s.lo
	}
	for i, sum := range s.sums {
		if sum != 0 {
			w := i*64 + bits.TrailingZeros64(sum)
			return int32(w*64 + bits.TrailingZeros64(s.words[w])) //nolint:gosec // a slot
		}
	}
	return -1
}

// after returns the lowest free slot above slot, -1 if there is none.
func (s *freeSlots) after(slot int32) int32 {
	s.spill()
	for slot++; int(slot) < len(s.all); slot = slot | 63 + 1 {
		if word := s.words[slot/64] >> (slot % 64); word != 0 {
			return slot + int32(bits.TrailingZeros64(word)) //nolint:gosec // below 64
		}
	}
	return -1
}

// takeOne takes a free slot.
func (s *freeSlots) takeOne(slot int32) []int32 {
	s.spill()
	w := slot / 64
	if s.words[w] &^= 1 << (slot % 64); s.words[w] == 0 {
		s.sums[w/64] &^= 1 << (w % 64)
	}
	s.n--
	return s.view(slot)
}

// take takes the k lowest free slots. At least as many must be free. The slice is never written again.
func (s *freeSlots) take(k int) []int32 {
	first := s.first()
	if s.lo < s.hi {
		s.lo += int32(k) //nolint:gosec // at most hi
		s.n -= k
		return s.all[first:s.lo:s.lo]
	}
	took := s.takeOne(first)
	for len(took) < k {
		took = append(took, s.takeOne(s.first())...)
	}
	if last := int(first) + k; int(took[k-1]) == last-1 {
		return s.all[first:last:last]
	}
	return took
}

// StartsTogether is the greatest time between starts of JVMs that slow each other down (facts/measured.md 4).
const StartsTogether = 1600 * time.Millisecond

// starts are n starts at an instant, or n containers that are free since then.
type starts struct {
	at dag.Instant
	n  int
}

// A startList is starts, oldest first.
type startList []starts

// add adds n starts at t, which is not before the others.
func (l *startList) add(t dag.Instant, n int) {
	if k := len(*l); k > 0 && (*l)[k-1].at == t {
		(*l)[k-1].n += n
		return
	}
	*l = append(*l, starts{t, n})
}

// dropBefore removes the starts before t, and returns their number.
func (l *startList) dropBefore(t dag.Instant) (dropped int) {
	old := 0
	for ; old < len(*l) && (*l)[old].at < t; old++ {
		dropped += (*l)[old].n
	}
	*l = slices.Delete(*l, 0, old)
	return dropped
}

// recentStarts counts recent starts by node; the first entry is for unknown nodes.
type recentStarts []nodeStarts

type nodeStarts struct {
	list  startList
	total int
}

// note counts n starts on a node at t, and drops those that are too old.
func (r *recentStarts) note(node int32, n int, t dag.Instant) {
	for len(*r) <= int(node)+1 {
		*r = append(*r, nodeStarts{})
	}
	s := &(*r)[node+1]
	s.total += n - s.list.dropBefore(t.Add(-StartsTogether))
	s.list.add(t, n)
}

// at returns the number of starts on a node from the latest one back to StartsTogether before it.
func (r recentStarts) at(node int32) int { return r[node+1].total }

// noteStarts counts the starts of tasks in their slots.
func (c *scheduler) noteStarts(slots []int32) {
	switch {
	case c.onCores:
	case !c.slotsDiffer:
		c.recent.note(-1, len(slots), c.now)
	default:
		for _, slot := range slots {
			c.recent.note(c.pool.nodes[slot], 1, c.now)
		}
	}
}

// started records a start of the run at t.
func (c *scheduler) started(t dag.Instant) { c.first = c.first.Earlier(t) }

// cold reports whether a task that starts now takes longer than usual to start: in a new container if the job reuses
// containers, else in the run's first batch.
func (j *job) cold(c *scheduler, kept bool) bool {
	if j.reuses {
		return !kept
	}
	c.started(c.now)
	return c.now <= c.first.Add(StartsTogether)
}
