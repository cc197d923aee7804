package spark

import (
	"strings"

	"github.com/paratimer/paratimer/dag"
)

const lostOutput = "what it wrote was lost with its executor"

// keepsOutput reports whether what tasks have written outlives their executor.
func (a *App) keepsOutput(e *executor) bool {
	return a.on("spark.shuffle.service.enabled") || strings.Contains(a.conf["spark.shuffle.manager"], ".") ||
		strings.Contains(e.reason, "killed by driver") || strings.Contains(e.reason, "decommission")
}

// markLost takes the success of attempts away whose output went with an executor and is still to be read.
func (a *App) markLost(s *stage, attempts []dag.Attempt) {
	t := s.newest()
	if t == nil || a.final(s) || !a.read(s) {
		return
	}
	lost := 0
	for i := range attempts {
		at := &attempts[i]
		if at.State != dag.AttemptSucceeded || at.Node < 0 {
			continue
		}
		e := a.executors[at.Node]
		if e.active || !e.removed.Known() || at.End > e.removed || a.keepsOutput(e) {
			continue
		}
		if s.done() && t.number > 0 && t.submitted > e.removed {
			continue // it has run again
		}
		at.State, at.Diagnosis = dag.AttemptKilled, lostOutput
		lost++
	}
	if t.number > 0 && !s.done() {
		a.reconcile(s, t, attempts)
	}
}

// read reports whether a stage is left that reads what s writes.
func (a *App) read(s *stage) bool {
	for _, id := range s.jobs {
		if j := a.jobs[id]; j != nil && !j.over() {
			return true
		}
	}
	return false
}

// reconcile makes as many tasks of a stage that is tried again open as the attempt has left.
func (a *App) reconcile(s *stage, t *try, attempts []dag.Attempt) {
	again := map[int32]bool{} // those of which the attempt has a task
	succeeded := map[int32]bool{}
	for _, k := range t.list {
		if i := s.indexOf(k.part); i >= 0 {
			again[i] = true
			if k.state == dag.AttemptSucceeded {
				succeeded[i] = true
			}
		}
	}
	old := 0 // tasks that the attempt does not have, and that have succeeded before
	for i := range attempts {
		if at := &attempts[i]; at.State == dag.AttemptSucceeded && !succeeded[at.Task] {
			if again[at.Task] {
				at.State, at.Diagnosis = dag.AttemptKilled, lostOutput
			} else {
				old++
			}
		}
	}
	surplus := old - (s.tasks - t.tasks)
	for i := len(attempts) - 1; i >= 0 && surplus > 0; i-- {
		if at := &attempts[i]; at.State == dag.AttemptSucceeded && !again[at.Task] {
			at.State, at.Diagnosis = dag.AttemptKilled, lostOutput
			surplus--
		}
	}
	for i := range attempts {
		if at := &attempts[i]; surplus < 0 && at.State == dag.AttemptKilled && at.Diagnosis == lostOutput &&
			!again[at.Task] {
			at.State, at.Diagnosis = dag.AttemptSucceeded, ""
			surplus++
		}
	}
}
