package tez

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/dag"
)

// All changes of a DAG's state are in this file: apply for events, and newMaster, succeed and killRunning for what
// follows from the end of a master or of the DAG.

// apply applies an event that was read at an instant. It ignores events of other DAGs, and invalid ones.
func (st *state) apply(e *event, now dag.Instant) {
	switch of, _, _ := strings.Cut(e.entity, "_"); of {
	case "attempt":
		if k, ok := parseID(e.entity, "attempt", st.id, 3); ok {
			st.applyToAttempt(k, e, now)
		}
	case "vertex":
		if v := st.vertexOf(e.entity); v != nil {
			st.applyToVertex(v, e)
		}
	case "dag":
		if e.entity == st.id {
			st.applyToDAG(e)
		}
	default:
		st.applyToApp(e)
	}
}

func (st *state) applyToApp(e *event) {
	switch e.kind {
	case appConfigured:
		if e.settings != nil {
			st.settings = *e.settings
		}
	case "AM_LAUNCHED":
		st.boot = boot{launched: e.at} // of a new master, if there was one before
	case "AM_STARTED":
		st.boot.ready = e.at
	case "CONTAINER_LAUNCHED":
		if c := st.container(e.entity); c != nil {
			c.launched = e.at
		}
	}
}

func (st *state) applyToDAG(e *event) {
	switch e.kind {
	case dagNamed: // the history has the name too, but writes it through a buffer
		if st.title.name == "" && !hiveQuery.MatchString(e.name) {
			st.title = titleOf(st.id, &planBody{Name: text(e.name)})
		}
	case "DAG_SUBMITTED":
		if e.at.Known() && (!st.submitted.Known() || e.at < st.submitted) {
			st.submitted = e.at
		}
		if e.plan != nil {
			st.applyPlan(e.plan)
		}
	case "DAG_STARTED":
		st.started = e.at
	case "DAG_FINISHED":
		if _, ended := finalStates[e.status]; ended {
			st.final, st.finished, st.diagnosis = e.status, e.end, dagReason(e.diagnosis)
		}
	case dagReported:
		st.reported = e.status
		if st.hasEnded() && !st.finished.Known() {
			st.finished = e.end
		}
	}
}

// mostEdges bounds the edges of a plan.
const mostEdges = 100_000

// applyPlan applies the DAG's plan.
func (st *state) applyPlan(b *planBody) {
	if st.hasPlan || len(b.Vertices) == 0 {
		return
	}
	st.hasPlan, st.hasEdges = true, true
	pig := st.title.pig
	for i := range b.Vertices[:min(len(b.Vertices), mostVertices)] {
		w := &b.Vertices[i]
		v := st.vertexAt(int32(i)) //nolint:gosec // G115: bounded above
		st.rename(v, string(w.Name))
		v.sources = nil
		pig = pig || strings.HasSuffix(string(w.Processor), ".PigProcessor")
		for _, in := range w.Inputs {
			name := dag.Clean(string(in.Name))
			if name != "" && !slices.Contains(st.inputs, name) && len(st.inputs) < 100 {
				st.inputs = append(st.inputs, name)
			}
		}
	}
	slices.Sort(st.inputs)
	for i := range b.Edges[:min(len(b.Edges), mostEdges)] {
		e := &b.Edges[i]
		from, to := st.byName[dag.Clean(string(e.From))], st.byName[dag.Clean(string(e.To))]
		if from != nil && to != nil && from != to {
			to.sources = append(to.sources, source{vertex: from.index, movement: string(e.Movement)})
		}
	}
	st.title = titleOf(st.id, b)
	st.title.pig = st.title.pig || pig
}

// rename sets the name of a vertex, unless another vertex has it.
func (st *state) rename(v *vertex, name string) {
	name = dag.Clean(name)
	if name == "" || v.name == name || st.byName[name] != nil {
		return
	}
	delete(st.byName, v.name)
	v.name = name
	st.byName[name] = v
}

func (st *state) applyToVertex(v *vertex, e *event) {
	switch e.kind {
	case vertexSized:
		v.memoryMB = e.memoryMB
		st.rename(v, e.name)
	case vertexManaged:
		v.movement = e.movement
	case vertexSlowStart:
		v.slowStart = e.slowStart
	case vertexReads:
		st.applyEdge(v, st.vertexOf(e.source))
	case "VERTEX_INITIALIZED", "VERTEX_CONFIGURE_DONE":
		st.rename(v, e.name)
		if e.tasks >= 0 {
			v.setTasks(e.tasks, true)
		}
	case "VERTEX_STARTED":
		v.hasStarted = true
	case vertexReported:
		if e.tasks >= 0 {
			v.setTasks(e.tasks, true)
		} else {
			v.setTasks(v.tasks, false)
		}
		v.running, v.succeeded, v.ended = e.running, e.succeeded, e.ended
		if !st.started.Known() {
			st.started = e.start
		}
	}
}

// applyEdge records that a vertex reads another one. The log does not contain the kind of edge.
func (st *state) applyEdge(to, from *vertex) {
	if st.hasPlan || from == nil || from == to ||
		slices.ContainsFunc(to.sources, func(s source) bool { return s.vertex == from.index }) {
		return
	}
	to.sources = append(to.sources, source{vertex: from.index, movement: cmp.Or(to.movement, scatterGather)})
	st.hasEdges = true
}

// setTasks sets the number of tasks. Snapshots show only attempts of tasks below it.
func (v *vertex) setTasks(n int, known bool) {
	if v.tasks != n || v.hasTasks != known {
		v.tasks, v.hasTasks = n, known
		v.table.ChangeAll()
	}
}

func (st *state) applyToAttempt(k attemptKey, e *event, now dag.Instant) {
	switch e.kind {
	case "TASK_ATTEMPT_STARTED":
		st.startAttempt(k, e)
	case "TASK_ATTEMPT_FINISHED":
		status, ended := attemptStates[e.status]
		if !ended || st.find(k) == nil && !e.start.Known() {
			return // it was never launched
		}
		v, a := st.attempt(k)
		if a == nil {
			return
		}
		st.endAttempt(v, a, status, e.start, e.end, reason(e.diagnosis))
		if a.firstInContainer {
			st.setup(k, e.allocated, a.Start)
		}
		st.countFinal(v, a, e, now)
	case "TASK_FINISHED":
		if a := st.find(k); a != nil {
			v := st.vertices[k.vertex]
			v.table.Change(k.task)
			st.countFinal(v, a, e, now)
		}
	case attemptExplained:
		if a := st.find(k); a != nil && a.State == dag.AttemptFailed {
			a.Diagnosis = reason(e.diagnosis)
			st.vertices[k.vertex].table.Change(k.task)
		}
	case attemptReported:
		st.report(k, e, now)
	}
}

// startAttempt records that an attempt runs in a container.
func (st *state) startAttempt(k attemptKey, e *event) {
	a := st.find(k)
	if a != nil && a.hasStartEvent && isLaterMaster(e.container, a.container) && e.at.Known() && e.at >= a.Start {
		st.findTask(k).retire(a, e.at) // a new master has lost it and reuses its number
	}
	if _, a = st.attempt(k); a == nil || a.hasStartEvent {
		return
	}
	a.hasStartEvent = true
	if a.State == dag.AttemptWaiting {
		a.State = dag.AttemptRunning // otherwise its end is already known
	}
	if e.at.Known() {
		a.Start = e.at
	}
	a.Node, a.container = st.nodeIndex(e.node), e.container
	c := st.container(e.container)
	if c == nil {
		return
	}
	if c.slot < 0 {
		c.slot, st.slots = st.slots, st.slots+1
		// A container that an earlier DAG has left was not launched for this one.
		a.firstInContainer = c.launched.Known() && c.launched >= st.submitted
		if a.firstInContainer {
			st.setup(k, c.launched, a.Start)
		}
	}
	a.Slot = c.slot
}

// setup records the launch time of the container of attempt k. A later, more accurate value replaces it.
func (st *state) setup(k attemptKey, from, to dag.Instant) {
	if !from.Known() || !to.Known() || to < from {
		return
	}
	st.setups[k] = float64(to - from)
}

const (
	lostOutput = "its output is lost: it must run again"
	masterGone = "its master is gone"
)

// endAttempt records how an attempt ended, and when. Another success of the same task has lost its output, or that
// output was not accepted.
func (st *state) endAttempt(v *vertex, a *attempt, status dag.AttemptState, start, end dag.Instant, why string) {
	a.State, a.Diagnosis = status, why
	if start.Known() {
		a.Start = start
	}
	if end.Known() {
		a.End = end
	}
	if status != dag.AttemptSucceeded {
		return
	}
	a.Ratio, a.Diagnosis = 1, ""
	for i, all := 0, v.table.Find(a.Task).attempts; i < len(all); i++ {
		if o := &all[i]; o.Number != a.Number && o.State == dag.AttemptSucceeded {
			o.State, o.Diagnosis = dag.AttemptKilled, lostOutput
		}
	}
}

// countFinal applies the counters of an attempt that has ended.
func (st *state) countFinal(v *vertex, a *attempt, e *event, now dag.Instant) {
	st.count(v, a, &e.counters, now)
	a.hasFinalCounters = a.hasFinalCounters || e.counters.any && a.State == dag.AttemptSucceeded
}

// mostReportsAfterEnd bounds the requests for an attempt that has ended.
const mostReportsAfterEnd = 2

// report applies an entry of the master's web service. e.start is the time of the previous poll.
func (st *state) report(k attemptKey, e *event, now dag.Instant) {
	status, ended := attemptStates[e.status]
	runs := e.status == "RUNNING"
	if st.find(k) == nil && !runs && !ended {
		return // it waits or is being launched
	}
	v, a := st.attempt(k)
	if a == nil {
		return
	}
	if ended && a.State != status {
		st.endAttempt(v, a, status, dag.NoInstant, dag.NoInstant, a.Diagnosis)
	} else if runs && a.State == dag.AttemptWaiting {
		a.State = dag.AttemptRunning
	}
	if a.State == dag.AttemptRunning && !a.Start.Known() {
		a.Start = now
	}
	if ended {
		if !a.Start.Known() { // it started and ended between two polls
			a.Start = e.start
		}
		if !a.End.Known() {
			a.End = now
		}
		a.reportsAfterEnd++
	}
	st.count(v, a, &e.counters, now)
	if a.State == dag.AttemptRunning {
		a.Ratio = math.NaN()
		// Processors that report no progress show 0. Pig's do, and Hive's with a cached table.
		if e.progress > 0 || e.progress == 0 && !st.title.pig && !(a.Done[0] > 0) {
			a.Ratio = min(e.progress, 1)
		}
	} else if ended && (e.counters.any || a.reportsAfterEnd >= mostReportsAfterEnd) {
		a.hasFinalCounters = true
	}
}

// retire frees an attempt's number for the next master. It ends an attempt that counts as running or succeeded.
func (t *task) retire(a *attempt, at dag.Instant) {
	switch a.State {
	case dag.AttemptRunning:
		a.State, a.End, a.Diagnosis = dag.AttemptKilled, max(at, a.Start), masterGone
	case dag.AttemptSucceeded:
		a.State, a.Diagnosis = dag.AttemptKilled, lostOutput
	}
	a.isRetired = true
	t.shift = t.attempts[len(t.attempts)-1].Number + 1
}

// loseOutputs ends the successes of a task that the master lists as not succeeded. In a new master a task is NEW until
// the master has read the task's earlier end.
func (st *state) loseOutputs(v *vertex, t *task, status string, now dag.Instant) {
	for i := range t.attempts {
		a := &t.attempts[i]
		earlier := a.endedMasters < st.endedMasters
		if a.State != dag.AttemptSucceeded || status == "SUCCEEDED" || earlier && status == "NEW" {
			continue
		}
		a.State, a.Diagnosis = dag.AttemptKilled, lostOutput
		v.table.Change(t.index)
		if earlier {
			t.retire(a, now)
		}
	}
}

// assumeSubmitted sets an unknown time of the submission: when the master started the DAG, or else an instant.
func (st *state) assumeSubmitted(at dag.Instant) {
	if !st.submitted.Known() {
		st.submitted = orNow(st.started, at)
	}
}

// endWith ends all attempts with the DAG.
func (st *state) endWith(state dag.State, at dag.Instant) {
	if state == dag.Succeeded {
		st.succeed(at)
	}
	st.killRunning(at)
}

// newMaster starts the work of a new master. It recovers succeeded attempts that were written down, and reuses the
// numbers of all others.
func (st *state) newMaster(at dag.Instant) {
	st.killRunning(at)
	st.endedMasters++
	for _, t := range st.tasks() {
		for i := range t.attempts {
			if a := &t.attempts[i]; !a.isRetired && a.State != dag.AttemptSucceeded {
				t.retire(a, at)
			}
		}
	}
}

// killRunning ends all running attempts, because their master is gone.
func (st *state) killRunning(at dag.Instant) {
	for v, t := range st.tasks() {
		for i := range t.attempts {
			if a := &t.attempts[i]; a.State == dag.AttemptRunning {
				a.State, a.End, a.Diagnosis = dag.AttemptKilled, at, masterGone
				v.table.Change(t.index)
			}
		}
	}
}

// succeed ends attempts of a succeeded DAG without an event of their end. For each task without a success, the newest
// running attempt becomes the successful one.
func (st *state) succeed(at dag.Instant) {
	for v, t := range st.tasks() {
		if t.has(dag.AttemptSucceeded) {
			continue
		}
		for i := range slices.Backward(t.attempts) {
			if a := &t.attempts[i]; a.State == dag.AttemptRunning {
				a.State, a.End, a.Ratio = dag.AttemptSucceeded, max(at, a.Start), 1
				v.table.Change(t.index)
				break
			}
		}
	}
}
