// Package spark observes an application of Apache Spark. Its sources are the REST responses of the driver and of a
// history server, recordings of such responses, or the event log.
//
// A workflow is an application, an execution of SQL or a group of jobs. Its plan has one job, with the Spark stages
// that compute something. Spark skips a stage if an earlier job has written its output already. Skipped stages are not
// part of the plan.
//
// An [App] makes snapshots in three steps:
//
//   - The facts are the state of the application. App applies REST responses and the events of a log to them;
//     repairer adds what a driver has dropped and later facts imply. A recording and a watched driver share all of it.
//   - The questions are the next requests of a [Source], a table in the order of priority. They depend on the facts
//     alone.
//   - A snapshot is made of the facts: planner makes the plan, and the table of each stage its attempts. It shares the
//     attempts of all unchanged stages with the previous snapshot, so readers must not change them.
package spark

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/paratimer/paratimer/adapters/internal/input"
	"github.com/paratimer/paratimer/dag"
)

// An App has the state of one application. It is not safe for concurrent use.
type App struct {
	*facts
	*repairer
	planner  planner
	launched []*task // the tasks of the plan's stages, by launch
}

// Time converts an instant by the Date headers of responses, which may be off, to the driver's clock.
func (a *App) Time(at dag.Instant) dag.Instant { return a.clock.correct(at) }

// Snapshot returns the current state; ok is false before the first job. A snapshot shares all unchanged parts with
// the previous one. final means that no better response will come: an application without a reported end then has
// ended.
func (a *App) Snapshot(now dag.Instant, final bool) (snap *dag.Snapshot, ok bool) {
	a.clock.check(now)
	now = a.clock.correct(now)
	a.repair(now)
	a.forget()
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
		of.Submitted = min(max(firstOf(s.jobs), 0), now)
		if s.ran() {
			of.Attempts = a.attempts(s, now, j.Finished)
		}
	}
	snap.Jobs = []dag.JobState{*j}
	snap.Warnings = append(a.facts.remarks(snap.State), a.repairer.remarks(now)...)
	return snap, true
}

// forget removes the oldest jobs of a driver, which have ended, once there are more than App.kept of them or of their
// stages. It removes a third at once, because the indices of the plan's stages change.
func (a *App) forget() {
	p, most := &a.planner, a.kept
	if a.inLog || max(len(p.order), len(a.jobList)) <= most {
		return
	}
	n, stages := 0, 0
	for n < len(a.jobList) && a.jobList[n].hasEnded() && (stages < most/3 || n < len(a.jobList)-most) {
		stages += len(a.jobList[n].stages)
		n++
	}
	a.first = a.submitted()
	for _, j := range a.jobList[:n] {
		delete(a.jobs, j.id)
		delete(a.byJob, j.id)
	}
	a.jobList = slices.Delete(a.jobList, 0, n)
	isKept := func(j *job) bool { return a.jobs[j.id] == j }
	a.stageList = slices.DeleteFunc(a.stageList, func(s *stage) bool {
		if len(s.jobs) == 0 || slices.ContainsFunc(s.jobs, isKept) {
			return false
		}
		for _, t := range s.tries {
			a.tasks -= len(t.list)
		}
		if s.planPlace > 0 {
			p.expected -= s.tasks
		}
		delete(a.stages, s.id)
		delete(p.shown, s)
		delete(p.names, s.key)
		s.planPlace, s.jobs = 0, nil // jobs that follow refer to the stage
		return true
	})
	maps.DeleteFunc(a.executions, func(_ int, x *execution) bool {
		maps.DeleteFunc(x.jobs, func(id int, _ bool) bool { return a.jobs[id] == nil })
		return x.status != "RUNNING" && len(x.jobs) == 0
	})
	isOut := func(s *stage) bool { return s.planPlace == 0 }
	p.order = slices.DeleteFunc(p.order, isOut)
	for i, s := range p.order {
		s.planPlace = i + 1
	}
	for _, j := range a.jobList {
		j.before = slices.DeleteFunc(j.before, isOut)
	}
	ofOut := func(k *task) bool { return isOut(k.try.stage) }
	a.launched, a.implied = slices.DeleteFunc(a.launched, ofOut), slices.DeleteFunc(a.implied, ofOut)
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
	snap.Jobs[0].ID, snap.Jobs[0].State, snap.Jobs[0].Diagnosis = snap.ID, state, a.diagnosis(state, nil)
	if e := a.noUnit(); e != nil {
		snap.Warnings = []dag.Warning{remark("waiting: %s", e.text)}
	}
	return snap
}

// A unit is a part of an application that is a workflow by itself: an execution of SQL or a group of jobs. The zero
// unit is the whole application. Notebooks, Thrift servers and streams do not end, but their units do.
type unit struct{ kind, name string }

const (
	sqlUnit, groupUnit = "sql", "group"
	// Newest names the running execution of SQL that began last.
	Newest = "newest"
)

// path returns the unit as a part of an id, such as /sql/3; "" if it has no name, as the whole application.
func (u unit) path() string {
	if u.name == "" {
		return ""
	}
	return "/" + u.kind + "/" + u.name
}

// IDOf returns the id of a unit of an application, such as app-1/sql/3 or app-1/group/nightly. Without sql and group
// it returns app. If app is "", the id matches the application that is found.
func IDOf(app, sql, group string) string {
	return app + unit{sqlUnit, sql}.path() + unit{groupUnit, group}.path()
}

// CheckID returns an error if the id of a unit is invalid.
func CheckID(id string) error {
	_, u := parseID(id)
	if u.kind == sqlUnit && strings.Contains(u.name, "/"+groupUnit+"/") {
		return errors.New("an execution of SQL and a job group exclude each other: give one of --sql and --group")
	}
	if u.kind == sqlUnit && u.name != Newest && idIn(u.name) < 0 {
		return fmt.Errorf("%q is no execution of SQL: give its number or newest, without a job group", u.name)
	}
	return nil
}

// AppOf splits an id into the id of the application and the rest, such as /sql/3, which is "" for a whole
// application.
func AppOf(id string) (app, rest string) {
	app, _ = parseID(id)
	return app, id[len(app):]
}

func parseID(id string) (app string, u unit) {
	for _, kind := range []string{sqlUnit, groupUnit} {
		if app, name, found := strings.Cut(id, "/"+kind+"/"); found && !strings.Contains(app, "/") {
			return app, unit{kind, name}
		}
	}
	return id, unit{}
}

// mostSQL bounds the executions of SQL that are kept.
const mostSQL = 10_000

// An execution is an execution of SQL.
type execution struct {
	id          int
	description string
	status      string // RUNNING, COMPLETED, FAILED
	ended       dag.Instant
	jobs        map[int]bool
	plan        queryPlan
	planned     bool // the plan was requested
}

// addExecutionJob adds a job to an execution that is kept. A job of an execution within another is in both.
func (f *facts) addExecutionJob(x *execution, id int) {
	if f.executions[x.id] != x || len(x.jobs) >= mostJobs {
		return
	}
	x.jobs[id] = true
	if of := f.byJob[id]; of == nil || of.id < x.id {
		f.byJob[id] = x
	}
}

// described returns the description of an execution of SQL. For a batch of a stream it returns the name of the
// stream only, because the rest differs in each batch and each run.
func described(s string) string {
	if head, _, _ := strings.Cut(s, "\n"); strings.Contains(s, "runId = ") && strings.Contains(s, "\nbatch = ") {
		s = head
		if strings.HasPrefix(s, "id = ") { // the stream has no name
			s = ""
		}
	}
	return dag.Clean(s)
}

// executionAt returns an execution; one that is not kept if there are too many or the id is invalid.
func (f *facts) executionAt(id int) *execution {
	x := f.executions[id]
	if x == nil {
		x = &execution{id: id, ended: dag.NoInstant, jobs: map[int]bool{}}
		if id >= 0 && len(f.executions) < mostSQL {
			f.executions[id] = x
		}
	}
	return x
}

// newestExecution returns the running execution that began last, or nil.
func (f *facts) newestExecution() *execution {
	for _, id := range slices.Backward(sortedKeys(f.executions)) {
		if x := f.executions[id]; x.status == "RUNNING" {
			return x
		}
	}
	return nil
}

// execution returns the execution that is the unit, or nil while it is unknown.
func (f *facts) execution() *execution {
	if f.unit == (unit{sqlUnit, Newest}) {
		x := f.newestExecution()
		if x == nil {
			return nil
		}
		f.unit.name = strconv.Itoa(x.id)
	}
	if f.unit.kind != sqlUnit {
		return nil
	}
	return f.executions[idIn(f.unit.name)]
}

// inUnit reports whether a job belongs to the unit.
func (f *facts) inUnit(j *job) bool {
	switch f.unit.kind {
	case groupUnit:
		return j.group == f.unit.name
	case sqlUnit:
		x := f.execution()
		return x != nil && x.jobs[j.id]
	}
	return true
}

// unitJobs returns the unit's jobs, by id. The caller must not change the list.
func (f *facts) unitJobs() []*job {
	if f.unit.kind == "" {
		return f.jobList
	}
	return input.Only(f.jobList, f.inUnit)
}

// unitStages returns the stages of the unit's jobs, by id.
func (f *facts) unitStages() []*stage {
	return input.Only(f.stageList, func(s *stage) bool { return slices.ContainsFunc(s.jobs, f.inUnit) })
}

// flowID returns the id of the workflow: the application's, or the unit's.
func (f *facts) flowID() string { return f.id + f.unit.path() }

// flowName returns the display name of the workflow: the text of an execution, the description of a group, or the
// application's name.
func (f *facts) flowName() string {
	name := f.name
	if x := f.execution(); x != nil && x.description != "" {
		name = callSite(x.description)
	}
	if f.unit.kind == groupUnit {
		name = cmp.Or(jobText(f.unitJobs()), f.unit.name)
	}
	return dag.Clean(cmp.Or(name, f.flowID()))
}
