package spark

import (
	"math"
	"strings"

	"github.com/paratimer/paratimer/dag"
)

const lostOutput = "what it wrote was lost with its executor"

// keepsOutput reports whether the output of tasks outlives their executor.
func (f *tables) keepsOutput(e *executor) bool {
	return f.conf.on("spark.shuffle.service.enabled") || strings.Contains(f.conf["spark.shuffle.manager"], ".") ||
		e.killed() || strings.Contains(e.reason, "decommission")
}

// markLost marks succeeded attempts as killed if their output was lost with an executor and is still needed.
func (f *tables) markLost(s *stage, attempts []dag.Attempt) {
	if t := s.newest(); t == nil || t.number == 0 && !f.anyLost {
		return
	}
	for i := 1; i < len(attempts); i++ {
		at, again := &attempts[i-1], &attempts[i]
		if at.State == dag.AttemptSucceeded && at.Task == again.Task && at.End <= again.Start && at.Node >= 0 &&
			!f.all[at.Node].active && !f.final(s) {
			lose(at) // the task has run again
		}
	}
	t := s.newest()
	if t == nil || f.final(s) || !f.read(s) {
		return
	}
	for i := range attempts {
		at := &attempts[i]
		if at.State != dag.AttemptSucceeded || at.Node < 0 {
			continue
		}
		e := f.all[at.Node]
		if e.active || !e.removed.Known() || at.End > e.removed || f.keepsOutput(e) {
			continue
		}
		if s.done() && t.number > 0 && t.submitted > e.removed {
			continue // the task has run again
		}
		lose(at)
	}
	if t.number > 0 && !s.done() {
		f.reconcile(s, t, attempts)
	}
}

// lose marks an attempt as killed although it had completed its work.
func lose(at *dag.Attempt) { at.State, at.Diagnosis, at.Ratio = dag.AttemptKilled, lostOutput, 1 }

// reconcile adjusts the number of open tasks of a retried stage to the number that the new attempt still has to run.
func (f *tables) reconcile(s *stage, t *try, attempts []dag.Attempt) {
	again := map[int32]bool{} // tasks that are in the new attempt
	succeeded := map[int32]bool{}
	for _, k := range t.list {
		if i := s.indexOf(k.part); i >= 0 {
			again[i] = true
			if k.state == dag.AttemptSucceeded {
				succeeded[i] = true
			}
		}
	}
	old := 0 // tasks that succeeded in earlier attempts only
	for i := range attempts {
		if at := &attempts[i]; at.State == dag.AttemptSucceeded && !succeeded[at.Task] {
			if again[at.Task] {
				lose(at)
			} else {
				old++
			}
		}
	}
	surplus := old - (s.tasks - t.tasks)
	for i := len(attempts) - 1; i >= 0 && surplus > 0; i-- {
		if at := &attempts[i]; at.State == dag.AttemptSucceeded && !again[at.Task] {
			lose(at)
			surplus--
		}
	}
	for i := range attempts {
		if at := &attempts[i]; surplus < 0 && at.State == dag.AttemptKilled && at.Diagnosis == lostOutput &&
			!again[at.Task] {
			at.State, at.Diagnosis, at.Ratio = dag.AttemptSucceeded, "", math.NaN()
			surplus++
		}
	}
}
