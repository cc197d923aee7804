package simulate

import (
	"fmt"

	"github.com/paratimer/paratimer/dag"
)

// die stops a node. The cluster notices later.
func (w *simulationState) die(node int) {
	if w.dead[node] {
		return
	}
	w.dead[node] = true
	w.each(func(j int, k dag.StageIndex, r *track) {
		if int(r.node) == node && r.end > w.now {
			r.freeze(w.now, w.extentOf(attemptKey{j, k, r.task, r.number}, r).work)
		}
	})
}

// notice marks a node as lost in the cluster. The node gets no more work, and the output of its finished maps is
// lost. Its attempts are killed. On YARN the masters notice later.
func (w *simulationState) notice(node int) {
	if w.lostAt[node].Known() {
		return
	}
	w.lostAt[node] = w.now
	w.each(func(j int, k dag.StageIndex, r *track) {
		if int(r.node) == node && w.plan.Jobs[j].IsMapReduce() && k == dag.Map && r.how == dag.AttemptSucceeded &&
			r.end <= w.now && w.needsMaps(j) {
			r.kill(w.now, lostWhy)
		}
	})
	if w.plan.Cluster.Policy == dag.YARN {
		w.schedule(event{w.now.Add(w.plan.Overheads.Abandon), func() { w.abandon(node) }})
		return
	}
	w.slots = newSlotMap(w.plan.Cluster.SlotsPerNode, w.lostAt)
	w.abandon(node)
}

const lostWhy = "its node was lost"

// abandon kills the attempts that seem to run on a lost node.
func (w *simulationState) abandon(node int) {
	w.each(func(_ int, _ dag.StageIndex, r *track) {
		if int(r.node) == node && r.frozen {
			r.kill(w.now, lostWhy)
		}
	})
}

// each visits the attempts that have started before now.
func (w *simulationState) each(do func(j int, k dag.StageIndex, r *track)) {
	for j := range w.jobs {
		for k := range w.plan.Jobs[j].NumStages() {
			tracks := w.jobs[j].phases[k].tracks
			for i := range tracks {
				if tracks[i].start < w.now {
					do(j, k, &tracks[i])
				}
			}
		}
	}
}

// needsMaps reports whether a reduce of the job has not copied all map outputs yet.
func (w *simulationState) needsMaps(j int) bool {
	job := &w.jobs[j]
	if job.state.Ended() {
		return false
	}
	copied := 0
	tracks := job.phases[dag.Reduce].tracks
	for i := range tracks {
		r := &tracks[i]
		x := w.extentOf(attemptKey{j, dag.Reduce, r.task, r.number}, r)
		alive := !r.frozen && (r.end > w.now || r.how == dag.AttemptSucceeded)
		if r.start < w.now && alive && r.begun(w.now) && r.position(w.now, x.work) >= x.ends[dag.Copy] {
			copied++
		}
	}
	return copied < w.plan.Jobs[j].Stages[dag.Reduce].Count()
}

// planQuit finds the first task of a running job that reaches the limit of failures.
func (w *simulationState) planQuit() {
	limit := w.limit()
	for j := range w.jobs {
		if w.jobs[j].state.Ended() {
			continue
		}
		for k := range w.plan.Jobs[j].NumStages() {
			failures, task := 0, int32(-1)
			for _, r := range w.jobs[j].phases[k].tracks {
				if r.task != task {
					failures, task = 0, r.task
				}
				if r.how != dag.AttemptFailed || r.end >= never {
					continue
				}
				if failures++; failures == limit && r.end < w.sudden.at {
					why := fmt.Sprintf("%v task %d failed %d times", w.plan.StageName(j, k), task, limit)
					w.sudden = event{r.end, func() { w.fail(j, why) }}
				}
			}
		}
	}
}

// planCrash plans the failure of an attempt that succeeds in the schedule. The scheduler does not call fault for
// attempts that wait for map outputs to be made again.
func (w *simulationState) planCrash(key attemptKey, start, end dag.Instant) {
	at, fails := w.failure(key.job, key.kind, int(key.task), int(key.number), start, end)
	if !fails || at < w.now || at >= w.sudden.at {
		return
	}
	w.sudden = event{at, func() {
		if r := find(w.jobs[key.job].phases[key.kind].tracks, key.task, key.number); r.end > w.now {
			r.end, r.how, r.why = w.now, dag.AttemptFailed, failedWhy
		}
	}}
}

const failedWhy = "simulated failure"

// limit returns how many failures of a task fail its job.
func (w *simulationState) limit() int {
	if w.opt.MaxAttempts > 0 {
		return w.opt.MaxAttempts
	}
	return defaultAttempts
}

const defaultAttempts = 4 // Hadoop's mapreduce.map.maxattempts

// fail ends a job and cancels all jobs after it.
func (w *simulationState) fail(j int, why string) {
	job := &w.jobs[j]
	job.state, job.finished, job.why = dag.Failed, w.now, why
	for k := range job.phases {
		for i := range job.phases[k].tracks {
			if r := &job.phases[k].tracks[i]; r.start < w.now && r.end > w.now {
				r.kill(w.now, "its job failed")
			}
		}
	}
	w.cancelAfter(j)
}

func (w *simulationState) cancelAfter(j int) {
	for d := range w.jobs {
		for _, a := range w.plan.Jobs[d].After {
			if a == j && w.jobs[d].state != dag.Killed {
				w.jobs[d].state, w.jobs[d].submitted, w.jobs[d].finished = dag.Killed, dag.NoInstant, dag.NoInstant
				w.cancelAfter(d)
			}
		}
	}
}
