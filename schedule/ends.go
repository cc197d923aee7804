package schedule

import (
	"math/bits"

	"github.com/paratimer/paratimer/dag"
)

// An endQueue orders ends by instant, and those of one instant by the order of pushes. It is a radix heap (Ahuja,
// Mehlhorn, Orlin, Tarjan, JACM 1990): virtual time never goes back, so ends that differ from the last instant in
// bit b only have to be ordered once time gets there. A bucket of few ends is sorted instead of being split. So a
// push costs one append, and an end a few moves and an insertion into a short list.
type endQueue struct {
	last    dag.Instant // reference of the buckets: no end is before it
	n       int
	buckets [65][]end   // bucket b: ends after upto with bit b-1 as their highest difference from last
	near    []end       // the other ends, latest first
	upto    dag.Instant // the last instant with near ends
}

// few is the greatest number of ends that are sorted instead of split.
const few = 32

// An end is the end of span id; ^id if the span only frees its slots. The end of one task that succeeds has its
// slot and the row of its stage instead, so that the replay does not read the span, which has left the cache.
type end struct {
	at  dag.Instant
	id  int32
	row int32
}

func newEndQueue(now dag.Instant) endQueue { return endQueue{last: now, upto: now - 1} }

// reset empties the queue and keeps its memory.
func (q *endQueue) reset(now dag.Instant) {
	for b := range q.buckets {
		q.buckets[b] = q.buckets[b][:0]
	}
	q.near = q.near[:0]
	q.n, q.last, q.upto = 0, now, now-1
}

// push adds an end that is not before the last one that was taken.
func (q *endQueue) push(e end) {
	q.n++
	if e.at > q.upto {
		q.put(e)
		return
	}
	near := append(q.near, e)
	i := len(near) - 1
	for ; i > 0 && near[i-1].at <= e.at; i-- {
		near[i] = near[i-1]
	}
	near[i] = e
	q.near = near
	if len(near) > 2*few {
		q.spill()
	}
}

func (q *endQueue) put(e end) {
	b := bits.Len64(uint64(e.at) ^ uint64(q.last))
	q.buckets[b] = append(q.buckets[b], e)
}

// spill moves the near ends, too many for a list, back into buckets. Every instant up to upto differs from the ends
// of the other buckets in the same highest bit, so those ends stay in place.
func (q *endQueue) spill() {
	k := len(q.near) - 1
	q.last = q.near[k].at
	q.upto = q.last - 1
	for ; k >= 0; k-- {
		q.put(q.near[k])
	}
	q.near = q.near[:0]
}

// first returns the earliest end. The queue must not be empty.
func (q *endQueue) first() dag.Instant {
	if len(q.near) == 0 {
		q.fetch()
	}
	return q.near[len(q.near)-1].at
}

// pop removes and returns the first end of a queue that is not empty.
func (q *endQueue) pop() end {
	if len(q.near) == 0 {
		q.fetch()
	}
	k := len(q.near) - 1
	e := q.near[k]
	q.near = q.near[:k]
	q.n--
	return e
}

// fetch moves the ends of the first bucket to near. It splits the bucket while it has more than few ends.
func (q *endQueue) fetch() {
	for {
		b := 0
		for len(q.buckets[b]) == 0 {
			b++
		}
		ends := q.buckets[b]
		first := ends[0].at
		for i := range ends {
			first = min(first, ends[i].at)
		}
		q.buckets[b] = ends[:0]
		if b == 0 || len(ends) <= few {
			q.upto = q.last
			if b > 0 {
				q.upto = dag.Instant((uint64(q.last) ^ 1<<(b-1)) | (1<<(b-1) - 1))
			}
			q.last = first
			q.sort(ends)
			return
		}
		q.last = first
		for _, e := range ends {
			q.put(e)
		}
	}
}

// sort fills near, which must be empty, with ends.
func (q *endQueue) sort(ends []end) {
	near := q.near[:0]
	if ends[0].at == ends[len(ends)-1].at && len(ends) > few { // all of one instant
		for i := range ends {
			near = append(near, ends[len(ends)-1-i])
		}
		q.near = near
		return
	}
	for _, e := range ends {
		near = append(near, e)
		i := len(near) - 1
		for ; i > 0 && near[i-1].at <= e.at; i-- {
			near[i] = near[i-1]
		}
		near[i] = e
	}
	q.near = near
}
