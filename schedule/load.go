package schedule

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// makeJobs creates the jobs and stages of the plan.
func (r *replay) makeJobs() {
	n := 0
	for j := range r.plan.Jobs {
		n += len(r.plan.Jobs[j].Stages)
	}
	r.jobs, r.stages = make([]job, len(r.plan.Jobs)), make([]stage, n)
	row := 0
	for i := range r.jobs {
		j, n := &r.jobs[i], len(r.plan.Jobs[i].Stages)
		*j = job{
			index: i, stages: r.stages[row : row+n : row+n], submitted: dag.NoInstant, finished: dag.NoInstant,
			lastEnd: dag.NoInstant, mastered: dag.NoInstant, masterNode: -1,
		}
		for k := range j.stages {
			//nolint:gosec // indices
			j.stages[k] = stage{job: j, k: dag.StageIndex(k), row: int32(row + k), ended: dag.NoInstant, from: -1}
		}
		row += n
	}
}

// A standing is the state of a task, derived from its attempts.
type standing struct {
	placed bool  // it has a slot, or has succeeded
	failed bool  // it is to run again
	number int32 // number of its next attempt
}

// readTasks finds which tasks of a stage run or are done, which are to run again, and which have never run.
func (st *stage) readTasks(attempts []dag.Attempt, of func([]dag.Attempt) standing) {
	next, count := int32(0), int32(st.total) //nolint:gosec // a stage has at most 2^31 tasks
	for i := 0; i < len(attempts); {
		task, end := attempts[i].Task, i+1
		for end < len(attempts) && attempts[end].Task == task {
			end++
		}
		if task < 0 {
			i = end
			continue
		}
		t := of(attempts[i:end])
		if i = end; task >= count {
			continue
		}
		if t.number > 0 {
			st.setAttempt(task, t.number)
		}
		if t.placed || t.failed {
			st.addRange(next, task)
			next = max(next, task+1)
		}
		if t.failed && !t.placed {
			st.retry = append(st.retry, task)
		}
	}
	st.addRange(next, count)
}

// addRange adds the tasks from first to last-1 to the pending ones.
func (st *stage) addRange(first, last int32) {
	if first < last {
		st.pending = append(st.pending, [2]int32{first, last})
		st.waiting += int(last - first)
	}
}

// A loader reads the snapshot.
type loader struct {
	*scheduler
	running   []runningTask // attempts that run in numbered slots
	pastSlots []int32       // slots of the last span, if it is in the past
}

// load reads the snapshot.
func (c *scheduler) load() error { return (&loader{scheduler: c}).load() }

// load reads the snapshot: first the jobs, then the containers and requests of other applications, then the
// masters' requests, which depend on both.
func (c *loader) load() error {
	if err := c.checkStages(); err != nil {
		return err
	}
	graph, err := dag.NewGraph(c.plan)
	if err != nil {
		return err
	}
	c.makeJobs()
	if c.fixedSlots {
		c.loadSlots(graph)
		return nil
	}
	c.pool = newPool(c.s)
	c.loadGrowth()
	c.slotsDiffer = c.opt.EndOnly == nil || len(c.pool.room) > 0 && !c.coresAlike()
	c.loadQueues()
	for i := range c.jobs {
		c.loadJob(&c.jobs[i])
	}
	c.others.load(c.scheduler)
	for i := range c.jobs {
		if c.jobs[i].state == active {
			c.loadAsked(&c.jobs[i])
		}
	}
	slices.SortStableFunc(c.order, func(a, b *job) int {
		return cmp.Or(cmp.Compare(a.submitted, b.submitted),
			strings.Compare(c.s.Jobs[a.index].ID, c.s.Jobs[b.index].ID))
	})
	c.others.findRequests(c.scheduler)
	if next := c.s.NextContainer; next > c.s.At {
		c.at(next, rankEnd, func() {}) // a grant follows
	}
	c.loadDriver(graph)
	c.changed = true
	c.grant()
	return nil
}

// checkStages returns an error for a job that the cluster has no slots for.
func (c *loader) checkStages() error {
	for i := range c.plan.Jobs {
		if job := &c.plan.Jobs[i]; c.fixedSlots && !job.IsMapReduce() {
			return &StuckError{
				Job: job.Node, Stage: c.plan.StageName(i, 0), Why: "the cluster has slots for maps and reduces alone",
			}
		}
	}
	return nil
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
	if j.reuses = plan.Rules == dag.AncestorsFirst; j.reuses {
		j.levels = byLevel(plan.Stages)
	} else {
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
		maps.size, maps.most = positive(l.MapMB, c.usualSize()), l.MaxMaps
		reduces.size, reduces.most, reduces.slowStart = positive(l.ReduceMB, c.usualSize()), l.MaxReduces, l.SlowStart
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

// defaultMB is the assumed memory of a container of unknown size: MapReduce's default for tasks.
const defaultMB = 1024

func positive(v, def int) int {
	if v > 0 {
		return v
	}
	return def
}

// usualSize returns the assumed size of a container: one core of executors, or MapReduce's default memory.
func (c *scheduler) usualSize() int {
	if c.onCores {
		return 1
	}
	return defaultMB
}

// sizeOf returns the resources of a task of a stage: MB of memory, or cores of executors.
func (c *scheduler) sizeOf(stage *dag.Stage) int {
	if c.onCores {
		return positive(stage.Cores, 1)
	}
	return positive(stage.MemoryMB, defaultMB)
}

func (c *loader) loadJob(j *job) {
	js := &c.s.Jobs[j.index]
	c.makeStages(j)
	j.avoided = c.avoidedBy(js)
	if o := c.owner(j.index); o != nil {
		j.queue = c.queueOf(o.Queue)
		j.user = c.userOf(j.queue, o.User)
	}
	j.submitted, j.beat = js.Submitted, js.Submitted
	if js.State.Ended() {
		j.state, j.finished = ended, js.Finished
		if !j.finished.Known() {
			j.finished = c.s.At
		}
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
	for k := range j.stages {
		c.loadStage(&j.stages[k])
	}
	for k := range j.stages {
		j.left += j.stages[k].left()
	}
	c.openStages(j)
	c.loadState(j)
	c.loadRunning(j)
	if j.reuses {
		c.loadKept(j)
	}
}

// loadStage counts a stage's tasks and finds those without a container.
func (c *loader) loadStage(st *stage) {
	j := st.job
	st.total = c.plan.Jobs[j.index].Stages[st.k].Count()
	if f := c.finished(j.index, st.k); f != nil {
		c.started(f.first)
		st.done, st.ended = st.total, f.ended
		j.lastEnd = max(j.lastEnd, f.ended)
		return
	}
	attempts := c.state(st).Attempts
	if c.fixedSlots {
		attempts = sorted(attempts)
	}
	st.readTasks(attempts, func(attempts []dag.Attempt) standing { return c.standingOf(st, attempts) })
	c.endPast(st)
	if st.left() == 0 {
		st.ended = lastSuccess(attempts, c.now)
	}
}

// standingOf reads a task's attempts, up to the first one that has a container or has succeeded. With fixed slots,
// if an attempt has succeeded it reads only that one.
func (c *loader) standingOf(st *stage, attempts []dag.Attempt) (t standing) {
	if c.fixedSlots {
		succeeded := func(a dag.Attempt) bool { return a.State == dag.AttemptSucceeded }
		if i := slices.IndexFunc(attempts, succeeded); i >= 0 {
			attempts = attempts[i : i+1]
		}
	}
	for i := 0; i < len(attempts) && (!t.placed || c.fixedSlots); i++ {
		a := &attempts[i]
		if a.State != dag.AttemptWaiting {
			c.started(c.startOf(a))
		}
		switch a.State {
		case dag.AttemptSucceeded:
			t.placed = true
			c.loadDone(st, a)
			if c.fixedSlots {
				return t
			}
		case dag.AttemptRunning:
			t.placed = true
			if c.onLostNode(a) {
				c.giveUpLater(st, a)
			}
		case dag.AttemptFailed, dag.AttemptKilled:
			if c.onLostNode(a) {
				c.giveUpLater(st, a)
				t.placed = true
				continue
			}
			t.failed = true
			t.number = max(t.number, a.Number+1)
			if c.fixedSlots && a.State == dag.AttemptFailed {
				c.slots.failedOn(st, a.Task, c.slots.nodeOf(a))
			}
		case dag.AttemptWaiting:
			t.failed = t.failed || c.fixedSlots && a.Number > 0
			t.number = max(t.number, a.Number)
		}
	}
	if c.fixedSlots && !c.s.Jobs[st.job.index].State.Ended() {
		c.addRunning(st, attempts)
	}
	return t
}

// loadDone counts a task that has succeeded.
func (c *loader) loadDone(st *stage, a *dag.Attempt) {
	if int(a.Task) < st.total {
		st.done++
	}
	end := a.End
	if c.fixedSlots && (!end.Known() || end > c.now) {
		end = c.now
	}
	if end.Known() {
		st.job.lastEnd = max(st.job.lastEnd, end)
	}
	if c.fixedSlots {
		c.addPast(st, a, end)
	}
}

// lastSuccess returns the end of the last task of a finished stage; now if that is unknown.
func lastSuccess(attempts []dag.Attempt, now dag.Instant) dag.Instant {
	last := dag.NoInstant
	for i := range attempts {
		if a := &attempts[i]; a.State == dag.AttemptSucceeded && a.End.Known() {
			last = max(last, a.End)
		}
	}
	if !last.Known() {
		return now
	}
	return last
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
			st.closed, st.waiting = true, 0
		}
	}
}

// holdTasks removes tasks from pending and retry that wait for the task of the same index of a stage.
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

// loadState determines the state of a job between its submission and its first task.
func (c *loader) loadState(j *job) {
	js, o := &c.s.Jobs[j.index], &c.overheads
	running, done := 0, 0
	for k := range j.stages {
		st := &j.stages[k]
		if c.finished(j.index, st.k) == nil {
			running += js.Stages[k].Running()
		}
		done += st.done
	}
	switch {
	case !js.Submitted.Known():
		j.state = blocked
		return
	case running > 0 || js.State == dag.Running && (done > 0 || c.s.At >= js.Submitted.Add(o.Launch)):
		// Its tasks are requested; if none runs, they wait for containers.
		j.state = active
		c.loadMaster(j)
	case js.HeldMB > 0 || js.State == dag.Running:
		j.state = starting
		c.loadMaster(j)
		ready := js.Submitted.Add(o.Launch)
		if ready <= c.s.At {
			// It is overdue, so it may come at any moment; the longer the delay so far, the later it is expected.
			ready = c.s.At.Add(lateShare(c.s.At.Sub(js.Submitted)-o.Launch, o.Beat))
		}
		c.at(ready, rankSubmit, func() { j.activate(c.scheduler) })
		return
	default:
		// The RM takes a moment to accept the application.
		if up := js.Submitted.Add(o.AMStart); up > c.s.At {
			c.at(up, rankAsk, func() { j.state = accepted })
		} else {
			j.state = accepted
		}
		return
	}
	c.loadBeat(j)
	if j.left == 0 {
		c.later(j.lastEnd.Add(o.Finish), rankEnd, opFinish, j.index)
		return
	}
	for k := range j.stages {
		if st := &j.stages[k]; !st.copies() && len(st.retry) > 0 {
			st.requestRetries(c.scheduler)
		}
	}
}

// lateShare returns how much longer to wait for an event that is late already: half the delay again, at least half
// a beat.
func lateShare(late, beat time.Duration) time.Duration {
	return max(late/2, beat/2)
}

// loadBeat takes the phase of the master's heartbeat from the latest start of an attempt: tasks start at
// heartbeats.
func (c *loader) loadBeat(j *job) {
	for k := range j.stages {
		st := &j.stages[k]
		if f := c.finished(j.index, st.k); f != nil {
			j.beat = max(j.beat, f.last)
			continue
		}
		attempts := c.state(st).Attempts
		for i := range attempts {
			j.beat = max(j.beat, attempts[i].Start)
		}
	}
}

// loadAsked assumes that the master has requested all the copying tasks that it could request at its last
// heartbeat.
func (c *loader) loadAsked(j *job) {
	for k := range j.stages {
		switch st := &j.stages[k]; {
		case !st.copies():
		case st.inputEnd().Known():
			st.asked = st.waiting + len(st.retry)
		default:
			st.asked = max(0, c.wanted(st)-st.granted)
		}
	}
}
