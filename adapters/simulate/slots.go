package simulate

import "github.com/paratimer/paratimer/dag"

// A slotMap renumbers slots without lost nodes, as the scheduler needs them. For example, a cluster has three nodes
// with two slots each, and has lost the second node. Slots 4 and 5 are then the scheduler's 2 and 3.
type slotMap struct {
	per   int32
	outer []int32 // the remaining nodes
	rank  []int32 // their places in outer; -1 for a lost node
}

func newSlotMap(per int, lostAt []dag.Instant) slotMap {
	m := slotMap{per: int32(max(1, per)), rank: make([]int32, len(lostAt))}
	for n, at := range lostAt {
		m.rank[n] = -1
		if !at.Known() {
			m.rank[n] = int32(len(m.outer))
			m.outer = append(m.outer, int32(n))
		}
	}
	return m
}

// node returns the real number of the scheduler's node.
func (m *slotMap) node(inner int32) int32 { return m.outer[inner] }

// slot returns the real number of the scheduler's slot.
func (m *slotMap) slot(inner int32) int32 { return m.outer[inner/m.per]*m.per + inner%m.per }

// innerNode returns the scheduler's number of a node, or -1 if it is lost or unknown.
func (m *slotMap) innerNode(node int32) int32 {
	if node < 0 {
		return -1
	}
	return m.rank[node]
}

// inner returns the scheduler's number of a slot, or -1 if it is lost.
func (m *slotMap) inner(slot int32) int32 {
	if slot < 0 || m.rank[slot/m.per] < 0 {
		return -1
	}
	return m.rank[slot/m.per]*m.per + slot%m.per
}
