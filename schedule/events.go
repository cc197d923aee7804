package schedule

import (
	"math/bits"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// eventKinds is the number of negative kinds of each rank.
const eventKinds = 8

// mostRank is the highest rank.
const mostRank = 5

// An event is anything that happens at an instant. ID and Kind are the caller's. Kinds above -eventKinds have rank 0,
// the next eventKinds below have rank 1, and so on up to mostRank.
type event struct {
	At   dag.Instant
	ID   int32
	Kind int32
}

// rank returns the rank of an event: at one instant lower ranks come first.
func (e *event) rank() int32 { return max(0, -e.Kind) / eventKinds }

// An eventQueue orders events by instant, rank and the order of pushes. It is a radix heap (Ahuja, Mehlhorn, Orlin,
// Tarjan, JACM 1990): virtual time never goes back, so events that differ from the last instant in bit b only have
// to be ordered once time gets there. A bucket of few events is sorted instead of being split. So a push costs one
// append, and an event a few moves and an insertion into a short list.
type eventQueue struct {
	now     dag.Instant        // instant of the last event that was taken
	present [mostRank + 1]fifo // events of this instant, by rank
	waiting int                // number of them
	last    dag.Instant        // reference of the buckets: no event in them is before it
	n       int                // number of all events
	buckets [65][]event        // bucket b: events after upto with bit b-1 as their highest difference from last
	near    []event            // the other events, latest first
	upto    dag.Instant        // the last instant with near events
}

// A fifo is events in the order of pushes.
type fifo struct {
	events []event
	taken  int
}

// fewEvents is the greatest number of events that a bucket sorts instead of splitting them.
const fewEvents = 64

// reset empties the queue and keeps its memory.
func (q *eventQueue) reset(now dag.Instant) {
	for b := range q.buckets {
		q.buckets[b] = q.buckets[b][:0]
	}
	for rank := range q.present {
		q.present[rank] = fifo{events: q.present[rank].events[:0]}
	}
	q.near = q.near[:0]
	q.n, q.waiting, q.now, q.last, q.upto = 0, 0, now-1, now, now-1
}

// len returns the number of events.
func (q *eventQueue) len() int { return q.n }

// push adds an event that is not before the last one that was taken.
func (q *eventQueue) push(e event) {
	q.n++
	switch {
	case e.At <= q.now:
		q.hold(e)
	case e.At > q.upto:
		q.put(e)
	default:
		if q.insert(e); len(q.near) > 2*fewEvents {
			q.spill()
		}
	}
}

// hold adds an event of the present instant.
func (q *eventQueue) hold(e event) {
	f := &q.present[e.rank()]
	f.events = append(f.events, e)
	q.waiting++
}

func (q *eventQueue) put(e event) {
	b := bits.Len64(uint64(e.At) ^ uint64(q.last)) //nolint:gosec // bits
	q.buckets[b] = append(q.buckets[b], e)
}

// insert adds an event to near, after all that were pushed before it with its instant.
func (q *eventQueue) insert(e event) {
	near := append(q.near, e)
	i := len(near) - 1
	for ; i > 0 && near[i-1].At <= e.At; i-- {
		near[i] = near[i-1]
	}
	near[i] = e
	q.near = near
}

// spill moves the near events, too many for a list, back into buckets. Every instant up to upto differs from the
// events of the other buckets in the same highest bit, so those events stay in place.
func (q *eventQueue) spill() {
	k := len(q.near) - 1
	q.last = q.near[k].At
	q.upto = q.last - 1
	for ; k >= 0; k-- {
		q.put(q.near[k])
	}
	q.near = q.near[:0]
}

// first returns the instant of the next event. The queue must not be empty.
func (q *eventQueue) first() dag.Instant {
	if q.waiting > 0 {
		return q.now
	}
	if len(q.near) == 0 {
		q.fetch()
	}
	return q.near[len(q.near)-1].At
}

// pop removes and returns the first event of a queue, after first.
func (q *eventQueue) pop() event {
	q.n--
	if q.waiting == 0 {
		k := len(q.near) - 1
		q.now = q.near[k].At
		if k == 0 || q.near[k-1].At > q.now {
			e := q.near[k]
			q.near = q.near[:k]
			return e
		}
		for ; k >= 0 && q.near[k].At == q.now; k-- {
			q.hold(q.near[k])
		}
		q.near = q.near[:k+1]
	}
	rank := 0
	for len(q.present[rank].events) == 0 {
		rank++
	}
	f := &q.present[rank]
	e := f.events[f.taken]
	if f.taken++; f.taken == len(f.events) {
		*f = fifo{events: f.events[:0]}
	}
	q.waiting--
	return e
}

// fetch moves the events of the first bucket to near. It splits the bucket while it has more than few events of
// several instants.
func (q *eventQueue) fetch() {
	for {
		b := 0
		for len(q.buckets[b]) == 0 {
			b++
		}
		events := q.buckets[b]
		first := events[0].At
		for i := range events {
			first = min(first, events[i].At)
		}
		q.buckets[b] = events[:0]
		if b == 0 { // all of one instant
			q.upto = q.last
			q.near = append(q.near, events...)
			slices.Reverse(q.near)
			return
		}
		if len(events) <= fewEvents {
			q.upto = dag.Instant((uint64(q.last) ^ 1<<(b-1)) | (1<<(b-1) - 1)) //nolint:gosec // bits
			q.last = first
			for _, e := range events {
				q.insert(e)
			}
			return
		}
		q.last = first
		for _, e := range events {
			q.put(e)
		}
	}
}
