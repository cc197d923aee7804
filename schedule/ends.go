package schedule

import (
	"math"
	"math/bits"

	"github.com/paratimer/paratimer/dag"
)

// An endQueue orders ends by instant. It is a radix heap (Ahuja, Mehlhorn, Orlin, Tarjan, JACM 1990): virtual time never
// goes back, so ends that differ from the last instant in bit b only have to be told apart once time gets there.
// A push costs one append, an end at most one move for each bit of its distance.
type endQueue struct {
	last    dag.Instant // the instant of the last batch; nothing earlier is pushed
	n       int
	buckets [65][]end // bucket b holds the ends whose highest difference from last is bit b-1
	batch   []end
}

// An end is the end of span id; ^id if the span only frees its slots. A span of one task that succeeds also tells
// its slot, so that the span, long out of the cache, is not read again: 2 slot + kind; else -1.
type end struct {
	at   dag.Instant
	id   int32
	slot int32
}

func newEndQueue(now dag.Instant) endQueue { return endQueue{last: now} }

// reset empties the queue and keeps its memory.
func (q *endQueue) reset(now dag.Instant) {
	for b := range q.buckets {
		q.buckets[b] = q.buckets[b][:0]
	}
	q.n, q.last = 0, now
}

// now says that something ends at the instant of the last batch still.
func (q *endQueue) now() bool { return len(q.buckets[0]) > 0 }

// push adds an end at or after the last batch.
func (q *endQueue) push(e end) {
	b := bits.Len64(uint64(e.at) ^ uint64(q.last))
	q.buckets[b] = append(q.buckets[b], e)
	q.n++
}

// next moves to the earliest instant, unless it is after until, and returns all that ends then. The slice is void
// after the call that follows.
func (q *endQueue) next(until dag.Instant) (at dag.Instant, batch []end) {
	if q.n == 0 {
		return 0, nil
	}
	b := 0
	for len(q.buckets[b]) == 0 {
		b++
	}
	if b > 0 {
		ends := q.buckets[b]
		first := dag.Instant(math.MaxInt64)
		for i := range ends {
			first = min(first, ends[i].at)
		}
		if first > until {
			return first, nil
		}
		q.last = first
		q.buckets[b] = ends[:0]
		for _, e := range ends {
			to := bits.Len64(uint64(e.at) ^ uint64(first))
			q.buckets[to] = append(q.buckets[to], e)
		}
	}
	if q.last > until {
		return q.last, nil
	}
	q.batch, q.buckets[0] = q.buckets[0], q.batch[:0]
	q.n -= len(q.batch)
	return q.last, q.batch
}
