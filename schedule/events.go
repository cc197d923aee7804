package schedule

import "github.com/paratimer/paratimer/dag"

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

// An eventQueue orders events by instant, rank and the order of pushes. It is a heap in which each event has up to
// heapWidth below it: the standard library's heap takes twice as long, as it allocates each event and calls each
// comparison through an interface.
type eventQueue struct {
	heap   []queued
	pushed uint64
}

// A queued event has its place among the events of its instant: its rank, then the number of its push.
type queued struct {
	event
	place uint64
}

const (
	heapWidth = 4
	rankShift = 56 // a replay has fewer events than 2^56
)

func (e *queued) before(o *queued) bool { return e.At < o.At || e.At == o.At && e.place < o.place }

// reset empties the queue and keeps its memory.
func (q *eventQueue) reset() { q.heap, q.pushed = q.heap[:0], 0 }

// len returns the number of events.
func (q *eventQueue) len() int { return len(q.heap) }

// push adds an event.
func (q *eventQueue) push(e event) {
	q.pushed++
	x := queued{e, uint64(e.rank())<<rankShift | q.pushed} //nolint:gosec // a rank
	q.heap = append(q.heap, x)
	i := len(q.heap) - 1
	for up := (i - 1) / heapWidth; i > 0 && x.before(&q.heap[up]); up = (i - 1) / heapWidth {
		q.heap[i] = q.heap[up]
		i = up
	}
	q.heap[i] = x
}

// first returns the instant of the next event. The queue must not be empty.
func (q *eventQueue) first() dag.Instant { return q.heap[0].At }

// pop removes and returns the next event. The queue must not be empty.
func (q *eventQueue) pop() event {
	top, n, i := q.heap[0].event, len(q.heap)-1, 0
	last := q.heap[n]
	q.heap = q.heap[:n]
	for down := 1; down < n; down = heapWidth*i + 1 {
		least := down
		for k := down + 1; k < min(down+heapWidth, n); k++ {
			if q.heap[k].before(&q.heap[least]) {
				least = k
			}
		}
		if !q.heap[least].before(&last) {
			break
		}
		q.heap[i] = q.heap[least]
		i = least
	}
	if n > 0 {
		q.heap[i] = last
	}
	return top
}
