package schedule

import "github.com/paratimer/paratimer/dag"

// An event is something that happens at an instant. At one instant ends come before beats, and beats before starts; of
// one rank, what was scheduled first comes first. It holds no pointer: a replay has an end and a start for each task.
type event struct {
	at    dag.Instant
	turn  uint64 // its rank, then its number
	op    eventOp
	stage dag.StageIndex
	a, b  int32
}

const (
	rankEnd uint8 = iota
	rankSubmit
	rankAsk
	rankBeat
	rankStart
)

// An eventOp says what happens. The usual events have ops of their own; the others are functions.
type eventOp uint8

const (
	opDo    eventOp = iota // function a
	opDone                 // span a ends
	opFail                 // span a fails
	opStart                // batch a starts
	opBeat                 // job a's AM beats
	opAsk                  // the scheduler hears of b more tasks of a stage of job a
	opEbb                  // ebb a: what tasks of another application hold is given back
)

// A batch is tasks of a phase that were granted together and start when the AM hears of it.
type batch struct {
	job   int32
	kind  dag.StageIndex
	kept  bool // in containers that were kept: nothing is launched
	first int32
	lanes []int32
	start dag.Instant
	cuts  []int32 // where in lanes the tasks of one grant end and the next's begin
}

// events are a heap in which each event has four children: fewer levels than two, and they share a cache line.
type events struct {
	heap []event
	seq  uint64
	do   []func(dag.Instant)
}

func (e *event) before(o *event) bool { return e.at < o.at || e.at == o.at && e.turn < o.turn }

func (q *events) push(e event, rank uint8) {
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

func (q *events) pop() event {
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
func (y *containers) at(t dag.Instant, rank uint8, do func(dag.Instant)) {
	y.todo.do = append(y.todo.do, do)
	y.later(t, rank, event{op: opDo, a: int32(len(y.todo.do) - 1)})
}

// later schedules an event.
func (y *containers) later(t dag.Instant, rank uint8, e event) {
	e.at = max(t, y.now)
	y.todo.push(e, rank)
}

func (y *containers) happen(e *event) {
	switch e.op {
	case opDone:
		y.done(int(e.a), e.at)
	case opFail:
		y.fail(int(e.a), e.at)
	case opStart:
		y.startBatch(e.a, e.at)
	case opBeat:
		y.beat(int(e.a), e.at)
	case opAsk:
		p := &y.jobs[e.a].phase[e.stage]
		p.asking -= int(e.b)
		p.asked += int(e.b)
	case opEbb:
		y.ebb(int(e.a))
	default:
		y.todo.do[e.a](e.at)
	}
}
