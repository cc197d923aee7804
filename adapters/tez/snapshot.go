package tez

import (
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// surroundings have the facts about the cluster in snapshots. A *yarn.Overview implements them.
type surroundings interface {
	Cluster(app string) dag.Cluster
	Fill(snap *dag.Snapshot, app string)
	NodeIndex(id string) int32
}

// snapshot returns the state of a DAG for one instant. Later changes do not affect the snapshot. Snapshots share the
// plan while it is the same, and the attempts of a vertex until one of them changes. The order of the stages is fixed
// when they are shaped. Before, vertices or edges are not written yet, and one stage stands for all vertices.
func (st *state) snapshot(now dag.Instant, app *yarn.App, state dag.State, isShaped bool) *dag.Snapshot {
	if isShaped {
		if st.plan == nil {
			st.stageOrder = st.order()
		}
		st.stageOrder = append(st.stageOrder, st.vertices[len(st.stageOrder):]...) // later ones have higher indices
		st.submitted = dag.FirstKnown(st.submitted, st.started, now)
	}
	if state.Ended() {
		st.endWith(state, dag.FirstKnown(st.finished, now))
	}
	plan := st.planOf(now, app)
	snap := &dag.Snapshot{
		Plan: plan, At: now, ID: st.id, State: state, Stale: dag.NoInstant, Jobs: plan.BlockedJobs(),
	}
	j := &snap.Jobs[0]
	j.ID, j.State, j.HeldMB, j.Master = app.ID, state, app.HeldMB, app.Node
	if st.submitted.Known() {
		j.Submitted = min(st.submitted, now)
	}
	st.room.Fill(snap, app.ID)
	if !isShaped {
		return snap
	}
	st.plan, snap.Warnings = plan, st.warnTooLarge()
	j.Attempt, j.Started = max(1, st.masters), st.started
	if state.Ended() {
		j.Finished = min(dag.FirstKnown(st.finished, now), now)
		if state != dag.Succeeded {
			j.Diagnosis = st.diagnosis
		}
	}
	for i, v := range st.stageOrder {
		j.Stages[i].Attempts = v.snapshot(now)
	}
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
