package schedule

import "github.com/paratimer/paratimer/dag"

// endBatch ends what ends next, unless something else happens before.
func (y *yarn) endBatch() bool {
	q, until := &y.lean.ends, dag.Instant(maxInstant)
	if y.opt.Until.Known() && y.opt.Until > 0 {
		until = y.opt.Until
	}
	at := q.first()
	if at > until || len(y.todo.heap) > 0 && at > y.todo.heap[0].at {
		return false
	}
	who, k, sole := y.soleWaiting()
	for {
		y.now = at
		for q.n > 0 && q.first() == at {
			y.endOne(q.pop())
		}
		switch {
		case y.moreNow():
			return true
		case !sole:
			y.grant(at)
			return true
		case who >= 0 && y.pool.freeMB > 0:
			y.grantSole(who, k, at)
		}
		if q.n == 0 {
			return true
		}
		if at = q.first(); at > until || len(y.todo.heap) > 0 && at >= y.todo.heap[0].at {
			return true
		}
	}
}

// soleWaiting says that at most one phase waits for containers, so that until the next event nobody else has to be asked, and
// which: -1 if none does.
func (y *yarn) soleWaiting() (who int, k dag.Kind, sole bool) {
	who = -1
	for i := range y.hungry {
		if y.hungry[i].mb > 0 {
			return -1, k, false
		}
	}
	for _, j := range y.order {
		job := &y.jobs[j]
		if job.stage == waitingAM {
			return -1, k, false
		}
		if job.stage != active {
			continue
		}
		if y.hanging(j) {
			return -1, k, false
		}
		maps, reduces := &job.phase[dag.Map], &job.phase[dag.Reduce]
		if len(maps.retry) > 0 && maps.retry[0] >= 0 || job.asked > 0 && len(reduces.retry) > 0 {
			return -1, k, false
		}
		for kind, waits := range [...]bool{maps.waiting > 0, job.asked > 0 && reduces.waiting > 0} {
			if waits && who >= 0 {
				return -1, k, false
			}
			if waits {
				who, k = j, dag.Kind(kind)
			}
		}
	}
	return who, k, true
}

// grantSole hands out free memory where only one phase waits for it.
func (y *yarn) grantSole(j int, k dag.Kind, t dag.Instant) {
	if k == dag.Map {
		y.grantPending(j, k, y.room(j, k), t)
		return
	}
	job := &y.jobs[j]
	job.asked -= y.grantPending(j, k, min(job.asked, y.room(j, k)), t)
}

// endOne ends a span, or a plain task: one that succeeds and of which nothing but its job and kind matters has no span.
func (y *yarn) endOne(e end) {
	if e.slot < 0 {
		y.done(int(e.id), e.at)
		return
	}
	j, k := int(e.slot/2), dag.Kind(e.slot%2)
	job := &y.jobs[j]
	job.phase[k].granted--
	y.vacate(j, job.mb[k])
	y.count(j, k, 1, e.at)
}

// runPlain starts a batch of tasks as run does, each by itself and without a span unless it fails or waits for maps.
func (y *yarn) runPlain(b *batch, t dag.Instant) {
	j, k, job := int(b.job), b.kind, &y.jobs[b.job]
	numbers := job.phase[k].attempt
	task := Task{Job: j, Kind: k, Node: -1, Start: t}
	ready := max(t, y.now)
	n, cuts, cut := int32(len(b.lanes)), b.cuts, int32(0)
	var cost Cost
	for i := range n {
		if i == cut { // the next grant, whose tasks know nothing of those after it
			if cut = n; len(cuts) > 0 {
				cut, cuts = cuts[0], cuts[1:]
			}
			y.recent.note(-1, int(cut-i), t)
			task.Together, task.Cold, cost.Same = y.recent.at(-1), y.cold(t), 0
		}
		task.Index, task.Attempt = int(b.first+i), 0
		if numbers != nil {
			task.Attempt = int(numbers[b.first+i])
		}
		if cost.Same--; cost.Same < 1 || task.Attempt != 0 || y.opt.Fault != nil {
			cost = y.left(task)
		}
		from := ready.Add(cost.Setup)
		if k == dag.Reduce {
			if !job.mapsEnd.Known() {
				job.copying = append(job.copying, waiting{y.plainSpan(&task, dag.NoInstant), from, cost.Work})
				continue
			}
			from = max(from, job.mapsEnd.Add(y.s.Plan.Overheads.Copy))
		}
		at := max(from.Add(cost.Work), y.now)
		if y.opt.Fault != nil && task.Attempt < lastTry {
			if when, fails := y.opt.Fault(task, t, at); fails {
				when = max(min(when, at), y.now)
				y.later(when, rankEnd, event{op: opFail, a: int32(y.plainSpan(&task, when))})
				continue
			}
		}
		y.lean.ends.push(end{at, -1, int32(2*j) + int32(k)})
	}
}

// plainSpan gives a task a span after all.
func (y *yarn) plainSpan(t *Task, end dag.Instant) int {
	return y.span(Span{
		Job: int32(t.Job), Kind: t.Kind, First: int32(t.Index), Count: 1, Attempt: int32(t.Attempt), Start: t.Start, End: end, Slots: y.useLanes(1, 0),
	})
}
