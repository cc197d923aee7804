package sketch

// A node is an entry in the heap, with the next entry to evict on top. The node contains the compared values, so that
// a step touches few cache lines and no map.
type node struct {
	count    float64
	inserted uint64
	slot     int32
}

func (a node) before(b node) bool {
	return a.count < b.count || a.count == b.count && a.inserted < b.inserted
}

// ways is the number of children of a node. Four children give fewer levels than two.
const ways = 4

// up moves a node towards the top until the heap is in order.
func (s *SpaceSaving[K]) up(at int) {
	n := s.heap[at]
	for at > 0 {
		parent := (at - 1) / ways
		if !n.before(s.heap[parent]) {
			break
		}
		s.put(at, s.heap[parent])
		at = parent
	}
	s.put(at, n)
}

// down moves a node that has become heavier away from the top.
func (s *SpaceSaving[K]) down(at int) {
	n := s.heap[at]
	for {
		first := ways*at + 1
		if first >= len(s.heap) {
			break
		}
		least := first
		for c := first + 1; c < min(first+ways, len(s.heap)); c++ {
			if s.heap[c].before(s.heap[least]) {
				least = c
			}
		}
		if !s.heap[least].before(n) {
			break
		}
		s.put(at, s.heap[least])
		at = least
	}
	s.put(at, n)
}

func (s *SpaceSaving[K]) put(at int, n node) {
	s.heap[at] = n
	s.places[n.slot] = int32(at)
}
