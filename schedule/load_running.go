package schedule

import (
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// loadRunning places the running attempts in slots and schedules their ends.
func (c *loader) loadRunning(j *job) {
	for k := range j.stages {
		st := &j.stages[k]
		if c.finished(j.index, st.k) != nil {
			continue
		}
		attempts, last := c.state(st).Attempts, int32(-1)
		begun, end := false, dag.NoInstant // of the last task's first attempt
		for i := range attempts {
			a := &attempts[i]
			if a.State != dag.AttemptRunning || a.Task < 0 || int(a.Task) >= st.total {
				continue
			}
			duplicate := a.Task == last // a speculative second attempt has a container too
			if last = a.Task; !duplicate {
				begun = false
			}
			if c.onLostNode(a) {
				continue
			}
			slot := c.pool.addSlot(a.Node)
			if !c.pool.closedTo(slot) {
				c.occupy(j, st.size)
				c.pool.hold(a.Node, st.size)
			}
			if duplicate {
				// The first of two attempts decides the task's end, and the other uses its container as long. A
				// task that still copies has no end yet: its duplicate is assumed to be killed soon.
				if begun {
					c.at(max(end, c.now), rankEnd, func() { c.leave(j, st.size, []int32{slot}) })
				}
				continue
			}
			st.granted++
			t := st.task(a.Task, a.Number, slot, c.node(slot))
			t.Running, t.Start = a, a.Start
			begun, end = true, c.begin(st, st.span(a.Task, a.Number, []int32{slot}, a.Start), c.left(t), a)
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
		for i := range js.Stages[k].Attempts {
			a := &js.Stages[k].Attempts[i]
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
	e := &c.plan.Cluster.Elastic
	grows := e.Each > 0 && min(e.Max, dag.MaxSlots)-c.growth.cores >= e.Each
	if !c.onCores || grows || len(c.s.Coming) > 0 || len(c.pool.room) == 0 || len(c.s.Load) > 0 {
		return false
	}
	for j := range c.s.Jobs {
		for k := range c.s.Jobs[j].Stages {
			if c.sizeOf(&c.plan.Jobs[j].Stages[k]) != 1 {
				return false
			}
			if c.replay.finished(j, dag.StageIndex(k)) != nil { //nolint:gosec // an index
				continue
			}
			for i := range c.s.Jobs[j].Stages[k].Attempts {
				a := &c.s.Jobs[j].Stages[k].Attempts[i]
				if a.State == dag.AttemptRunning &&
					(a.Node < 0 || int(a.Node) >= len(c.pool.open) || !c.pool.open[a.Node]) {
					return false
				}
			}
		}
		if len(c.s.Jobs[j].Avoided) > 0 {
			return false
		}
	}
	return true
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
	since, wait := c.s.Nodes[a.Node].LostAt, c.overheads.Abandon
	if !since.Known() {
		since = c.now
	}
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
