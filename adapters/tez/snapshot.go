package tez

import (
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// A view makes the snapshots of a DAG. Later changes of the state do not affect them. Snapshots share the plan while
// it is the same, and the attempts of a vertex until one of them changes.
type view struct {
	st    *state
	room  surroundings
	order []int32   // of the stages
	plan  *dag.Plan // of the newest complete snapshot; nil before
}

// surroundings adds facts about the cluster to snapshots. A *yarn.Overview implements it.
type surroundings interface {
	Cluster(app string) dag.Cluster
	Fill(snap *dag.Snapshot, app string)
}

// An observation has the facts of a snapshot that are not about the DAG itself.
type observation struct {
	now     dag.Instant
	app     *yarn.App
	state   dag.State // of the DAG
	masters int       // of the application so far
}

// snapshot returns the current state. After the first snapshot the order of the stages is fixed.
func (w *view) snapshot(o *observation) *dag.Snapshot {
	if w.plan == nil {
		w.order = w.st.order()
	}
	for i := len(w.order); i < len(w.st.vertices); i++ { // every earlier place is taken by a vertex with a lower index
		w.order = append(w.order, w.st.vertices[i].index)
	}
	w.plan = w.planOf(w.order, o)
	snap := w.base(w.plan, o)
	j := &snap.Jobs[0]
	j.Attempt, j.Started = max(1, o.masters), w.st.started
	if o.state.Ended() {
		j.Finished = min(firstKnown(w.st.finished, o.now), o.now)
		if o.state != dag.Succeeded {
			j.Diagnosis = w.st.diagnosis
		}
	}
	for i, index := range w.order {
		j.Stages[i].Attempts = w.st.vertices[index].snapshot(o.now)
	}
	return snap
}

// beginning returns a snapshot of a DAG with vertices or edges that are not written yet. One stage with unknown tasks
// stands for all vertices.
func (w *view) beginning(o *observation) *dag.Snapshot { return w.base(w.planOf(nil, o), o) }

// base returns a snapshot without attempts.
func (w *view) base(plan *dag.Plan, o *observation) *dag.Snapshot {
	snap := &dag.Snapshot{
		Plan: plan, At: o.now, ID: w.st.id, State: o.state, Stale: dag.NoInstant, Jobs: plan.BlockedJobs(),
	}
	j := &snap.Jobs[0]
	j.ID, j.State, j.HeldMB, j.Master = o.app.ID, o.state, o.app.HeldMB, o.app.Node
	if at := w.st.submitted; at.Known() {
		j.Submitted = min(at, o.now)
	}
	w.room.Fill(snap, o.app.ID)
	return snap
}

// snapshot returns the attempts of a vertex, with times up to at. Snapshots share the slice until the vertex changes.
func (v *vertex) snapshot(at dag.Instant) []dag.Attempt {
	return v.table.Attempts(func(to []dag.Attempt, index int32, t *task) []dag.Attempt {
		if v.hasTasks && int(index) >= v.tasks {
			return to
		}
		for i := range t.attempts {
			a := t.attempts[i].Attempt
			if a.State == dag.AttemptWaiting {
				continue
			}
			if a.Start > at || a.End > at { // the log was read a moment after the observation
				a.Start, a.End = min(a.Start, at), min(a.End, at)
				v.table.Change(index)
			}
			to = append(to, a)
		}
		return to
	})
}
