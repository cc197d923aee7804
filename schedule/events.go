package schedule

import (
	"github.com/paratimer/paratimer/dag"
)

// An event is anything that happens at an instant except the end of a task. At one instant releases come before
// submissions, then requests, heartbeats and starts; events of one rank run in the order in which they were
// scheduled.
type event struct {
	at   dag.Instant
	turn uint64 // its rank, then its number
	op   eventOp
	a    int32
}

const (
	rankEnd uint8 = iota
	rankSubmit
	rankAsk
	rankBeat
	rankStart
)

// An eventOp is the kind of an event. The usual events have ops of their own; the others are functions.
type eventOp uint8

const (
	opDo     eventOp = iota // function a
	opStart                 // batch a starts
	opSubmit                // job a is submitted
	opFinish                // job a ends
	opBeat                  // the master of job a has a heartbeat
)

// A batch is tasks of a stage that get their containers together and start together.
type batch struct {
	stage *stage
	first int32
	slots []int32
	start dag.Instant
	kept  bool // in containers of earlier tasks: nothing is launched
	// grants are the offsets in slots at which each next grant begins: a task counts only the starts up to its own
	// grant.
	grants []int
}

// An eventQueue is a heap with four children for each event: fewer levels than with two, and they share a cache
// line.
type eventQueue struct {
	heap []event
	seq  uint64
	do   []func()
}

func (e *event) before(o *event) bool { return e.at < o.at || e.at == o.at && e.turn < o.turn }

func (q *eventQueue) push(e event, rank uint8) {
	q.seq++
	e.turn = uint64(rank)<<56 | q.seq
	h := append(q.heap, e)
	i := len(h) - 1
	for i > 0 {
		up := (i - 1) / 4
		if !e.before(&h[up]) {
			break
		}
		h[i] = h[up]
		i = up
	}
	h[i] = e
	q.heap = h
}

func (q *eventQueue) pop() event {
	h := q.heap
	first, n := h[0], len(h)-1
	last := h[n]
	h = h[:n]
	i := 0
	for {
		c := 4*i + 1
		if c >= n {
			break
		}
		least := c
		for k := c + 1; k < min(c+4, n); k++ {
			if h[k].before(&h[least]) {
				least = k
			}
		}
		if !h[least].before(&last) {
			break
		}
		h[i] = h[least]
		i = least
	}
	if n > 0 {
		h[i] = last
	}
	q.heap = h
	return first
}

// at schedules a function.
func (r *replay) at(t dag.Instant, rank uint8, do func()) {
	r.events.do = append(r.events.do, do)
	r.later(t, rank, opDo, len(r.events.do)-1)
}

// later schedules an event.
func (r *replay) later(t dag.Instant, rank uint8, op eventOp, a int) {
	r.events.push(event{at: max(t, r.now), op: op, a: int32(a)}, rank) //nolint:gosec // an index
}
