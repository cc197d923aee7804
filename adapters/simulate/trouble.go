package simulate

import (
	"fmt"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

const (
	failedWhy = "simulated failure"
	lostWhy   = "its node was lost"
)

// die stops a node. The cluster notices later.
func (w *simulation) die(node int) {
	if w.nodes[node].dead {
		return
	}
	w.nodes[node].dead = true
	for _, a := range w.started() {
		if int(a.node) == node && a.end > w.now {
			a.freeze(w.now)
		}
	}
}

// notice marks a node as lost in the cluster. The node gets no more work, and the output of its finished maps is
// lost. Its attempts are killed. On YARN the masters notice later.
func (w *simulation) notice(node int) {
	if w.nodes[node].lostAt.Known() {
		return
	}
	w.nodes[node].lostAt, w.shownPlan = w.now, nil
	for _, a := range w.started() {
		if int(a.node) == node && a.stage.isMap && a.state == dag.AttemptSucceeded && a.end <= w.now &&
			w.needsMaps(w.jobs[a.stage.job]) {
			a.kill(w.now, lostWhy)
		}
	}
	if w.plan.Cluster.Policy == dag.YARN {
		w.schedule(event{w.now.Add(w.plan.Overheads.Abandon), func() { w.abandon(node) }})
		return
	}
	w.open = slices.DeleteFunc(w.open, func(n int32) bool { return int(n) == node })
	w.abandon(node)
}

// abandon kills the attempts that seem to run on a lost node.
func (w *simulation) abandon(node int) {
	for _, a := range w.started() {
		if int(a.node) == node && a.frozen {
			a.kill(w.now, lostWhy)
		}
	}
}

// needsMaps reports whether a reduce of a MapReduce job has not copied all map outputs yet.
func (w *simulation) needsMaps(j *job) bool {
	copied, reduces := 0, j.stages[dag.Reduce]
	for _, a := range reduces.attempts {
		alive := !a.frozen && (a.end > w.now || a.state == dag.AttemptSucceeded)
		if a.start < w.now && alive && a.position(w.now) >= a.ends[dag.Copy] {
			copied++
		}
	}
	return !j.failed && copied < reduces.Count()
}

// planJobFailure finds the first task of a job that reaches the limit of failures.
func (w *simulation) planJobFailure(j int, job *job) {
	for k, st := range job.stages {
		failures, task := 0, int32(-1)
		for _, a := range st.attempts {
			if a.task != task {
				failures, task = 0, a.task
			}
			if a.state != dag.AttemptFailed || a.end >= never {
				continue
			}
			if failures++; failures == w.opt.MaxAttempts && a.end < w.unplanned.at {
				why := fmt.Sprintf("%v task %d failed %d times", w.plan.StageName(j, dag.StageIndex(k)), task, failures)
				w.unplanned = event{a.end, func() { w.fail(job, why) }}
			}
		}
	}
}

// planFailure plans the failure of an attempt that succeeds in the schedule. The scheduler does not call fault for
// attempts that wait for map outputs to be made again.
func (w *simulation) planFailure(a *attempt) {
	at, fails := w.failure(a, a.start, a.end)
	if !fails || at < w.now || at >= w.unplanned.at {
		return
	}
	w.unplanned = event{at, func() {
		if a.end > w.now {
			a.end, a.state, a.why = w.now, dag.AttemptFailed, failedWhy
		}
	}}
}

// fail ends a job. The driver never submits the jobs that depend on it.
func (w *simulation) fail(j *job, why string) {
	j.failed, j.finished, j.why = true, w.now, why
	for _, a := range w.started() {
		if w.jobs[a.stage.job] == j && a.end > w.now {
			a.kill(w.now, "its job failed")
		}
	}
}
