package schedule

import (
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// loadState determines the state of a job between its submission and its first task.
func (c *loader) loadState(j *job) {
	js, o := &c.s.Jobs[j.index], &c.overheads
	done := 0
	for k := range j.stages {
		done += j.stages[k].done
	}
	switch {
	case !js.Submitted.Known():
		j.state = blocked
		return
	case c.runs || js.State == dag.Running && (done > 0 || c.s.At >= js.Submitted.Add(o.Launch)):
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
	j.beat = max(j.beat, c.lastStart) // tasks start at the master's heartbeats
	if j.left == 0 {
		c.at(j.lastEnd.Add(o.Finish), rankEnd, func() { j.finish(c.scheduler) })
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

// loadAsked assumes that the master has requested all the copying tasks that it could request at its last
// heartbeat.
func (c *loader) loadAsked(j *job) {
	for k := range j.stages {
		switch st := &j.stages[k]; {
		case !st.copies() || st.closed:
		case st.inputEnd().Known():
			st.asked = st.waiting + len(st.retry)
		default:
			st.asked = max(0, c.wanted(st)-st.granted)
		}
	}
}

// A runningTask is an attempt that runs in a slot.
type runningTask struct {
	stage     *stage
	attempt   *dag.Attempt
	slot      int32
	cost      Cost
	duplicate bool // another attempt of the task ends it
}

// addRunning adds the running attempts of a task.
func (c *loader) addRunning(st *stage, attempts []dag.Attempt) {
	if c.fixedSlots {
		c.addInSlots(st, attempts)
	} else {
		c.addInContainers(st, attempts)
	}
}

// addInSlots adds the running attempts of a task in slots. If there are several, the one with the least remaining
// time decides the end, and the others keep their slots as long. A task that is not in the plan counts while it
// runs.
func (c *loader) addInSlots(st *stage, attempts []dag.Attempt) {
	from, best := len(c.running), len(c.running)
	if c.s.Jobs[st.job.index].State.Ended() {
		return
	}
	for i := range attempts {
		if a := &attempts[i]; a.State == dag.AttemptRunning {
			x := runningTask{stage: st, attempt: a, slot: a.Slot, duplicate: true}
			x.cost = c.leftOf(&x, int(a.Node))
			c.running = append(c.running, x)
			if b := c.running[best].cost; x.cost.Setup+x.cost.Work < b.Setup+b.Work {
				best = len(c.running) - 1
			}
		}
	}
	if best == len(c.running) {
		return
	}
	if int(attempts[0].Task) >= st.total {
		st.total++
	}
	c.running[best].duplicate = false
	for i := range c.running[from:] {
		c.running[from+i].cost = c.running[best].cost
	}
}

// addInContainers adds the running attempts of a task in containers or on cores. The first of two decides the
// task's end, and the speculative second uses its container as long.
func (c *loader) addInContainers(st *stage, attempts []dag.Attempt) {
	first, lost := true, false
	for i := range attempts {
		a := &attempts[i]
		c.lastStart = max(c.lastStart, a.Start)
		if a.State != dag.AttemptRunning {
			continue
		}
		x := runningTask{stage: st, attempt: a, duplicate: !first}
		c.runs, first = true, false
		c.displaced = c.displaced || a.Node < 0 || int(a.Node) >= len(c.pool.open) || !c.pool.open[a.Node]
		switch {
		case int(a.Task) >= st.total:
			continue
		case c.onLostNode(a):
			lost = lost || !x.duplicate
			continue
		}
		x.slot = c.pool.addSlot(a.Node)
		if !c.pool.closedTo(x.slot) {
			c.occupy(st.job, st.size)
			c.pool.hold(a.Node, st.size)
		}
		if !x.duplicate {
			x.cost = c.leftOf(&x, c.node(x.slot))
		}
		if !lost {
			c.running = append(c.running, x)
		}
	}
}

// leftOf returns the remaining cost of a running task on a node.
func (c *loader) leftOf(x *runningTask, node int) Cost {
	t := x.stage.task(x.attempt.Task, x.attempt.Number, x.slot, node)
	t.Running, t.Start = x.attempt, c.startOf(x.attempt)
	return c.left(t)
}

// startRunning starts the running attempts.
func (c *loader) startRunning() {
	end := dag.NoInstant // of the last task
	for i := range c.running {
		x := &c.running[i]
		st := x.stage
		sp := st.span(x.attempt.Task, x.attempt.Number, []int32{x.slot}, c.startOf(x.attempt))
		switch {
		case !x.duplicate:
			st.granted++
			end = st.begin(c.scheduler, &sp, x.cost.Setup, x.cost.Work, x.attempt)
		case !c.fixedSlots: // a task that still copies has no end yet: its duplicate is assumed to be killed soon
			c.at(max(end, c.now), rankEnd, func() { c.leave(st.job, st.size, sp.Slots) })
		default:
			st.granted++
			sp.Outcome = Fails
			if st.lacksInput(c.scheduler, x.attempt) {
				st.copyLater(c.scheduler, &sp, x.cost.Setup, x.cost.Work, endOfSlots)
				continue
			}
			sp.End = c.after(c.now, x.cost.Setup, x.cost.Work)
			c.end = max(c.end, sp.End)
			c.endAt(sp.End, c.addSpan(&sp), endOfSlots)
		}
	}
}

// loadKept finds the idle containers that the job's master keeps: those in which a task has ended and none runs, as
// many as fit into the application's memory beside its running tasks.
func (c *loader) loadKept(j *job) {
	js := &c.s.Jobs[j.index]
	freed := map[int32]dag.Instant{} // by container: the end of its last task, NoInstant while one runs
	running := 0
	for k := range js.Stages {
		for a := range js.Stages[k].All() {
			was, seen := freed[a.Slot]
			switch {
			case a.State == dag.AttemptRunning:
				running += j.stages[k].size
				freed[a.Slot] = dag.NoInstant
			case a.Slot < 0 || a.State == dag.AttemptWaiting || !a.End.Known() || seen && !was.Known() ||
				a.State == dag.AttemptFailed:
			default:
				freed[a.Slot] = max(was, a.End)
			}
		}
	}
	ends := make([]dag.Instant, 0, len(freed))
	for _, t := range freed {
		if keep := c.overheads.Idle; t.Known() && (keep == 0 || t.Add(keep) >= c.now) {
			ends = append(ends, t)
		}
	}
	slices.Sort(ends)
	if size := j.largest(); js.HeldMB > 0 && size > 0 {
		ends = ends[max(0, len(ends)-max(0, js.HeldMB-j.masterSize-running)/size):]
	}
	for _, t := range ends {
		j.freed(1, t)
	}
}

// coresAlike reports whether all executors' cores are equivalent for a task: no executor is to come (its first
// tasks would be slow), each task takes one core, and all running tasks are on executors that take tasks.
func (c *loader) coresAlike() bool {
	for i := range c.stages {
		if c.stages[i].size != 1 {
			return false
		}
	}
	e := &c.plan.Cluster.Elastic
	grows := e.Each > 0 && min(e.Max, dag.MaxSlots)-c.growth.cores >= e.Each
	avoids := func(j dag.JobState) bool { return len(j.Avoided) > 0 }
	return c.onCores && !grows && !c.displaced && len(c.s.Coming) == 0 && len(c.s.Load) == 0 &&
		!slices.ContainsFunc(c.s.Jobs, avoids)
}

// avoidedBy returns the nodes that a job's master avoids; none if no other node would be left.
func (c *loader) avoidedBy(js *dag.JobState) []int32 {
	for n, open := range c.pool.open {
		if open && !slices.Contains(js.Avoided, int32(n)) { //nolint:gosec // an index
			return js.Avoided
		}
	}
	return nil
}

// promptly is the time until a master gives up attempts on a node that is unhealthy or decommissioned (seen: 3 s).
const promptly = 3 * time.Second

// onLostNode reports whether an attempt's node is lost and its master has not given up the attempt.
func (c *loader) onLostNode(a *dag.Attempt) bool {
	return !c.fixedSlots && !a.End.Known() && a.Node >= 0 && int(a.Node) < len(c.s.Nodes) && c.s.Nodes[a.Node].Lost
}

// giveUpLater reruns the task of an attempt on a lost node, once the master has given up trying to stop its
// container (recording nodelost-1: three minutes). The attempt uses no memory: that was lost with the node.
func (c *loader) giveUpLater(st *stage, a *dag.Attempt) {
	st.granted++
	if a.Task >= 0 && int(a.Task) < st.total {
		st.lost = append(st.lost, a.Task)
	}
	since, wait := dag.FirstKnown(c.s.Nodes[a.Node].LostAt, c.now), c.overheads.Abandon
	if c.s.Nodes[a.Node].Cause != dag.NodeGone {
		wait = promptly // its NodeManager still reports, or has signed off
	}
	task, number := a.Task, a.Number
	c.at(since.Add(wait), rankEnd, func() {
		st.granted--
		st.setAttempt(task, number+1)
		if int(task) < len(st.lacks) {
			st.releaseTasks(task, 1)
		} else {
			st.retry = append(st.retry, task)
		}
		st.requestRetries(c.scheduler)
	})
}
