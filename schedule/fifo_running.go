package schedule

import (
	"cmp"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// A runningSet collects the attempts that run, until all are known and each can be given a slot of its own.
type runningSet struct {
	e    *fifoEngine
	runs [2][]run
	// What is told of spans before their order is final.
	twins   map[attemptKey]bool // attempts that end with a better attempt of their task
	waiting map[attemptKey]Cost // reduces that wait for their job's last map
}

type attemptKey struct {
	job           int32
	kind          dag.StageIndex
	task, attempt int32
}

type run struct {
	job     int32
	attempt *dag.Attempt
	slot    int32
	start   dag.Instant
	cost    Cost
	twin    bool // another attempt of the task is better, and ends this one
}

func newRunningSet(e *fifoEngine) *runningSet {
	return &runningSet{e: e, twins: make(map[attemptKey]bool), waiting: make(map[attemptKey]Cost)}
}

// add takes the running attempts of a task. Of several the one with least left decides; the others hold their slots as
// long.
func (r *runningSet) add(job int32, k dag.StageIndex, attempts []*dag.Attempt) {
	from, best := len(r.runs[k]), 0
	for i, a := range attempts {
		start := a.Start
		if !start.Known() || start > r.e.now {
			start = r.e.now
		}
		cost := r.e.left(Task{
			Job: int(job), Stage: k, Index: int(a.Task), Attempt: int(a.Number), Slot: int(a.Slot), Node: int(a.Node),
			Running: a, Start: start,
		})
		r.runs[k] = append(r.runs[k], run{job: job, attempt: a, slot: a.Slot, start: start, cost: cost})
		if c := r.runs[k][from+best].cost; cost.Setup+cost.Work < c.Setup+c.Work {
			best = i
		}
	}
	for i := range attempts {
		if i != best {
			r.runs[k][from+i].cost = r.runs[k][from+best].cost
			r.runs[k][from+i].twin = true
		}
	}
}

// start gives each attempt its slot, frees the other slots, and starts the attempts.
func (r *runningSet) start() {
	for _, k := range [...]dag.StageIndex{dag.Map, dag.Reduce} {
		r.claim(k)
		for from := 0; from < len(r.runs[k]); {
			to := from + 1
			for to < len(r.runs[k]) && r.joins(k, from, to) {
				to++
			}
			r.span(k, r.runs[k][from:to])
			from = to
		}
	}
	sortStarts(r.e.spans)
	for i := range r.e.spans {
		sp, id := &r.e.spans[i], int32(i)
		if sp.Past {
			continue
		}
		r.e.jobs[sp.Job].running[sp.Stage] += int(sp.Count)
		key := attemptKey{sp.Job, sp.Stage, sp.First, sp.Attempt}
		if r.twins[key] {
			id = ^id
		}
		if cost, held := r.waiting[key]; held {
			job := &r.e.jobs[sp.Job]
			job.held = append(job.held, heldReduce{
				span: id, setup: later(r.e.now, millis(cost.Setup)), work: cost.Work + min(0, cost.Setup),
			})
			continue
		}
		r.e.ends.push(end{sp.End, id, -1})
		r.e.end = max(r.e.end, sp.End)
	}
}

// claim settles who holds which slot. An attempt whose slot is unknown, taken or out of range gets the lowest that
// nobody claims; where the cluster has no more, it gets one beyond the cluster's, which nobody uses after it.
func (r *runningSet) claim(k dag.StageIndex) {
	free := &r.e.free[k]
	taken := make([]bool, len(free.all))
	var homeless []*run
	for i := range r.runs[k] {
		x := &r.runs[k][i]
		if x.slot < 0 || int(x.slot) >= len(taken) || taken[x.slot] {
			homeless = append(homeless, x)
			continue
		}
		taken[x.slot] = true
	}
	next := 0
	for _, x := range homeless {
		for next < len(taken) && taken[next] {
			next++
		}
		x.slot = int32(next)
		if next < len(taken) {
			taken[next] = true
		} else {
			next++
		}
	}
	for from := 0; from < len(taken); {
		to := from
		for to < len(taken) && !taken[to] {
			to++
		}
		if to > from {
			free.release(free.all[from:to:to])
		}
		from = to + 1
	}
}

// joins says whether run b can be in one span with run a and those between them.
func (r *runningSet) joins(k dag.StageIndex, a, b int) bool {
	if r.e.opt.Fault != nil {
		return false
	}
	x, y, before := &r.runs[k][a], &r.runs[k][b], &r.runs[k][b-1]
	return x.job == y.job && y.attempt.Task == before.attempt.Task+1 && x.attempt.Number == y.attempt.Number &&
		!x.twin && !y.twin && x.start == y.start && y.slot > before.slot &&
		int(y.slot) < len(r.e.free[k].all) && !r.held(x, k) &&
		millis(x.cost.Setup+x.cost.Work) == millis(y.cost.Setup+y.cost.Work)
}

// held says whether a reduce waits for maps of its job. One that has copied everything does not: maps that run again
// are for others.
func (r *runningSet) held(x *run, k dag.StageIndex) bool {
	return k == dag.Reduce && r.e.jobs[x.job].phases[dag.Map].left > 0 &&
		!(x.attempt.CopyEnd.Known() && x.attempt.CopyEnd >= x.attempt.Start)
}

// span puts runs that belong together into the schedule, whose order of spans is not final yet.
func (r *runningSet) span(k dag.StageIndex, runs []run) {
	e, x := r.e, &runs[0]
	slots := make([]int32, len(runs))
	for i := range runs {
		slots[i] = runs[i].slot
	}
	sp := Span{
		Job: x.job, Stage: k, First: x.attempt.Task, Count: int32(len(runs)), Attempt: x.attempt.Number, Start: x.start,
		End: later(e.now, millis(x.cost.Setup+x.cost.Work)), Slots: e.free[k].keep(slots),
	}
	key := attemptKey{sp.Job, k, sp.First, sp.Attempt}
	if x.twin {
		sp.Outcome = Fails
		r.twins[key] = true
	}
	switch {
	case r.held(x, k):
		sp.End = dag.NoInstant
		r.waiting[key] = x.cost
	case !x.twin && e.opt.Fault != nil && sp.Attempt < lastTry:
		at, fails := e.opt.Fault(Task{
			Job: int(sp.Job), Stage: k, Index: int(sp.First), Attempt: int(sp.Attempt), Slot: int(slots[0]),
			Node:  int(slots[0] / e.per),
			Start: sp.Start, Running: x.attempt,
		}, sp.Start, sp.End)
		if fails {
			sp.Outcome = Fails
			sp.End = min(max(at, e.now), sp.End)
		}
	}
	e.spans = append(e.spans, sp)
}

// sortStarts orders spans by (start, kind, first slot, attempt). What a replay adds is in order but for
// spans of one instant, so only those are sorted again.
func sortStarts(spans []Span) {
	for from := 0; from < len(spans); {
		to := from + 1
		inOrder := true
		for to < len(spans) && spans[to].Start == spans[from].Start {
			inOrder = inOrder && bySlot(&spans[to-1], &spans[to]) <= 0
			to++
		}
		if to < len(spans) && spans[to].Start < spans[from].Start {
			sortSpans(spans)
			return
		}
		if !inOrder {
			sortSpans(spans[from:to])
		}
		from = to
	}
}

func bySlot(a, b *Span) int {
	switch {
	case a.Stage != b.Stage:
		return cmp.Compare(a.Stage, b.Stage)
	case firstSlot(*a) != firstSlot(*b):
		return cmp.Compare(firstSlot(*a), firstSlot(*b))
	}
	return cmp.Compare(a.Attempt, b.Attempt)
}

// keep returns a lasting copy of slots.
func (s *slotSet) keep(slots []int32) []int32 {
	if v := s.view(slots); v != nil {
		return v
	}
	return slices.Clone(slots)
}
