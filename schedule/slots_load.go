package schedule

import (
	"cmp"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// roomForSlots bounds how many slots more than there are tasks have lists. Slots are taken in ascending order, so that
// the others are never used.
const roomForSlots = 1 << 20

// load reads the snapshot: jobs, spans of attempts that are done or run, free slots.
func (f *slotScheduler) load() error {
	for i := range f.plan.Jobs {
		if job := &f.plan.Jobs[i]; !job.IsMapReduce() {
			return &StuckError{
				Job: job.Node, Stage: f.plan.StageName(i, 0), Why: "the cluster has slots for maps and reduces alone",
			}
		}
	}
	graph, err := dag.NewGraph(f.plan)
	if err != nil {
		return err
	}
	f.makeJobs()
	var tasks [2]int
	for i := range f.stages {
		st := &f.stages[i]
		tasks[st.k] += f.plan.Jobs[st.job.index].Stages[st.k].Count()
		st.pool = &f.pools[st.k]
	}
	c := &f.plan.Cluster
	f.per = int32(max(1, c.SlotsPerNode)) //nolint:gosec // Validate bounds it
	for k, n := range [...]int{c.MapSlots, c.ReduceSlots} {
		n = max(0, n)
		f.nodes[k] = (int32(n) + f.per - 1) / f.per //nolint:gosec // Validate bounds it
		f.pools[k].slots = newSlotSet(min(n, tasks[k]+roomForSlots))
	}
	running := runningTasks{slotScheduler: f, ends: map[attemptID]runningTask{}}
	for i := range f.jobs {
		f.loadJob(&f.jobs[i], &running)
	}
	f.dropFailed(graph)
	for i := range f.jobs {
		if j := &f.jobs[i]; j.dropped {
			j.left = 0
		}
	}
	running.start()
	f.loaded = len(f.spans)
	for i := range f.jobs {
		if j := &f.jobs[i]; j.state == active {
			f.submit(j)
		}
	}
	f.driver = newEager(f.replay, graph, false)
	f.driver.next(f.replay, nil)
	f.at(f.now, rankEnd, func() {}) // the slots are handed out after what happens now
	return nil
}

func (f *slotScheduler) loadJob(j *job, running *runningTasks) {
	js := &f.s.Jobs[j.index]
	j.submitted = js.Submitted
	first := dag.NoInstant
	for k := range j.stages {
		st := &j.stages[k]
		p := pastTasks{slotScheduler: f, stage: st, over: js.State.Ended(), running: running, first: dag.NoInstant}
		p.read(sorted(js.Stages[k].Attempts))
		if !first.Known() {
			first = p.first
		}
		j.left += st.left()
	}
	if !j.submitted.Known() {
		j.submitted = first
	}
	switch {
	case js.State.Ended():
		j.state = ended
		if j.finished = js.Finished; !j.finished.Known() {
			j.finished = j.lastEnd
		}
		if !j.finished.Known() {
			j.finished = f.now
		}
	case j.submitted.Known() && j.left == 0 && j.lastEnd.Known():
		j.state, j.finished = ended, j.lastEnd
	case j.submitted.Known():
		j.state = active
	}
	maps, reduces := &j.stages[dag.Map], &j.stages[dag.Reduce]
	reduces.edges = []dag.Edge{{From: dag.Map, Kind: dag.Barrier}}
	if reduces.closed = maps.left() > 0; reduces.closed {
		reduces.waiting = 0
	}
}

// sorted returns the attempts ordered by task, then number.
func sorted(attempts []dag.Attempt) []dag.Attempt {
	for i := 1; i < len(attempts); i++ {
		if a, b := &attempts[i-1], &attempts[i]; a.Task > b.Task || a.Task == b.Task && a.Number > b.Number {
			attempts = slices.Clone(attempts)
			slices.SortStableFunc(attempts, func(a, b dag.Attempt) int {
				return cmp.Or(cmp.Compare(a.Task, b.Task), cmp.Compare(a.Number, b.Number))
			})
			break
		}
	}
	return attempts
}

// pastTasks reads the attempts of a stage, and makes spans of those that are done.
type pastTasks struct {
	*slotScheduler
	stage   *stage
	over    bool // the job has ended: what is not done stays undone
	beyond  int  // tasks that run and that the plan does not have
	running *runningTasks
	first   dag.Instant // the earliest start
	span    Span        // the span that attempts are added to that are done
	slots   []int32     // of it
}

func (p *pastTasks) read(attempts []dag.Attempt) {
	st := p.stage
	st.total = p.plan.Jobs[st.job.index].Stages[st.k].Count()
	st.readTasks(attempts, p.standing)
	if st.total += p.beyond; p.over {
		st.done, st.pending, st.retry, st.waiting = st.total, nil, nil, 0
	}
	p.flush()
	p.tasks += st.waiting + len(st.retry)
}

// standing reads all attempts of a task.
func (p *pastTasks) standing(attempts []dag.Attempt) (t standing) {
	var running []*dag.Attempt
	st := p.stage
	if attempts[0].Task < 0 {
		return t
	}
	for i := range attempts {
		a := &attempts[i]
		start := p.now
		if a.Start.Known() {
			start = min(a.Start, start)
		}
		if a.State != dag.AttemptWaiting && (!p.first.Known() || start < p.first) {
			p.first = start
		}
		switch a.State {
		case dag.AttemptSucceeded:
			if int(a.Task) < st.total {
				st.done++
			}
			p.done(a)
			return standing{placed: true}
		case dag.AttemptRunning:
			running = append(running, a)
		}
	}
	for i := range attempts {
		switch a := &attempts[i]; {
		case a.State == dag.AttemptFailed || a.State == dag.AttemptKilled:
			t.failed, t.number = true, max(t.number, a.Number+1)
			if a.State == dag.AttemptFailed {
				p.failedOn(st, a.Task, p.nodeOf(a))
			}
		case a.State == dag.AttemptWaiting && a.Number > 0:
			t.failed, t.number = true, max(t.number, a.Number)
		}
	}
	if len(running) > 0 && !p.over {
		if int(attempts[0].Task) >= st.total {
			p.beyond++
		}
		p.running.add(st, running)
	}
	t.placed = len(running) > 0
	return t
}

// nodeOf returns where an attempt is, -1 if that is unknown.
func (f *slotScheduler) nodeOf(a *dag.Attempt) int32 {
	if a.Node < 0 && a.Slot >= 0 {
		return a.Slot / f.per
	}
	return max(a.Node, -1)
}

// done adds a succeeded attempt to the past. Instants that contradict now are brought into order.
func (p *pastTasks) done(a *dag.Attempt) {
	end := a.End
	if !end.Known() || end > p.now {
		end = p.now
	}
	p.stage.job.lastEnd = max(p.stage.job.lastEnd, end)
	if p.opt.FutureOnly || p.opt.EndOnly != nil {
		return
	}
	start := a.Start
	if !start.Known() || start > end {
		start = end
	}
	slot := a.Slot
	if int(slot) >= len(p.stage.pool.slots.all) {
		slot = -1
	}
	sp := &p.span
	if len(p.slots) > 0 && sp.First+sp.Count == a.Task && sp.Start == start && sp.End == end &&
		sp.Attempt == a.Number && slot > p.slots[len(p.slots)-1] {
		sp.Count++
		p.slots = append(p.slots, slot)
		return
	}
	p.flush()
	p.slots = append(p.slots[:0], slot)
	*sp = p.stage.span(a.Task, a.Number, p.slots, start)
	sp.Past, sp.End = true, end
}

func (p *pastTasks) flush() {
	if len(p.slots) == 0 {
		return
	}
	p.span.Slots = p.stage.pool.slots.keep(p.slots)
	p.spans = append(p.spans, p.span)
	p.slots = p.slots[:0]
}

// runningTasks collects the attempts that run, until all are known and each can be given a slot of its own.
type runningTasks struct {
	*slotScheduler
	runs [2][]runningTask
	ends map[attemptID]runningTask // of duplicates and of reduces that wait for maps
}

type runningTask struct {
	stage     *stage
	attempt   *dag.Attempt
	slot      int32
	start     dag.Instant
	cost      Cost
	duplicate bool // another attempt of the task is better, and ends this one
}

// add takes the running attempts of a task. Of several the one with least left decides; the others have their slots as
// long.
func (r *runningTasks) add(st *stage, attempts []*dag.Attempt) {
	runs, best := &r.runs[st.k], 0
	from := len(*runs)
	for i, a := range attempts {
		start := a.Start
		if !start.Known() || start > r.now {
			start = r.now
		}
		t := st.task(a.Task, a.Number, a.Slot, int(a.Node))
		t.Running, t.Start = a, start
		cost := r.left(t)
		*runs = append(*runs, runningTask{st, a, a.Slot, start, cost, true})
		if c := (*runs)[from+best].cost; cost.Setup+cost.Work < c.Setup+c.Work {
			best = i
		}
	}
	(*runs)[from+best].duplicate = false
	for i := range attempts {
		(*runs)[from+i].cost = (*runs)[from+best].cost
	}
}

// start gives each attempt its slot, frees the other slots, and starts the attempts.
func (r *runningTasks) start() {
	for k, runs := range r.runs {
		r.claim(k)
		for from := 0; from < len(runs); {
			to := from + 1
			for to < len(runs) && r.joins(&runs[from], &runs[to-1], &runs[to]) {
				to++
			}
			r.addSpan(runs[from:to])
			from = to
		}
	}
	sortStarts(r.spans)
	for i := range r.spans {
		sp := &r.spans[i]
		if sp.Past {
			continue
		}
		st, row := r.stage(sp), endOfSpan
		st.granted += int(sp.Count)
		x := r.ends[attemptID{sp.Job, sp.Stage, sp.First, sp.Attempt}]
		if x.duplicate {
			row = endOfSlots
		}
		if !sp.End.Known() {
			ready := min(r.now+millis(x.cost.Setup), maxInstant)
			st.copying = append(st.copying, copyingTask{i, ready, x.cost.Work + min(0, x.cost.Setup), row})
			continue
		}
		r.replay.ends.push(end{sp.End, int32(i), row}) //nolint:gosec // an index
		r.end = max(r.end, sp.End)
	}
}

// claim settles who has which slot. An attempt whose slot is unknown, taken or out of range gets the lowest that no
// other has; if the cluster has no more, it gets one beyond the cluster's, which is not used after it.
func (r *runningTasks) claim(k int) {
	slots := &r.pools[k].slots
	taken := make([]bool, len(slots.all))
	var others []*runningTask
	for i := range r.runs[k] {
		x := &r.runs[k][i]
		if x.slot < 0 || int(x.slot) >= len(taken) || taken[x.slot] {
			others = append(others, x)
			continue
		}
		taken[x.slot] = true
	}
	next := 0
	for _, x := range others {
		for next < len(taken) && taken[next] {
			next++
		}
		x.slot = int32(next) //nolint:gosec // a slot
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
			slots.release(slots.all[from:to:to])
		}
		from = to + 1
	}
}

// joins reports whether run b, after last, can be in one span with run a and those between them.
func (r *runningTasks) joins(a, last, b *runningTask) bool {
	return r.opt.Fault == nil && a.stage == b.stage && b.attempt.Task == last.attempt.Task+1 &&
		a.attempt.Number == b.attempt.Number && !a.duplicate && !b.duplicate && a.start == b.start &&
		b.slot > last.slot && int(b.slot) < len(a.stage.pool.slots.all) && !r.waits(a) &&
		millis(a.cost.Setup+a.cost.Work) == millis(b.cost.Setup+b.cost.Work)
}

// waits reports whether a reduce waits for maps of its job. One that has copied everything does not: maps that run
// again are for others.
func (r *runningTasks) waits(x *runningTask) bool {
	return x.stage.closed && !(x.attempt.CopyEnd.Known() && x.attempt.CopyEnd >= x.attempt.Start)
}

// addSpan makes a span of runs that belong together. The order of spans is not final yet.
func (r *runningTasks) addSpan(runs []runningTask) {
	x := &runs[0]
	slots := make([]int32, len(runs))
	for i := range runs {
		slots[i] = runs[i].slot
	}
	sp := x.stage.span(x.attempt.Task, x.attempt.Number, x.stage.pool.slots.keep(slots), x.start)
	sp.End = r.after(r.now, x.cost)
	waits := r.waits(x)
	if x.duplicate {
		sp.Outcome = Fails
	}
	if x.duplicate || waits {
		r.ends[attemptID{sp.Job, sp.Stage, sp.First, sp.Attempt}] = *x
	}
	switch {
	case waits:
		sp.End = dag.NoInstant
	case !x.duplicate && r.opt.Fault != nil && sp.Attempt < lastTry:
		r.fails(&sp, x.attempt)
	}
	r.spans = append(r.spans, sp)
}
