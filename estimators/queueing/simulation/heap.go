package simulation

// A heap has first whoever leaves first.
type heap []customer

func (h *heap) push(e customer) {
	*h = append(*h, e)
	s := *h
	for i := len(s) - 1; i > 0; {
		parent := (i - 1) / 2
		if !s[i].before(s[parent]) {
			break
		}
		s[i], s[parent] = s[parent], s[i]
		i = parent
	}
}

func (h *heap) pop() customer {
	s := *h
	first, last := s[0], len(s)-1
	s[0] = s[last]
	s = s[:last]
	*h = s
	for i := 0; ; {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < last; child++ {
			if s[child].before(s[least]) {
				least = child
			}
		}
		if least == i {
			return first
		}
		s[i], s[least] = s[least], s[i]
		i = least
	}
}

// A waiter is a task that waits for a server.
type waiter struct {
	task    int32
	service float64
}

// A queue is first in, first out.
type queue struct {
	all  []waiter
	head int
}

func (q *queue) len() int      { return len(q.all) - q.head }
func (q *queue) push(w waiter) { q.all = append(q.all, w) }

func (q *queue) pop() waiter {
	w := q.all[q.head]
	q.head++
	if q.head == len(q.all) {
		q.all, q.head = q.all[:0], 0
	}
	return w
}
