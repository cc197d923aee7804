package fleet

import (
	"cmp"
	"container/heap"
	"time"
)

// An entry is a job for a worker at a time: to observe a workflow, or to read an application's configuration.
type entry struct {
	at    time.Time
	v     *session
	app   string
	order int // breaks ties: the earlier entry first
	place int
}

// A queue has entries by time.
type queue struct {
	heap  entries
	order int
}

func (q *queue) push(v *session, at time.Time) {
	v.entry = q.add(&entry{at: at, v: v})
}

func (q *queue) ask(app string, at time.Time) { q.add(&entry{at: at, app: app}) }

func (q *queue) add(e *entry) *entry {
	q.order++
	e.order = q.order
	heap.Push(&q.heap, e)
	return e
}

// next returns the first entry if it is due, else nil and the time until then.
func (q *queue) next(now time.Time) (ready *entry, wait time.Duration) {
	if len(q.heap) == 0 {
		return nil, time.Hour
	}
	first := q.heap[0]
	if wait = first.at.Sub(now); wait > 0 {
		return nil, wait
	}
	return first, time.Hour
}

func (q *queue) pop() {
	e := heap.Pop(&q.heap).(*entry)
	if e.v != nil {
		e.v.entry = nil
	}
}

func (q *queue) remove(v *session) {
	if v.entry != nil {
		heap.Remove(&q.heap, v.entry.place)
		v.entry = nil
	}
}

type entries []*entry

func (h entries) Len() int { return len(h) }
func (h entries) Less(i, j int) bool {
	return cmp.Or(h[i].at.Compare(h[j].at), cmp.Compare(h[i].order, h[j].order)) < 0
}

func (h entries) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].place, h[j].place = i, j
}

func (h *entries) Push(x any) {
	e := x.(*entry)
	e.place = len(*h)
	*h = append(*h, e)
}

func (h *entries) Pop() any {
	old := *h
	e := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	return e
}
