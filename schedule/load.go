package schedule

import (
	"cmp"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/dag"
)

// A loader reads the snapshot.
type loader struct {
	*scheduler
	running []runningTask
	// displaced means that a task runs on a node that takes no tasks.
	displaced bool
	// Of the job that is being read: whether an attempt runs, and the last start of its attempts.
	runs      bool
	lastStart dag.Instant
}

// load reads the snapshot: first the jobs, then the containers and requests of other applications, then the
// masters' requests, which depend on both.
func (c *scheduler) load() error {
	graph, err := dag.NewGraph(c.plan)
	if err != nil {
		return err
	}
	l := &loader{scheduler: c}
	c.makeJobs()
	if c.fixedSlots {
		return l.loadSlots(graph)
	}
	c.pool = newPool(c.s)
	c.cluster.replay = &c.replay
	c.cluster.Reset(c.s, c.pool.size)
	l.loadGrowth()
	for i := range c.jobs {
		l.loadJob(&c.jobs[i])
	}
	c.slotsDiffer = c.opt.EndOnly == nil || len(c.pool.room) > 0 && !l.coresAlike()
	l.startRunning()
	c.cluster.AddOthers(c.s)
	for i := range c.jobs {
		if c.jobs[i].state == active {
			l.loadAsked(&c.jobs[i])
		}
	}
	slices.SortStableFunc(c.order, func(a, b *job) int {
		return cmp.Or(cmp.Compare(a.submitted, b.submitted),
			strings.Compare(c.s.Jobs[a.index].ID, c.s.Jobs[b.index].ID))
	})
	c.listOthers()
	if next := c.s.NextContainer; next > c.s.At {
		c.at(next, rankEnd, func() {}) // a grant follows
	}
	l.loadDriver(graph)
	c.changed = true
	c.grant()
	return nil
}

// makeJobs creates the jobs and stages of the plan.
func (r *replay) makeJobs() {
	n := 0
	for j := range r.plan.Jobs {
		n += len(r.plan.Jobs[j].Stages)
	}
	r.jobs = slices.Grow(r.jobs[:0], len(r.plan.Jobs))[:len(r.plan.Jobs)]
	r.stages = slices.Grow(r.stages[:0], n)[:n]
	row := 0
	for i := range r.jobs {
		j, n := &r.jobs[i], len(r.plan.Jobs[i].Stages)
		*j = job{
			index: i, stages: r.stages[row : row+n : row+n], submitted: dag.NoInstant, finished: dag.NoInstant,
			lastEnd: dag.NoInstant, mastered: dag.NoInstant, activated: dag.NoInstant, masterNode: -1,
		}
		for k := range j.stages {
			//nolint:gosec // indices
			j.stages[k] = stage{job: j, k: dag.StageIndex(k), row: int32(row + k), ended: dag.NoInstant, from: -1}
		}
		row += n
	}
}

// owner returns the other user of a job, nil for a job of the query.
func (r *replay) owner(j int) *Owner {
	if j < len(r.opt.Owners) && r.opt.Owners[j].At.Known() {
		return &r.opt.Owners[j]
	}
	return nil
}

// makeStages sets the sizes of a job's stages from the plan.
func (c *loader) makeStages(j *job) {
	plan := &c.plan.Jobs[j.index]
	j.rampUp = plan.MapReduce.RampUp
	if j.reuses = plan.Rules == dag.AncestorsFirst; !j.reuses {
		j.pools = poolsOf(&c.plan.Cluster, plan.Stages)
	}
	for k := range j.stages {
		st, of := &j.stages[k], &plan.Stages[k]
		st.pool, st.edges, st.size, st.most = &c.pool, j.edgesOf(of.After), c.sizeOf(of), of.MaxRunning
		for _, e := range st.edges {
			if e.Kind == dag.SlowStart {
				st.from, st.slowStart = e.From, e.Ratio
			}
		}
	}
	if l := &plan.MapReduce; plan.IsMapReduce() {
		maps, reduces := &j.stages[dag.Map], &j.stages[dag.Reduce]
		maps.size, maps.most = cmp.Or(l.MapMB, c.usualSize()), l.MaxMaps
		reduces.size, reduces.most, reduces.slowStart = cmp.Or(l.ReduceMB, c.usualSize()), l.MaxReduces, l.SlowStart
	}
	for k := range j.stages {
		for _, e := range j.stages[k].edges {
			from := &j.stages[e.From]
			from.watched = from.watched || e.Kind == dag.SlowStart || e.Kind == dag.OneToOne
		}
	}
	if j.masterSize = plan.MasterMB; j.masterSize == 0 && !c.onCores && len(j.stages) > 0 {
		j.masterSize = j.stages[0].size
	}
}

// usualSize returns the assumed size of a container: one core of executors, or MapReduce's default memory.
func (c *scheduler) usualSize() int {
	if c.onCores {
		return 1
	}
	return dag.DefaultMB
}

// sizeOf returns the resources of a task of a stage: MB of memory, or cores of executors.
func (c *loader) sizeOf(stage *dag.Stage) int {
	if c.onCores {
		return cmp.Or(stage.Cores, 1)
	}
	return cmp.Or(stage.MemoryMB, dag.DefaultMB)
}

func (c *loader) loadJob(j *job) {
	js := &c.s.Jobs[j.index]
	c.makeStages(j)
	j.avoided = c.avoidedBy(js)
	if o := c.owner(j.index); o != nil {
		j.member = c.cluster.Member(c.s, o.Queue, o.User)
	}
	j.submitted, j.beat = js.Submitted, js.Submitted
	if js.State.Ended() {
		j.state, j.finished = ended, dag.FirstKnown(js.Finished, c.s.At)
		c.started(js.Submitted) // or some time later: the first batch has ended by now
		if js.HeldMB > 0 {
			held := min(js.HeldMB, j.masterSize)
			c.occupy(j, held)
			c.at(j.finished.Add(c.overheads.AMHold), rankEnd, func() { c.occupy(j, -held) })
		}
		return
	}
	if j.submitted.Known() {
		c.order = append(c.order, j)
	}
	c.loadStages(j)
	j.priorities = j.requestOrder(c.plan.Jobs[j.index].Stages)
	c.openStages(j)
	c.loadState(j)
	if j.reuses {
		c.loadKept(j)
	}
}

// loadStages counts the tasks of a job's stages, and finds those without a container.
func (c *loader) loadStages(j *job) {
	c.runs, c.lastStart = false, dag.NoInstant
	for k := range j.stages {
		st := &j.stages[k]
		st.total = c.plan.Jobs[j.index].Stages[k].Count()
		if f := c.finished(st); f != nil {
			c.started(f.first)
			st.done, st.ended = st.total, f.ended
			j.lastEnd, c.lastStart = max(j.lastEnd, f.ended), max(c.lastStart, f.last)
		} else {
			c.loadTasks(st)
		}
		j.left += st.left()
	}
}

// loadTasks finds which tasks of a stage run or are done, which are to run again, and which have never run.
func (c *loader) loadTasks(st *stage) {
	attempts := c.state(st).Attempts
	if c.fixedSlots && !slices.IsSortedFunc(attempts, dag.ByTask) {
		attempts = slices.Clone(attempts)
		slices.SortStableFunc(attempts, dag.ByTask)
	}
	next, count := int32(0), int32(st.total) //nolint:gosec // a stage has at most 2^31 tasks
	for len(attempts) > 0 {
		task, n := attempts[0].Task, 1
		for n < len(attempts) && attempts[n].Task == task {
			n++
		}
		of := attempts[:n]
		if attempts = attempts[n:]; task < 0 {
			continue
		}
		placed, failed := c.loadTask(st, of)
		if task >= count || !placed && !failed {
			continue
		}
		st.addRange(next, task)
		if next = max(next, task+1); !placed {
			st.retry = append(st.retry, task)
		}
	}
	st.addRange(next, count)
	switch {
	case st.left() != 0:
		st.ended = dag.NoInstant
	case !st.ended.Known():
		st.ended = c.now
	}
}

// addRange adds the tasks from first to last-1 to the pending ones.
func (st *stage) addRange(first, last int32) {
	if first < last {
		st.pending = append(st.pending, [2]int32{first, last})
		st.waiting += int(last - first)
	}
}

// loadTask reads a task's attempts, up to the first one that has a container or has succeeded; of those in slots
// only the one that has succeeded, if any has. It reports whether the task has a slot or is done, and whether an
// attempt has failed.
func (c *loader) loadTask(st *stage, attempts []dag.Attempt) (placed, failed bool) {
	if c.fixedSlots {
		succeeded := func(a dag.Attempt) bool { return a.State == dag.AttemptSucceeded }
		if i := slices.IndexFunc(attempts, succeeded); i >= 0 {
			attempts = attempts[i : i+1]
		}
	}
	number := int32(0)
	for i := 0; i < len(attempts) && (!placed || c.fixedSlots); i++ {
		a := &attempts[i]
		if a.State != dag.AttemptWaiting {
			c.started(c.startOf(a))
		}
		switch a.State {
		case dag.AttemptSucceeded:
			placed = true
			c.loadDone(st, a)
		case dag.AttemptRunning:
			placed = true
			if c.onLostNode(a) {
				c.giveUpLater(st, a)
			}
		case dag.AttemptFailed, dag.AttemptKilled:
			if c.onLostNode(a) {
				c.giveUpLater(st, a)
				placed = true
				continue
			}
			failed = true
			number = max(number, a.Number+1)
			if c.fixedSlots && a.State == dag.AttemptFailed {
				c.slots.failedOn(st, a.Task, c.slots.nodeOf(a))
			}
		case dag.AttemptWaiting:
			failed = failed || c.fixedSlots && a.Number > 0
			number = max(number, a.Number)
		}
	}
	if number > 0 && int(attempts[0].Task) < st.total {
		st.setAttempt(attempts[0].Task, number)
	}
	c.addRunning(st, attempts)
	return placed, failed
}

// loadDone counts a task that has succeeded. The schedule of slots includes it unless only the future is needed. A
// start in a slot that is unknown or after the end counts as the end.
func (c *loader) loadDone(st *stage, a *dag.Attempt) {
	if int(a.Task) < st.total {
		st.done++
	}
	end := a.End
	if c.fixedSlots && (!end.Known() || end > c.now) {
		end = c.now
	}
	st.ended, st.job.lastEnd = max(st.ended, end), max(st.job.lastEnd, end)
	if !c.fixedSlots || c.opt.FutureOnly || c.opt.EndOnly != nil {
		return
	}
	start, slot := a.Start, a.Slot
	if !start.Known() || start > end {
		start = end
	}
	if int(slot) >= st.pool.count {
		slot = -1
	}
	sp := st.span(a.Task, a.Number, []int32{slot}, start)
	sp.Past, sp.End = true, end
	c.spans = append(c.spans, sp)
}

// openStages decides which stages wait for others. All stages of the job must have been loaded.
func (c *loader) openStages(j *job) {
	for i := range j.stages {
		st := &j.stages[i]
		for _, e := range st.edges {
			if e.Kind == dag.OneToOne {
				c.holdTasks(st, &j.stages[e.From])
			}
		}
		if !st.mayOpen() || !c.openOrWait(st, c.now) {
			st.closed = true
		}
	}
}

// holdTasks removes from pending and retry the tasks whose predecessor has not succeeded: the task of the same index in
// stage from.
func (c *loader) holdTasks(st, from *stage) {
	from.tracked = true
	done := make([]bool, st.total)
	attempts := c.state(from).Attempts
	for i := range attempts {
		if a := &attempts[i]; a.State == dag.AttemptSucceeded && a.Task >= 0 && int(a.Task) < len(done) {
			done[a.Task] = true
		}
	}
	if st.lacks == nil {
		st.lacks = make([]int8, st.total)
		for _, task := range st.lost {
			st.lacks[task] = 1 // until its master gives up the lost attempt
		}
	}
	lacks := func(task int32) bool {
		if !done[task] && int(task) < from.total {
			st.lacks[task]++
		}
		return st.lacks[task] > 0
	}
	for _, task := range st.lost {
		lacks(task)
	}
	st.retry = slices.DeleteFunc(st.retry, lacks)
	free := st.pending
	st.pending, st.waiting = nil, 0
	for _, p := range free {
		for task := p[0]; task < p[1]; task++ {
			if !lacks(task) {
				st.addPending(task)
			}
		}
	}
}
