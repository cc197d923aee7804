package tez

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// This file changes the state of a DAG: apply by events, report and reportVertex by responses of the master's web
// service, newMaster and endWith after the end of a master or of the DAG. state.go changes counters, and event.go the
// settings that a log has.

// apply applies an event that was read at an instant. It ignores events of other DAGs, and invalid ones.
func (st *state) apply(e *event, now dag.Instant) {
	v := st.vertexOf(e.Entity)
	switch kind := e.Kind; {
	case kind == appConfigured && e.Config != nil:
		st.settings = *e.Config
	case kind == "AM_LAUNCHED":
		st.boot = boot{launched: e.at()} // of a new master, if there was one before
	case kind == "AM_STARTED":
		st.boot.ready = e.at()
	case kind == "CONTAINER_LAUNCHED":
		if len(st.launched) < mostContainers {
			st.launched[e.Entity] = e.at()
		}
	case e.Entity == st.id:
		st.applyToDAG(e)
	case v != nil && kind == "VERTEX_STARTED":
		v.hasStarted = true
	case v != nil && (kind == "VERTEX_INITIALIZED" || kind == "VERTEX_CONFIGURE_DONE"):
		v.rename(e.VertexName)
		if e.NumTasks != nil && *e.NumTasks >= 0 {
			v.setTasks(e.NumTasks.Count(dag.MaxTasks), true)
		}
	default:
		if k, ok := parseID(e.Entity, "attempt", st.id, 3); ok {
			st.applyToAttempt(k, e, now)
		}
	}
}

func (st *state) applyToDAG(e *event) {
	switch e.Kind {
	case "DAG_SUBMITTED":
		if e.at().Known() && (!st.submitted.Known() || e.at() < st.submitted) {
			st.submitted = e.at()
		}
		if e.DAGPlan != nil {
			st.applyPlan(e.DAGPlan)
		}
	case "DAG_STARTED":
		st.started = e.at()
	case "DAG_FINISHED":
		if state, ended := yarn.EndStates[string(e.Status)]; ended {
			st.final, st.finished, st.diagnosis = state, e.end(), dagReason(string(e.Diagnostics))
		}
	}
}

// Bounds of a plan.
const (
	mostEdges  = 100_000
	mostInputs = 100
)

// applyPlan applies the DAG's plan.
func (st *state) applyPlan(b *planBody) {
	if st.hasPlan || len(b.Vertices) == 0 {
		return
	}
	st.hasPlan = true
	pig := st.title.pig
	byName := map[text]*vertex{}
	for i := range b.Vertices[:min(len(b.Vertices), mostVertices)] {
		w := &b.Vertices[i]
		v := st.vertexAt(int32(i)) //nolint:gosec // G115: bounded above
		v.rename(w.VertexName)
		v.sources, byName[w.VertexName] = nil, v
		pig = pig || strings.HasSuffix(string(w.ProcessorClass), ".PigProcessor")
		for _, in := range w.AdditionalInputs {
			name := dag.Clean(string(in.Name))
			if name != "" && !slices.Contains(st.inputs, name) && len(st.inputs) < mostInputs {
				st.inputs = append(st.inputs, name)
			}
		}
	}
	slices.Sort(st.inputs)
	for _, e := range b.Edges[:min(len(b.Edges), mostEdges)] {
		if from, to := byName[e.InputVertexName], byName[e.OutputVertexName]; from != nil && to != nil && from != to {
			to.sources = append(to.sources, source{vertex: from, movement: string(e.DataMovementType)})
		}
	}
	st.title = titleOf(st.id, b)
	st.title.pig = st.title.pig || pig
}

func (v *vertex) rename(name text) { v.name = cmp.Or(dag.Clean(string(name)), v.name) }

// setTasks sets the number of tasks. Snapshots show only attempts of tasks below it.
func (v *vertex) setTasks(n int, known bool) {
	if v.tasks != n || v.hasTasks != known {
		v.tasks, v.hasTasks = n, known
		v.table.ChangeAll()
	}
}

// reportVertex applies an entry of the master's web service.
func (st *state) reportVertex(w *wireVertex) {
	v := st.vertexOf(string(w.ID))
	if v == nil {
		return
	}
	if w.TotalTasks >= 0 && w.TotalTasks <= dag.MaxTasks {
		v.setTasks(int(w.TotalTasks), true)
	} else {
		v.setTasks(v.tasks, false)
	}
	v.running, v.succeeded = w.RunningTasks.Count(dag.MaxTasks), w.SucceededTasks.Count(dag.MaxTasks)
	v.ended = w.FailedTaskAttempts.Count(dag.MaxTasks) + w.KilledTaskAttempts.Count(dag.MaxTasks)
	st.started = dag.FirstKnown(st.started, w.InitTime.Instant())
}

func (st *state) applyToAttempt(k attemptKey, e *event, now dag.Instant) {
	a := st.find(k)
	switch e.Kind {
	case "TASK_ATTEMPT_STARTED":
		st.startAttempt(k, a, e)
	case "TASK_ATTEMPT_FINISHED":
		status, ended := attemptStates[e.Status]
		if !ended || a == nil && !e.StartTime.Instant().Known() {
			return // it was never launched
		}
		v, a := st.attempt(k)
		if a == nil {
			return
		}
		v.endAttempt(a, status, e.StartTime.Instant(), e.end(), reason(string(e.Diagnostics)))
		if a.firstInContainer {
			st.setup(a, e.AllocationTime.Instant())
		}
		v.countFinal(a, e, now)
	case "TASK_FINISHED":
		if a != nil {
			st.vertices[k.vertex].countFinal(a, e, now)
		}
	}
}

// startAttempt records that an attempt runs in a container. a is nil if it is new.
func (st *state) startAttempt(k attemptKey, a *attempt, e *event) {
	isReused := a != nil && isLaterMaster(string(e.ContainerID), a.container)
	if isReused && e.at().Known() && e.at() >= a.Start {
		a.lose(e.at()) // a new master has lost it and reuses its number
		a.masterNumber = retired
	}
	if _, a = st.attempt(k); a == nil || a.container != "" {
		return
	}
	if a.State == dag.AttemptWaiting {
		a.State = dag.AttemptRunning // otherwise its end is already known
	}
	a.Start = dag.FirstKnown(e.at(), a.Start)
	a.Node, a.container = st.room.NodeIndex(string(e.NodeID)), string(e.ContainerID)
	slot, isUsed := st.slots[a.container]
	if !isUsed {
		if a.container == "" || len(st.slots) >= mostContainers {
			return
		}
		slot = int32(len(st.slots)) //nolint:gosec // G115: bounded
		st.slots[a.container] = slot
		// A container that an earlier DAG has left was not launched for this one.
		launched, isKnown := st.launched[a.container]
		if a.firstInContainer = isKnown && launched.Known() && launched >= st.submitted; a.firstInContainer {
			st.setup(a, launched)
		}
	}
	a.Slot = slot
}

// setup records the set-up time of the container of its first attempt. A later, more accurate value replaces it.
func (st *state) setup(a *attempt, from dag.Instant) {
	if from.Known() && a.Start.Known() && a.Start >= from {
		st.setups[a.container] = float64(a.Start - from)
	}
}

const (
	lostOutput = "its output is lost: it must run again"
	masterGone = "its master is gone"
)

// endAttempt records how an attempt ended, and when. Another success of the same task has lost its output, or that
// output was not accepted.
func (v *vertex) endAttempt(a *attempt, status dag.AttemptState, start, end dag.Instant, why string) {
	a.State, a.Diagnosis = status, why
	a.Start, a.End = dag.FirstKnown(start, a.Start), dag.FirstKnown(end, a.End)
	if status != dag.AttemptSucceeded {
		return
	}
	a.Ratio, a.Diagnosis = 1, ""
	for i, all := 0, v.table.Find(a.Task).attempts; i < len(all); i++ {
		if o := &all[i]; o.Number != a.Number && o.State == dag.AttemptSucceeded {
			o.lose(end)
		}
	}
}

// lose ends an attempt that counts as running or succeeded, because its master or its output is lost.
func (a *attempt) lose(at dag.Instant) {
	switch a.State {
	case dag.AttemptRunning:
		a.State, a.End, a.Diagnosis = dag.AttemptKilled, max(at, a.Start), masterGone
	case dag.AttemptSucceeded:
		a.State, a.Diagnosis = dag.AttemptKilled, lostOutput
	}
}

// mostReportsAfterEnd bounds the requests for an attempt that has ended.
const mostReportsAfterEnd = 2

// report applies an entry of the master's web service. before is the time of the previous poll.
func (st *state) report(w *wireAttempt, before, now dag.Instant) {
	k, ok := parseID(string(w.ID), "attempt", st.id, 3)
	status, ended := attemptStates[w.Status]
	runs := w.Status == "RUNNING"
	if !ok || st.find(k) == nil && !runs && !ended {
		return // it waits or is being launched
	}
	v, a := st.attempt(k)
	if a == nil {
		return
	}
	if ended && a.State != status { // it may have started and ended between two polls
		v.endAttempt(a, status, dag.FirstKnown(a.Start, before), dag.FirstKnown(a.End, now), a.Diagnosis)
	} else if runs && a.State == dag.AttemptWaiting {
		a.State = dag.AttemptRunning
	}
	if a.State == dag.AttemptRunning {
		a.Start = dag.FirstKnown(a.Start, now)
	}
	c := counters(w.Counters[taskCounters])
	if len(c) == 0 {
		c = nil
	}
	v.count(a, c, false, now)
	switch {
	case a.State == dag.AttemptRunning:
		a.Ratio = math.NaN()
		// Processors that report no progress show 0. Pig's do, and Hive's with a cached table.
		if w.Progress > 0 || w.Progress == 0 && !st.title.pig && !(a.Done[0] > 0) {
			a.Ratio = min(float64(w.Progress), 1)
		}
	case ended && c != nil:
		a.reportsLeft = 0
	case ended:
		a.reportsLeft = max(0, a.reportsLeft-1)
	}
}

// loseOutputs ends the successes of a task that the master lists as not succeeded. In a new master a task is NEW until
// the master has read the task's earlier end.
func (v *vertex) loseOutputs(t *task, status string, now dag.Instant) {
	for i := range t.attempts {
		a := &t.attempts[i]
		if a.State != dag.AttemptSucceeded || status == "SUCCEEDED" || a.isRecovered && status == "NEW" {
			continue
		}
		v.table.Change(a.Task)
		if a.lose(now); a.isRecovered {
			a.masterNumber = retired
		}
	}
}

// newMaster starts the work of a new master. It recovers succeeded attempts that were written down, and reuses the
// numbers of all others.
func (st *state) newMaster(number int, at dag.Instant) {
	st.masters = max(st.masters, 1, number)
	for v, t := range st.tasks() {
		for i := range t.attempts {
			a := &t.attempts[i]
			if a.isRecovered = a.State == dag.AttemptSucceeded; !a.isRecovered {
				a.lose(at)
				a.masterNumber = retired
				v.table.Change(a.Task)
			}
		}
	}
}

// endWith ends the attempts that still run at the end of the DAG, because their master has gone. For each task without
// a success in a succeeded DAG, the newest running attempt becomes the successful one.
func (st *state) endWith(state dag.State, at dag.Instant) {
	for v, t := range st.tasks() {
		isMissing := state == dag.Succeeded && !t.has(dag.AttemptSucceeded)
		for i := range slices.Backward(t.attempts) {
			a := &t.attempts[i]
			if a.State != dag.AttemptRunning {
				continue
			}
			v.table.Change(a.Task)
			if a.lose(at); isMissing {
				a.State, a.Ratio, a.Diagnosis = dag.AttemptSucceeded, 1, ""
				isMissing = false
			}
		}
	}
}
