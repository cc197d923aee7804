package spark

import "github.com/paratimer/paratimer/dag"

// An App has the state of one application. It is not safe for concurrent use.
type App struct {
	*facts
	*repairer
	planner  planner
	launched []*task // the tasks of the plan's stages, by launch
}

// NewApp returns an App without observations. id is the application's, that of one of its units, or "".
func NewApp(id string) *App {
	f := newFacts(id)
	return &App{
		facts: f, repairer: &repairer{facts: f},
		planner: planner{facts: f, names: map[string]int{}, base: -1},
	}
}

// ID returns the application's id.
func (a *App) ID() string { return a.id }

// Begun reports whether a job of the application, or of its unit, has been seen.
func (a *App) Begun() bool { return len(a.unitJobs()) > 0 }

// Time converts an instant by the Date headers of responses, which may be off, to the driver's clock.
func (a *App) Time(at dag.Instant) dag.Instant { return a.clock.correct(at) }

// Snapshot returns the current state; ok is false before the first job. A snapshot shares all unchanged parts with
// the previous one. final means that no better response will come: an application without a reported end then has
// ended.
func (a *App) Snapshot(now dag.Instant, final bool) (snap *dag.Snapshot, ok bool) {
	a.clock.check(now)
	now = a.clock.correct(now)
	a.repair(now)
	if a.planner.grow(); len(a.planner.order) == 0 {
		return a.beginning(a.state(final, now), now), false
	}
	snap = a.frame(a.state(final, now), now)
	ended := snap.State.Ended()
	snap.Plan, snap.Coming = a.planner.update(!ended, now)
	submitted := min(a.submitted(), now)
	j := &dag.JobState{
		ID: snap.ID, State: snap.State, Attempt: 1, Submitted: submitted, Started: submitted, Finished: dag.NoInstant,
		Stages: make([]dag.StageState, len(snap.Plan.Jobs[0].Stages)),
	}
	if ended {
		j.Finished = min(max(a.completed(), j.Submitted), now)
		if snap.State == dag.EndedUnconfirmed && !a.lastSeen.Known() {
			j.Finished = now
		}
		snap.Inferred, j.Diagnosis = a.inferred(snap.State), a.diagnosis(snap.State, a.planner.order)
	}
	a.assignCores()
	for i, s := range a.planner.order {
		of := &j.Stages[i]
		if at := firstOf(s.jobs); at.Known() {
			of.Submitted = min(max(at, 0), now)
		}
		if s.ran() {
			of.Attempts = a.attempts(s, now, j.Finished)
		}
	}
	snap.Jobs = []dag.JobState{*j}
	snap.Warnings = append(a.facts.remarks(snap.State), a.repairer.remarks(now)...)
	return snap, true
}

// frame returns a snapshot without a plan and jobs.
func (a *App) frame(state dag.State, now dag.Instant) *dag.Snapshot {
	return &dag.Snapshot{
		At: now, ID: a.flowID(), User: a.user, Queue: a.queue, State: state, Stale: dag.NoInstant, Nodes: a.nodes(now),
	}
}

// beginning returns a snapshot of an application without jobs. One stage stands for all stages to come.
func (a *App) beginning(state dag.State, now dag.Instant) *dag.Snapshot {
	if !state.Ended() {
		state = dag.Submitted
	}
	snap := a.frame(state, now)
	snap.Plan = a.planner.outline()
	snap.Plan.Open, snap.Plan.Cluster.Cores, snap.Plan.Jobs[0].Stages = true, max(1, a.cores()), []dag.Stage{{Name: "jobs"}}
	snap.Jobs = snap.Plan.BlockedJobs()
	snap.Jobs[0].ID, snap.Jobs[0].State = snap.ID, state
	if e := a.noUnit(); e != nil {
		snap.Warnings = []dag.Warning{remark("waiting: %s", e.text)}
	}
	return snap
}
