package schedule

import (
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// fifoEngine replays Hadoop 0.20's FIFO scheduler over map slots and reduce slots, as the ParaTimer paper assumes it
// (section 3.1; docs/facts/paratimer.md A1, A7, P2 to P6). A job is submitted when all jobs that it is after are
// complete. Each free slot takes the first eligible task by (submission, plan position, task index), or by the plan's
// Order before these; the reduces of a job are eligible once its last map has ended. All that happens in one
// millisecond is one batch: ends and failures, submissions, maps, reduces. A task of no length ends in a further batch
// of the same millisecond.
//
// The cost of a replay is in spans, not in tasks: n log n in the number of different ends and in jobs.
type fifoEngine struct {
	snap *dag.Snapshot
	plan *dag.Plan
	left Left
	opt  Options
	now  dag.Instant
	// nodes is how many nodes have slots of the kind; per is how many slots of a kind a node has.
	nodes [2]int
	per   int32

	order      []dag.OrderKey
	moving     bool // the order moves while tasks start or end
	jobs       []fifoJob
	dependents [][]int32
	free       [2]slotSet
	fresh      [2][]int32 // jobs with eligible tasks that nobody has tried, in FIFO order
	again      [2][]int32 // jobs with eligible tasks to be tried again, in FIFO order
	ends       endQueue
	holder     [2][]int32 // by slot: the job that runs in it
	spans      []Span
	jumbled    bool        // spans of one instant are out of order
	end        dag.Instant // the latest end so far
	// begun of pending tasks have been started, in spans from span loaded on: what the growth of spans is guessed from.
	pending, begun, loaded int
}

type fifoJob struct {
	submitted, finished dag.Instant
	after               int32 // jobs that it waits for
	dead                bool  // it has failed, or waits for one that has: nothing of it will run
	phases              [2]fifoPhase
	running             [2]int // tasks that hold slots
	held                []heldReduce
}

// A fifoPhase holds the tasks of a kind that are not done. Fresh tasks are taken in order of index.
type fifoPhase struct {
	left  int32 // tasks not done, those that run included
	fresh taskRun
	more  []taskRun // further runs of fresh tasks, ascending
	retry *retries
}

// A taskRun is the tasks lo to hi-1.
type taskRun struct{ lo, hi int32 }

// A heldReduce runs although maps of its job are left. Its end is known once the last of them has ended
// (docs/facts/paratimer.md P6).
type heldReduce struct {
	span  int32 // as in an end
	setup dag.Instant
	work  time.Duration
}

func fifo(s *dag.Snapshot, left Left, opt Options) (*Schedule, error) {
	e := &fifoEngine{
		snap: s, plan: s.Plan, left: left, opt: opt, now: s.At, end: s.At, ends: newEndQueue(s.At),
		order: s.Plan.Cluster.Order,
	}
	e.moving = slices.ContainsFunc(e.order, moves)
	if l := opt.EndOnly; l != nil {
		l.ends.reset(e.now)
		e.ends, e.spans = l.ends, l.spans[:0]
		defer func() { l.ends, l.spans = e.ends, e.spans }()
	}
	e.load()
	if err := e.run(); err != nil {
		return nil, err
	}
	return e.schedule(), nil
}

func (e *fifoEngine) run() error {
	until := dag.Instant(maxInstant)
	if e.opt.Until.Known() && e.opt.Until != 0 {
		until = e.opt.Until
	}
	if e.now > until {
		return nil
	}
	_, ends := e.ends.next(e.now)
	e.batch(e.now, ends)
	for e.ends.n > 0 {
		t, ends := e.ends.next(until)
		if t > until {
			return nil
		}
		e.batch(t, ends)
	}
	return e.stuck()
}

// batch does what happens at t: ends, then submissions, then starts (docs/facts/paratimer.md A1, rule 1).
func (e *fifoEngine) batch(t dag.Instant, ends []end) {
	var complete []int32
	for _, x := range ends {
		if x.slot >= 0 {
			kind, slot := dag.StageIndex(x.slot%2), x.slot/2
			e.free[kind].release(e.free[kind].all[slot : slot+1 : slot+1])
			e.jobs[e.holder[kind][slot]].running[kind]--
			if j := e.holder[kind][slot]; e.count(j, kind, 1, t) {
				complete = append(complete, j)
			}
			continue
		}
		sp := &e.spans[max(x.id, ^x.id)]
		e.jobs[sp.Job].running[sp.Stage] -= int(sp.Count)
		if int(sp.Slots[0]) < len(e.free[sp.Stage].all) {
			e.free[sp.Stage].release(sp.Slots)
		}
		switch {
		case x.id < 0:
		case sp.Outcome == Fails:
			e.fail(sp)
		case e.count(sp.Job, sp.Stage, sp.Count, t):
			complete = append(complete, sp.Job)
		}
	}
	for _, j := range complete {
		e.complete(j, t)
	}
	e.fill(dag.Map, t)
	e.fill(dag.Reduce, t)
}

// count subtracts tasks that are done and says whether their job is complete.
func (e *fifoEngine) count(j int32, k dag.StageIndex, tasks int32, t dag.Instant) bool {
	job := &e.jobs[j]
	job.phases[k].left -= tasks
	if job.phases[k].left > 0 {
		return false
	}
	if k == dag.Map {
		e.mapsEnd(j, t)
	}
	return job.phases[dag.Map].left == 0 && job.phases[dag.Reduce].left == 0
}

// mapsEnd lets the reduces of a job start, and those go on that wait for its last map.
func (e *fifoEngine) mapsEnd(j int32, t dag.Instant) {
	job := &e.jobs[j]
	for _, h := range job.held {
		at := later(max(t, h.setup), millis(h.work))
		e.spans[max(h.span, ^h.span)].End = at
		e.ends.push(end{at, h.span, -1})
		e.end = max(e.end, at)
	}
	job.held = nil
	e.enqueue(j, dag.Reduce)
}

// complete ends job j and submits the jobs that waited only for it, which may be complete at once.
func (e *fifoEngine) complete(j int32, t dag.Instant) {
	if e.jobs[j].finished.Known() {
		return
	}
	e.jobs[j].finished = t
	for _, d := range e.dependents[j] {
		dep := &e.jobs[d]
		dep.after--
		if dep.after > 0 || dep.submitted.Known() || dep.dead {
			continue
		}
		dep.submitted = t
		e.admit(d, t)
	}
}

// admit queues what a submitted job has to run.
func (e *fifoEngine) admit(j int32, t dag.Instant) {
	job := &e.jobs[j]
	maps, reduces := job.phases[dag.Map].left, job.phases[dag.Reduce].left
	switch {
	case maps > 0:
		e.enqueue(j, dag.Map)
	case reduces > 0:
		e.enqueue(j, dag.Reduce)
	default:
		e.complete(j, t)
	}
}

// schedule returns what has been replayed.
func (e *fifoEngine) schedule() *Schedule {
	s := &Schedule{Now: e.now, End: e.end, Spans: e.spans}
	for _, h := range e.held() { // Options.Until stopped the replay
		sp := &s.Spans[max(h.span, ^h.span)]
		sp.End = max(e.opt.Until, e.now) + 1
		s.End = max(s.End, sp.End)
	}
	if e.opt.EndOnly != nil {
		s.Spans = nil
		return s
	}
	if e.jumbled {
		sortStarts(s.Spans)
	}
	s.Submitted = make([]dag.Instant, len(e.jobs))
	s.Finished = make([]dag.Instant, len(e.jobs))
	for j := range e.jobs {
		s.Submitted[j], s.Finished[j] = e.jobs[j].submitted, e.jobs[j].finished
	}
	return s
}

// held returns the reduces that still wait for maps.
func (e *fifoEngine) held() []heldReduce {
	var held []heldReduce
	for j := range e.jobs {
		held = append(held, e.jobs[j].held...)
	}
	return held
}
