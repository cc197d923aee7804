package history

import (
	"sort"

	"github.com/paratimer/paratimer/dag"
)

// A replay is what the snapshots show of a job.
type replay struct {
	*Job
	shown  [2][]*dag.Attempt // parallel to the job's attempts; nil: not started
	phases [2][]dag.Attempt  // attempts in the previous snapshot
}

// firstSeen returns when a watcher could first reach the job's master.
func (j *Job) firstSeen() dag.Instant {
	if len(j.Masters) > 0 {
		return j.Masters[0].At
	}
	if j.Launched.Known() {
		return j.Launched
	}
	return j.Submitted
}

// stateAt returns the job's state at t. The history has the launch by the last master only, so the job counts as
// running under each earlier one. It is submitted again from the last master's start to its launch.
func (j *Job) stateAt(t dag.Instant) dag.State {
	n := j.attemptAt(t)
	switch {
	case j.Finished.Known() && t >= j.Finished:
		return j.State
	case j.Launched.Known() && t >= j.Launched, n > 0 && n < len(j.Masters):
		return dag.Running
	}
	return dag.Submitted
}

// attemptAt returns how many masters have started by t.
func (j *Job) attemptAt(t dag.Instant) int {
	return sort.Search(len(j.Masters), func(i int) bool { return j.Masters[i].At > t })
}

// mapOnly reports whether the job has no reduces.
func (j *Job) mapOnly() bool { return j.Sized && j.Reduces == 0 }

// jobAt returns the job's part of the snapshot at t.
func (r *replay) jobAt(t dag.Instant, c *cluster) dag.JobState {
	out := dag.JobState{
		ID: r.ID, State: r.stateAt(t), Submitted: r.Submitted, Started: dag.NoInstant, Finished: dag.NoInstant,
		Attempt: r.attemptAt(t), Stages: make([]dag.StageState, dag.MapReduceStages),
	}
	if out.Attempt > 0 {
		out.Master = r.Masters[out.Attempt-1].Node
	}
	if out.State != dag.Submitted && r.Launched.Known() && t >= r.Launched {
		out.Started = r.Launched
	}
	if out.State.Ended() {
		out.Finished = r.Finished
		if r.State != dag.Succeeded {
			out.Diagnosis = r.Diagnosis
		}
	}
	v := attemptView{at: t, job: r.Job, cluster: c}
	maps := r.phase(dag.Map, &v)
	v.outputs = outputs(maps)
	reduces := r.phase(dag.Reduce, &v)
	out.Stages[dag.Map].Attempts, out.Stages[dag.Reduce].Attempts = maps, reduces
	if l := &r.Settings.Limits; !r.Slots && out.Attempt > 0 && !out.State.Ended() {
		out.HeldMB = r.Settings.MasterMB
		if !r.Uber {
			out.HeldMB += out.Stages[dag.Map].Running()*l.MapMB + out.Stages[dag.Reduce].Running()*l.ReduceMB
		}
	}
	return out
}

// phase returns the attempts that have started. It returns the previous snapshot's slice if nothing has changed.
func (r *replay) phase(k dag.StageIndex, v *attemptView) []dag.Attempt {
	shown, changed := r.shown[k], false
	for i, a := range r.Attempts[k] {
		was := shown[i]
		if was != nil && was.State != dag.AttemptRunning && (!a.Lost.Known() || was.State != dag.AttemptSucceeded) {
			continue // it will not change
		}
		if now, started := v.show(a, was); started {
			shown[i], changed = &now, true
		}
	}
	if changed {
		r.phases[k] = make([]dag.Attempt, 0, len(shown))
		for _, a := range shown {
			if a != nil {
				r.phases[k] = append(r.phases[k], *a)
			}
		}
	}
	return r.phases[k]
}

// outputs counts tasks with a result.
func outputs(attempts []dag.Attempt) int {
	n, last := 0, int32(-1)
	for i := range attempts {
		if a := &attempts[i]; a.State == dag.AttemptSucceeded && a.Task != last {
			n, last = n+1, a.Task
		}
	}
	return n
}
