package spark

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// An App has the state of one application. It is not safe for concurrent use.
type App struct {
	*facts
	*outcome
	*repairer
	answers
	planner  planner
	assigner assigner
	tables   tables
}

// NewApp returns an App without observations. id is the application's, that of one of its units, or "".
func NewApp(id string) *App {
	f := newFacts(id)
	o := &outcome{facts: f, ended: dag.NoInstant, lastSeen: dag.NoInstant}
	return &App{
		facts: f, outcome: o, repairer: &repairer{facts: f, outcome: o, missing: map[gap]bool{}},
		answers: answers{facts: f, outcome: o, reported: dag.NoInstant},
		planner: planner{facts: f, names: map[string]int{}}, tables: tables{facts: f},
	}
}

// ID returns the application's id.
func (a *App) ID() string { return a.id }

// Begun reports whether a job of the application, or of its unit, has been seen.
func (a *App) Begun() bool { return len(a.unitJobs()) > 0 }

// Over reports whether the application has ended.
func (a *App) Over() bool { return a.over }

// Time converts an instant by the Date headers of responses, which may be off, to the driver's clock.
func (a *App) Time(at dag.Instant) dag.Instant { return a.clock.correct(at) }

// Snapshot returns the current state; ok is false before the first job. A snapshot shares all unchanged parts with
// the previous one. final means that no better response will come: an application without a reported end then has
// ended.
func (a *App) Snapshot(now dag.Instant, final bool) (snap *dag.Snapshot, ok bool) {
	a.clock.check(now)
	if now = a.clock.correct(now); !a.Begun() {
		return nil, false
	}
	a.repair(now)
	g := a.graph()
	if a.planner.grow(g); len(a.planner.order) == 0 {
		return nil, false
	}
	lacks, state := map[int]bool{}, a.state(final, now)
	var elastic dag.Elastic
	var coming []dag.Capacity
	if !state.Ended() {
		lacks = g.lacks()
		elastic, coming = (&allocation{a.facts}).capacity(now)
	}
	submitted := min(a.submitted(), now)
	snap = &dag.Snapshot{
		Plan: a.planner.update(g, lacks, !state.Ended(), elastic), At: now, ID: a.flowID(), User: a.user,
		Queue: a.queue, State: state, Stale: dag.NoInstant,
		Jobs: make([]dag.JobState, 1), Nodes: a.nodes(now), Coming: coming,
	}
	j := &snap.Jobs[0]
	*j = dag.JobState{
		ID: a.flowID(), State: state, Attempt: 1, Submitted: submitted, Started: submitted,
		Finished: dag.NoInstant, Stages: make([]dag.StageState, len(snap.Plan.Jobs[0].Stages)),
	}
	a.assigner.assign(a.planner.order, a.all)
	a.tables.begin()
	for i, s := range a.planner.order {
		if at := a.firstOf(s.jobs); at.Known() {
			j.Stages[i].Submitted = min(max(at, 0), now)
		}
		if s.ran() {
			j.Stages[i].Attempts = a.tables.attempts(s, now)
		}
	}
	if state.Ended() {
		j.Finished = min(max(a.completed(), j.Submitted), now)
		if state == dag.EndedUnconfirmed && !a.lastSeen.Known() {
			j.Finished = now
		}
		snap.Inferred = a.inferred(state)
		stop(j, now)
		j.Diagnosis = a.diagnosis(state)
	}
	snap.Warnings = append(a.remarks(state), a.repairer.warnings(now)...)
	return snap, true
}

// stop ends all attempts that seem to run although the application has ended.
func stop(j *dag.JobState, now dag.Instant) {
	for k := range j.Stages {
		runs := func(at dag.Attempt) bool { return at.State == dag.AttemptRunning }
		if !slices.ContainsFunc(j.Stages[k].Attempts, runs) {
			continue
		}
		j.Stages[k].Attempts = slices.Clone(j.Stages[k].Attempts) // other snapshots may share them
		for i := range j.Stages[k].Attempts {
			if at := &j.Stages[k].Attempts[i]; runs(*at) {
				at.State, at.End = dag.AttemptKilled, max(at.Start, min(j.Finished, now))
			}
		}
	}
}

// stopTime is how long an idle driver may take to stop its application after the last job. It does not count, so
// that the length of a run does not depend on whether the application's end was recorded.
const stopTime = 2 * time.Second

// completed returns when the application, or its unit, ended. After the last job the driver may still work, for
// example commit files or write to a database. A job group ends with its last job, because nothing reports its own
// end. An application without a reported end ended when it was last seen.
func (o *outcome) completed() dag.Instant {
	last, jobs := dag.NoInstant, o.unitJobs()
	if !o.over && o.unit.kind == "" {
		last = o.clock.correct(o.lastSeen)
	}
	for _, id := range jobs {
		j := o.jobs[id]
		if !j.completed.Known() {
			last = max(last, o.ended)
		}
		last = max(last, j.completed)
	}
	switch x := o.execution(); {
	case o.unit.kind == "":
		for _, x := range o.executions {
			last = max(last, x.ended)
		}
		if o.ended.Sub(last) > stopTime {
			last = o.ended
		}
	case x != nil:
		last = max(last, x.ended)
	}
	return last
}

// state returns the state of the workflow. Spark does not report whether an application has succeeded, so the last
// job decides.
func (o *outcome) state(final bool, now dag.Instant) dag.State {
	open := false
	var last *job
	for _, id := range o.unitJobs() {
		j := o.jobs[id]
		open = open || !j.over()
		if last == nil || j.completed >= last.completed {
			last = j
		}
	}
	if o.unit.kind != "" {
		if s := o.unitEnd(open, last, now); s.Ended() {
			return s
		}
	}
	switch {
	case !o.over && !final:
		return dag.Running
	case o.manager.Ended() && (o.manager != dag.Succeeded || !open):
		return o.manager
	case open, !o.over && !o.seenToEnd(last):
		return dag.EndedUnconfirmed
	case last.status == "FAILED":
		return dag.Failed
	}
	return dag.Succeeded
}

// diagnosis returns why the application failed: the error of its last failed job, or of the stage that caused it.
func (a *App) diagnosis(state dag.State) string {
	if state != dag.Failed {
		return ""
	}
	why, at := "", dag.NoInstant
	for _, id := range a.unitJobs() {
		if j := a.jobs[id]; j.why != "" && j.completed >= at {
			why, at = j.why, j.completed
		}
	}
	if why != "" && !strings.HasPrefix(why, "Job aborted due to stage failure") {
		return why
	}
	for _, s := range a.planner.order {
		if t := s.newest(); t != nil && t.failure != "" {
			why = fmt.Sprintf("stage %d: %s", s.id, t.failure)
		}
	}
	return why
}

// remarks returns warnings about missing information.
func (a *App) remarks(state dag.State) []dag.Warning {
	var out []dag.Warning
	warn := func(code, format string, args ...any) {
		out = append(out, dag.Warning{Code: code, Text: fmt.Sprintf(format, args...)})
	}
	if a.dropped {
		warn(dag.WarnTooLarge, "too large to estimate: the application has more jobs, stages or tasks than are read")
	}
	if state.Ended() {
		if state == dag.EndedUnconfirmed && a.inLog {
			warn(dag.WarnObservation, "%s ended while a job ran, and its event log has no end of that job: whether it succeeded is unknown", a.id)
			return out
		}
		return append(out, a.remarkEnd(state)...)
	}
	if a.historyTrouble != "" {
		warn(dag.WarnObservation, "the end of this run will not be confirmed, because the history server does not answer: %s",
			a.historyTrouble)
	}
	out = append(out, a.clock.remark()...)
	if strange, all := a.strangePools(); all > 1 && len(strange) > 0 {
		of := "pool " + strange[0]
		if len(strange) > 1 {
			of = units.Count(len(strange), "pool")
		}
		warn(dag.WarnObservation, "weights and minimal shares of %s are not known, because only the driver's page "+
			"/stages/ has them: the replay takes a weight of 1", of)
	}
	out = append(out, a.remarkForgotten()...)
	guessed := 0
	for _, id := range a.unitJobs() {
		if j := a.jobs[id]; !j.over() && !a.edgesKnown(j) {
			guessed++
		}
	}
	if guessed > 0 {
		warn(dag.WarnNoEdges, "which stage reads which is a guess: neither the page of the job nor the history server tells it")
	}
	return out
}

// beginning returns a snapshot of an application without jobs. One stage stands for all stages to come.
func (a *App) beginning(now dag.Instant) *dag.Snapshot {
	a.clock.check(now)
	now = a.clock.correct(now)
	plan := a.outline()
	plan.Open, plan.Cluster.Cores, plan.Jobs[0].Stages = true, max(1, a.cores()), []dag.Stage{{Name: "jobs"}}
	snap := &dag.Snapshot{
		Plan: plan, At: now, ID: a.flowID(), User: a.user, Queue: a.queue,
		State: dag.Submitted, Stale: dag.NoInstant,
		Jobs: plan.BlockedJobs(), Nodes: a.nodes(now),
	}
	if a.over {
		if snap.State = dag.Succeeded; a.manager.Ended() {
			snap.State = a.manager
		}
	} else if s := a.unitEnd(false, nil, now); s.Ended() { // it has run no job
		snap.State = s
	}
	snap.Jobs[0].ID, snap.Jobs[0].State = a.flowID(), snap.State
	snap.Warnings = a.remarkWaiting()
	return snap
}
