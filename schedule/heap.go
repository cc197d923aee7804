package schedule

// A timeHeap is a 4-ary min-heap of (key, id): spans by their ends, jobs by their FIFO order, tasks by index.
// A pop leaves a hole at the root that the next push fills: an ending task usually makes way for a starting
// one, and so both cost one sift.
type timeHeap struct {
	v    []timeEntry
	hole bool
}

type timeEntry struct {
	key int64
	id  int32
}

func (a timeEntry) before(b timeEntry) bool { return a.key < b.key || a.key == b.key && a.id < b.id }

func (h *timeHeap) len() int {
	if h.hole {
		return len(h.v) - 1
	}
	return len(h.v)
}

// top returns the least entry. The heap must not be empty.
func (h *timeHeap) top() timeEntry {
	if h.hole {
		last := len(h.v) - 1
		e := h.v[last]
		h.v = h.v[:last]
		h.hole = false
		h.down(e)
	}
	return h.v[0]
}

// pop removes the entry that top returns.
func (h *timeHeap) pop() timeEntry {
	e := h.top()
	if len(h.v) == 1 {
		h.v = h.v[:0]
	} else {
		h.hole = true
	}
	return e
}

func (h *timeHeap) push(key int64, id int32) {
	e := timeEntry{key, id}
	if h.hole {
		h.hole = false
		h.down(e)
		return
	}
	h.v = append(h.v, e)
	i := len(h.v) - 1
	for i > 0 {
		p := (i - 1) / 4
		if !e.before(h.v[p]) {
			break
		}
		h.v[i] = h.v[p]
		i = p
	}
	h.v[i] = e
}

// down puts e at the root, whose entry is void, and sifts it to its place.
func (h *timeHeap) down(e timeEntry) {
	v, i := h.v, 0
	for {
		c := 4*i + 1
		if c >= len(v) {
			break
		}
		least := c
		for d := c + 1; d < min(c+4, len(v)); d++ {
			if v[d].before(v[least]) {
				least = d
			}
		}
		if !v[least].before(e) {
			break
		}
		v[i] = v[least]
		i = least
	}
	v[i] = e
}
