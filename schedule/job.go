package schedule

import (
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
)

type jobState uint8

const (
	blocked  jobState = iota // not submitted
	accepted                 // submitted; its master has no container
	starting                 // its master runs and has requested no container
	active                   // its master requests containers for tasks
	ended
)

// A job is the state of a job in the replay.
type job struct {
	index                        int
	state                        jobState
	dropped                      bool // a job that it depends on did not succeed: it is never submitted
	beating                      bool // a heartbeat of its master is scheduled
	reuses                       bool // its master is Tez', which reuses containers (dag.AncestorsFirst)
	left                         int  // number of tasks that are not done
	stages                       []stage
	waves                        []int       // that wait for its end
	submitted, finished, lastEnd dag.Instant // lastEnd is the last end of its tasks so far

	// The rest is for a job with a master (YARN):
	mastered   dag.Instant // when its master gets its container in this replay
	activated  dag.Instant // when its master has requested the first tasks in this replay
	beat       dag.Instant // an instant of its master's heartbeat
	masterSize int         // size of its master's container
	masterNode int32       // node of its master's container, -1: unknown
	avoided    []int32     // nodes on which its master refuses containers
	member     member
	rampUp     float64
	pools      *fairPools    // of its stages; nil if they share no cores by pools
	priorities []taskRequest // all that its master may make, in the order in which they are served
	requests   []taskRequest // those that wait, as of the last change
	kept       startList     // idle containers that it keeps, by the instant from which they are free
}

// A stage is the state of a stage in the replay. Tasks in pending, ranges of indices in order, have never had a
// container; those in retry are to run again.
type stage struct {
	job         *job
	k           dag.StageIndex
	row         int32      // in replay.stages
	pool        *pool      // the pool that its tasks run in
	edges       []dag.Edge // the stages that it reads, as converted by the job's rules
	total, done int
	size        int  // of a container: memory in MB, or cores
	most        int  // maximum number of tasks that run at once; 0: no limit
	closed      bool // it waits for stages that it reads: its pending tasks are not requested
	paused      bool // those stages have ended, and the driver's submission of this one is scheduled
	tracked     bool // a stage reads it one to one: the replay records which of its tasks end
	watched     bool // a stage reads it one to one or by slow start: each end matters
	ended       dag.Instant
	granted     int // number of tasks that have, or will get, a container
	pending     [][2]int32
	waiting     int // number of tasks in pending
	retry       []int32
	unasked     int             // requests on their way to the scheduler: until they arrive it does not see retry
	attempt     map[int32]int32 // number of the next attempt, unless 0
	lost        []int32         // tasks of attempts on lost nodes that the master has not given up
	failedOn    map[int32][]int32
	// by task: number of unfinished tasks of the same index that it waits for (OneToOne); nil without such an edge
	lacks []int8

	// The rest is for a stage that copies while the stages before it run:
	slowStart     float64
	from          dag.StageIndex // the stage that its requests depend on; -1: it does not copy
	asked, asking int            // tasks requested and not granted, and requests on their way
	copying       []copyingTask
}

// A copyingTask is a task that has its container and waits for input.
type copyingTask struct {
	span  int // index in replay.spans
	ready dag.Instant
	work  time.Duration
	row   int32 // kind of its end: endOfSpan or endOfSlots
}

// task returns a task of a stage as the input of a cost model.
func (st *stage) task(index, number, slot int32, node int) Task {
	return Task{Job: st.job.index, Stage: st.k, Index: int(index), Attempt: int(number), Slot: int(slot), Node: node}
}

// span returns the tasks of a stage from first on in the given slots.
func (st *stage) span(first, number int32, slots []int32, start dag.Instant) Span {
	//nolint:gosec // an index, and a stage has at most 2^31 tasks
	return Span{
		Job: int32(st.job.index), Stage: st.k, First: first, Count: int32(len(slots)), Attempt: number,
		Start: start, Slots: slots,
	}
}

func (st *stage) left() int { return st.total - st.done }

func (st *stage) copies() bool { return st.from >= 0 }

// state returns the stage's state in the snapshot.
func (r *replay) state(st *stage) *dag.StageState { return &r.s.Jobs[st.job.index].Stages[st.k] }

// retries reports whether tasks are to run again and the scheduler has their requests.
func (st *stage) retries() bool { return st.unasked == 0 && len(st.retry) > 0 }

// requested returns the number of tasks with a request and without a container.
func (st *stage) requested() int {
	switch {
	case st.closed:
		return 0
	case st.unasked > 0:
		return st.waiting
	}
	return st.waiting + len(st.retry)
}

// addPending appends a task to the pending ones.
func (st *stage) addPending(task int32) {
	st.waiting++
	if n := len(st.pending); n > 0 && st.pending[n-1][1] == task {
		st.pending[n-1][1]++
		return
	}
	st.pending = append(st.pending, [2]int32{task, task + 1})
}

// takePending removes the first of the pending tasks, at most n with consecutive indices.
func (st *stage) takePending(n int) (first int32, took int) {
	p := &st.pending[0]
	first, took = p[0], min(n, int(p[1]-p[0]))
	st.waiting -= took
	if p[0] += int32(took); p[0] == p[1] { //nolint:gosec // a stage has at most 2^31 tasks
		st.pending = st.pending[1:]
	}
	return first, took
}

// takeRetry removes the first task that is to run again.
func (st *stage) takeRetry() int32 {
	task := st.retry[0]
	st.retry = st.retry[1:]
	return task
}

// setAttempt sets the number of a task's next attempt.
func (st *stage) setAttempt(task, number int32) {
	if st.attempt == nil {
		st.attempt = map[int32]int32{}
	}
	st.attempt[task] = number
}

// releaseTasks requests tasks that waited only for the n tasks of the same indices from first on, which are done.
func (st *stage) releaseTasks(first, n int32) {
	for task := first; int(task) < min(int(first+n), len(st.lacks)); task++ {
		if st.lacks[task] == 0 {
			continue // it has ended before, or runs
		}
		if st.lacks[task]--; st.lacks[task] > 0 {
			continue
		}
		if st.attempt[task] > 0 {
			st.retry = append(st.retry, task)
		} else {
			st.addPending(task)
		}
	}
}

// largest returns the size of the largest container that a task of the job needs.
func (j *job) largest() int {
	most := 0
	for k := range j.stages {
		most = max(most, j.stages[k].size)
	}
	return most
}

// inputEnd returns when the last of the stages that a stage copies from has ended; NoInstant while one runs.
func (st *stage) inputEnd() dag.Instant {
	last := dag.NoInstant
	for _, e := range st.edges {
		end := st.job.stages[e.From].ended
		if e.Kind == dag.SlowStart && !end.Known() {
			return dag.NoInstant
		}
		last = max(last, end)
	}
	return last
}

// mayOpen reports whether the stages that a stage waits for have made enough progress.
func (st *stage) mayOpen() bool {
	for _, e := range st.edges {
		from := &st.job.stages[e.From]
		if from.closed || from.left() > 0 && (e.Kind == dag.Barrier || e.Kind == dag.Broadcast) {
			return false
		}
	}
	return true
}

// submission returns when the driver submits a stage that may open: NoInstant if it has submitted it, or does not
// pause.
func (r *replay) submission(st *stage) dag.Instant {
	pause, last := r.plan.Jobs[st.job.index].Stages[st.k].Pause, dag.NoInstant
	if state := r.state(st); pause <= 0 || state.Submitted > 0 || len(state.Attempts) > 0 {
		return last
	}
	for _, e := range st.edges {
		last = max(last, st.job.stages[e.From].ended)
	}
	return last.Add(pause)
}

// openOrWait reports whether a stage that may open is open now; if not, it schedules the submission by the driver.
func (c *scheduler) openOrWait(st *stage, t dag.Instant) bool {
	at := c.submission(st)
	if at <= t {
		return !st.paused
	}
	if !st.paused {
		st.paused = true
		c.at(at, rankSubmit, func() { c.open(st) })
	}
	return false
}

// open requests the tasks of a stage that waited for others. A stage without tasks is done.
func (c *scheduler) open(st *stage) {
	st.closed, c.changed = false, true
	if c.fixedSlots {
		st.copyIsDone(c)
		c.slots.enqueue(st)
	}
	if st.total == 0 {
		st.follow(c, 0, 0)
	}
}

// A wave is jobs that the driver submits one after the other once all jobs of before have ended.
//
//	driver   a wave is           before is
//	Waves    a level of the DAG  the jobs of all earlier waves (facts/hadoop.md C2)
//	Serial   one job             the jobs of all earlier waves
//	Eager    one job             the jobs that it depends on
//
// Pig's driver is Waves: a job of one branch waits for jobs of other branches. To submit each job as early as possible
// would be wrong for it.
type wave struct{ jobs, before []int }

// loadDriver drops jobs that are never submitted, schedules the submission of other users' jobs, and starts the
// plan's driver.
func (c *loader) loadDriver(graph *dag.Graph) {
	for i := range c.jobs {
		if o := c.owner(i); o != nil && c.jobs[i].state == blocked {
			c.at(o.At, rankSubmit, func() { c.jobs[i].submit(c.scheduler) })
		}
	}
	c.dropFailed(graph)
	c.loadWaves(graph)
}

// loadWaves creates the waves that are left, and submits the rest of those that have begun.
func (c *loader) loadWaves(graph *dag.Graph) {
	eager := c.fixedSlots || c.plan.Driver == dag.Eager
	var levels [][]int
	if eager || c.plan.Driver == dag.Serial {
		levels = oneByOne(c.jobs, graph.Order())
	} else {
		levels = graph.Levels()
	}
	submitted := func(j int) bool { return c.jobs[j].submitted.Known() }
	begun, all := true, make([]int, 0, len(c.jobs))
	c.waves = make([]wave, 0, len(levels))
	for _, level := range levels {
		first := len(all)
		for _, j := range level {
			if c.owner(j) == nil {
				all = append(all, j)
			}
		}
		w := wave{jobs: all[first:], before: all[:first]}
		if eager {
			w.before = c.plan.Jobs[level[0]].After
		}
		if begun = begun && (len(w.jobs) == 0 || slices.ContainsFunc(w.jobs, submitted)); begun {
			next := c.now.Add(c.overheads.Stagger)
			c.submitWave(w, next, next)
		} else if len(w.jobs) > 0 {
			c.waves = append(c.waves, w)
		}
	}
	for i := range c.waves {
		c.submitOrWait(i)
	}
}

// oneByOne returns waves of one job each: first the submitted jobs, then the others, in the given order.
func oneByOne(all []job, order []int) [][]int {
	waves := make([][]int, 0, len(order))
	for _, submitted := range [...]bool{true, false} {
		for i, j := range order {
			if all[j].submitted.Known() == submitted {
				waves = append(waves, order[i:i+1])
			}
		}
	}
	return waves
}

// dropFailed drops the jobs that depend on a job that did not succeed: no driver submits them
// (facts/hadoop.md C1).
func (c *scheduler) dropFailed(graph *dag.Graph) {
	for _, i := range graph.Order() {
		for _, a := range c.plan.Jobs[i].After {
			j, s := &c.jobs[i], c.s.Jobs[a].State
			if j.state == blocked && (s == dag.Failed || s == dag.Killed || c.jobs[a].dropped) {
				j.dropped, j.state = true, ended
			}
		}
	}
}

// submitOrWait submits a wave if all jobs before it have ended. If not, it waits for one of these. A submission that is
// overdue is expected soon, but not at once.
func (c *scheduler) submitOrWait(wave int) {
	last, running := lastEnd(c.jobs, c.waves[wave].before)
	if running != nil {
		running.waves = append(running.waves, wave)
		return
	}
	from, at := c.now, c.now
	if last.Known() && !c.fixedSlots {
		if from, at = last, last.Add(c.overheads.Wave); at < c.now {
			at = c.now.Add(lateShare(c.now.Sub(at), c.overheads.Beat))
		}
	}
	c.submitWave(c.waves[wave], from, at)
}

// lastEnd returns the last end of jobs, NoInstant if there is none, or else one of them that has not ended.
func lastEnd(all []job, jobs []int) (last dag.Instant, running *job) {
	last = dag.NoInstant
	for _, i := range slices.Backward(jobs) { // those that end last are at the end
		j := &all[i]
		if j.state != ended {
			return last, j
		}
		last = max(last, j.finished)
	}
	return last, nil
}

// submitWave submits the jobs of a wave that are not submitted, one after the other from at on. A pause precedes them.
func (c *scheduler) submitWave(w wave, from, at dag.Instant) {
	n := 0
	for _, j := range w.jobs {
		if c.jobs[j].state != blocked || c.jobs[j].submitted.Known() {
			continue
		}
		if n == 0 && at > from {
			c.gaps = append(c.gaps, PauseOf(int32(j), dag.Wave, from, at)) //nolint:gosec // an index
		}
		c.at(at.Add(time.Duration(n)*c.overheads.Stagger), rankSubmit, func() { c.jobs[j].submit(c) })
		n++
	}
}
