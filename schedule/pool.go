package schedule

import (
	"slices"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/freeslots"
)

// A pool is the resources that tasks run in: the total amount, and the slots of tasks, one each. The slots of FIFO
// are fixed. Slots of containers and cores are numbered as they are allocated; a free slot is used again, so that
// the tasks in one slot follow each other.
type pool struct {
	size  int // MB of memory, or cores
	slots freeslots.Set
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
	// Nodes are observed less often than the total, which includes draining nodes: their sum counts if it is less,
	// or if there is no total.
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
		n := &s.Nodes[i]
		open[i] = !n.Lost && !n.Draining && n.Label == ""
	}
	if !slices.ContainsFunc(s.Nodes, func(n dag.NodeState) bool { return n.Label != "" }) {
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
	return p.slots.Add()
}

// take allocates n slots of a size outside the avoided nodes, free ones first.
func (p *pool) take(n, size int, avoided []int32) []int32 {
	var took []int32
	switch free := min(n, p.slots.Len()); {
	case free == 0:
	case len(avoided) == 0:
		if took = p.slots.Take(free); free == n {
			return took
		}
	default:
		for slot := p.slots.After(-1); slot >= 0 && len(took) < n; slot = p.slots.After(slot) {
			if !slices.Contains(avoided, p.nodes[slot]) {
				took = append(took, p.slots.TakeOne(slot)...)
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
	for slot := p.slots.After(-1); slot >= 0; slot = p.slots.After(slot) {
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
