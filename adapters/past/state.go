package past

import (
	"slices"

	"github.com/paratimer/paratimer/dag"
)

func newState(j *Job) *state {
	st := &state{job: j}
	for k := range j.Attempts {
		st.shown[k] = make([]dag.Attempt, len(j.Attempts[k]))
		for i := range st.shown[k] {
			st.shown[k][i].Number = -1
		}
	}
	return st
}

// at returns the job's part of the snapshot at t.
func (st *state) at(t dag.Instant, c *cluster) dag.JobState {
	j := st.job
	out := dag.JobState{
		ID: j.ID, State: j.stateAt(t), Submitted: j.Submitted, Started: dag.NoInstant, Finished: dag.NoInstant,
		Attempt: j.attemptAt(t), Stages: make([]dag.StageState, dag.MapReduceStages),
	}
	if out.Attempt > 0 {
		out.Master = j.Masters[out.Attempt-1].Node
	}
	if out.State != dag.Submitted && j.Launched.Known() && t >= j.Launched {
		out.Started = j.Launched
	}
	if out.State.Ended() {
		out.Finished = j.Finished
		if j.State != dag.Succeeded {
			out.Diagnosis = j.Diagnosis
		}
	}
	v := phaseView{
		maps: float64(j.Maps), mapOnly: j.Sized && j.Reduces == 0, finished: j.Finished, node: c.node,
		report: dag.Instant(j.Settings.Overheads.Report.Milliseconds()),
	}
	for _, k := range []dag.StageIndex{dag.Map, dag.Reduce} {
		v.kind = k
		out.Stages[k].Attempts = st.phase(k, &v, t)
	}
	if l := &j.Settings.Limits; !j.Slots && out.Attempt > 0 && !out.State.Ended() {
		out.HeldMB = j.Settings.MasterMB
		if !j.Uber {
			out.HeldMB += out.Stages[dag.Map].Running()*l.MapMB + out.Stages[dag.Reduce].Running()*l.ReduceMB
		}
	}
	return out
}

// phase returns the attempts that have started by t. It returns the previous snapshot's slice if nothing has changed.
func (st *state) phase(k dag.StageIndex, v *phaseView, t dag.Instant) []dag.Attempt {
	attempts, shown := st.job.Attempts[k], st.shown[k]
	changed := false
	for i := st.ended[k]; i < len(attempts); i++ {
		a := &attempts[i]
		var was *dag.Attempt
		if shown[i].Number >= 0 {
			was = &shown[i]
		}
		if was != nil && was.State != dag.AttemptRunning && (!a.Lost.Known() || was.State != dag.AttemptSucceeded) {
			if i == st.ended[k] {
				st.ended[k]++
			}
			continue
		}
		now, ok := a.show(v, was, t)
		if !ok {
			continue
		}
		shown[i], changed = now, true
	}
	if changed {
		st.phases[k] = slices.DeleteFunc(slices.Clone(shown), func(a dag.Attempt) bool { return a.Number < 0 })
	}
	if k == dag.Map {
		v.copies = float64(outputs(st.phases[k]))
	}
	return st.phases[k]
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
