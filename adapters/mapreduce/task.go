package mapreduce

import (
	"cmp"
	"slices"

	"github.com/paratimer/paratimer/adapters/mrjob"
	"github.com/paratimer/paratimer/dag"
)

// A line is what the job's task list shows of a task.
type line struct {
	state         string
	start, finish dag.Instant
	progress      float64
	success       int32 // number of the successful attempt, -1 none
}

// A task is the state of one task: its line in the job's task list, and its attempts.
type task struct {
	line
	attempts   []dag.Attempt
	ranks      []int8      // of the attempts, as responses reported them; -1 if none did
	node       int32       // where its best attempt ran, -1 unknown
	listedAt   dag.Instant // when its newest line in a list was made
	reportedAt dag.Instant // when the newest response about its attempts was made
	// 1 + the last ticks with requests for attempts, and for counters.
	reportedTick, countTick int
	settled                 bool // attempts and counters are final
	reported                bool // its attempts are complete by its history: only counters may be missing
	recall                  bool // it was done and no longer is: its attempts must be requested again
	tries                   int  // responses after its end that brought nothing new
	doubts, drops           int  // responses in a row that went back: about attempts, and counters
	master                  int  // number of the master that responded last
	failed                  int  // failed attempts in the newest snapshot

	out    output           // of a map
	groups mrjob.GroupCount // of a reduce
}

func newTask() *task {
	return &task{
		line: line{success: -1, start: dag.NoInstant, finish: dag.NoInstant}, node: -1, listedAt: dag.NoInstant,
		reportedAt: dag.NoInstant,
	}
}

// triesAfterEnd bounds the responses about a finished task that bring nothing new.
const triesAfterEnd = 3

func (t *task) done() bool {
	return t.state == "SUCCEEDED" || t.state == "FAILED" || t.state == "KILLED"
}

// listed processes the task's line in a list, and reports whether anything changed. It ignores a list that is older
// than the response about the attempts. If doubt is set and the line goes back, the attempts are requested first.
func (t *task) listed(w *wireTask, at dag.Instant, doubt bool) bool {
	if t.reportedAt > at {
		return false
	}
	if doubt && t.back(w) && again(&t.doubts) {
		t.recall = true
		return false
	}
	t.listedAt = at
	was, hadEnded := t.line, t.done()
	t.line = line{string(w.State), w.Started.Instant(), w.Finished.Instant(), w.Progress.Ratio(), -1}
	if _, _, n, ok := mrjob.AttemptOf(string(w.Successful)); ok {
		t.success = n
	}
	if hadEnded && !t.done() {
		t.settled, t.recall = false, true
	}
	changed := was != t.line
	if changed {
		t.tries = 0
	}
	return t.reconcile(at) || changed
}

// isDue reports whether the task's attempts and counters are worth a request.
func (t *task) isDue() bool {
	switch {
	case t.state == "RUNNING" || t.recall:
		return true
	case t.done():
		return !t.settled && t.tries < triesAfterEnd
	}
	return false
}

// find returns the place of the attempt with that number, or where it would be.
func (t *task) find(number int32) (i int, found bool) {
	return slices.BinarySearchFunc(t.attempts, number, func(a dag.Attempt, n int32) int {
		return cmp.Compare(a.Number, n)
	})
}

// attempt returns the attempt with that number, and adds it if needed.
func (t *task) attempt(index, number int32) *dag.Attempt {
	i, found := t.find(number)
	if !found {
		t.attempts = slices.Insert(t.attempts, i, dag.BlankAttempt(index, number))
		t.ranks = slices.Insert(t.ranks, i, -1)
	}
	return &t.attempts[i]
}

// report processes the response about the task's attempts. It returns the state of the successful attempt, or
// AttemptWaiting if the response does not list it.
func (t *task) report(kind dag.StageIndex, index int32, b *attemptsBody, at dag.Instant,
	node func(string) int32,
) dag.AttemptState {
	seen, reported := false, dag.AttemptWaiting
	t.recall = false
	for n, w := range b.of(kind, index) {
		seen = true
		a := t.attempt(index, n)
		i, _ := t.find(n)
		t.ranks[i] = rank[w.state()]
		a.Start, a.End, a.State = w.Started.Instant(), w.Finished.Instant(), w.state()
		if name := string(w.Node); name != "" {
			a.Node = node(name)
		}
		if a.State == dag.AttemptRunning || a.State == dag.AttemptWaiting {
			a.End = dag.NoInstant
		}
		if n == t.success {
			reported = a.State
		}
		if a.State == dag.AttemptFailed || a.State == dag.AttemptKilled {
			// Hadoop reports progress 100 and ended phases here, whatever was done: the earlier values stay.
			a.Diagnosis = string(w.Diagnostics)
			continue
		}
		a.Ratio, a.Diagnosis = w.Progress.Ratio(), ""
		if kind == dag.Reduce {
			a.CopyEnd, a.SortEnd = w.CopyEnd.Instant(), w.SortEnd.Instant()
		}
	}
	newer := at >= t.listedAt
	if newer && (t.takenBack(reported) || t.unrecovered(kind, index, b)) {
		t.state, t.success, t.settled, t.tries = "SCHEDULED", -1, false, 0
	}
	if seen {
		t.forget(kind, index, b, at)
	}
	if t.reportedAt = at; newer {
		reported = t.adopt(reported)
	}
	t.reconcile(at)
	return reported
}

// adopt takes the task's state from attempts that were reported after the list: it may have started or ended since.
func (t *task) adopt(reported dag.AttemptState) dag.AttemptState {
	if t.done() {
		return reported
	}
	for i := range t.attempts {
		switch a := &t.attempts[i]; a.State {
		case dag.AttemptSucceeded:
			t.state, t.success, t.finish, t.tries = "SUCCEEDED", a.Number, a.End, 0
			return a.State
		case dag.AttemptRunning:
			if t.state != "RUNNING" {
				t.state, t.start = "RUNNING", a.Start
			}
		}
	}
	return reported
}

// forget stops attempts that the response does not list: their master is gone, and the new one did not recover
// them.
func (t *task) forget(kind dag.StageIndex, index int32, b *attemptsBody, at dag.Instant) {
	listed := map[int32]bool{t.success: true}
	for n := range b.of(kind, index) {
		listed[n] = true
	}
	for i := range t.attempts {
		if a := &t.attempts[i]; !listed[a.Number] {
			stop(a, at)
		}
	}
}

// restart stops the attempts, and lets the task wait for a new one.
func (t *task) restart(at dag.Instant) {
	t.state, t.success, t.settled = "SCHEDULED", -1, false
	for i := range t.attempts {
		stop(&t.attempts[i], at)
		t.ranks[i] = -1
	}
}

// best returns the attempt that the task's progress and counters belong to (TaskImpl.selectBestAttempt,
// docs/facts/hadoop.md A4).
func (t *task) best() *dag.Attempt {
	var best *dag.Attempt
	for i := range t.attempts {
		a := &t.attempts[i]
		if a.Number == t.success {
			return a
		}
		if a.State == dag.AttemptFailed || a.State == dag.AttemptKilled {
			continue
		}
		if best == nil || a.Ratio > best.Ratio {
			best = a
		}
	}
	return best
}

// reconcile adjusts the attempts to the task's state in the newest list, and reports whether it changed any. A
// response about attempts may be missing or older than the list.
func (t *task) reconcile(at dag.Instant) bool {
	changed := false
	if t.state == "SUCCEEDED" && t.success >= 0 {
		changed = t.succeed()
	}
	if t.done() || t.state == "" {
		return changed
	}
	if t.state != "RUNNING" {
		for i := range t.attempts {
			if a := &t.attempts[i]; a.State == dag.AttemptRunning {
				changed = stop(a, at) || changed
			}
		}
	}
	for i := range t.attempts {
		// An unfinished task has no result: the node with the output is lost, or the output cannot be fetched.
		if a := &t.attempts[i]; a.State == dag.AttemptSucceeded {
			a.State, changed = dag.AttemptKilled, true
			if a.Diagnosis == "" {
				a.Diagnosis = "its output is lost: it must run again"
			}
		}
	}
	return changed
}

func (t *task) succeed() bool {
	i, found := t.find(t.success)
	if !found {
		return false
	}
	changed := false
	for j := range t.attempts {
		a := &t.attempts[j]
		switch {
		case j == i && a.State != dag.AttemptSucceeded:
			a.State, a.End, a.Ratio, a.Diagnosis, changed = dag.AttemptSucceeded, t.finish, 1, "", true
			if !a.Start.Known() {
				a.Start = t.start
			}
		case j != i && (a.State == dag.AttemptRunning || a.State == dag.AttemptWaiting ||
			a.State == dag.AttemptSucceeded):
			// A speculative attempt: the master kills it once the other one is done.
			a.State, a.End, changed = dag.AttemptKilled, t.finish, true
		}
	}
	return changed
}

// show appends the attempts for a snapshot. If none was reported, it makes one from the task's own times.
func (t *task) show(to []dag.Attempt, index int32) []dag.Attempt {
	if len(t.attempts) > 0 {
		return append(to, t.attempts...)
	}
	a := dag.BlankAttempt(index, max(t.success, 0))
	if a.Start, a.Ratio, a.State = t.start, t.progress, attemptStates[t.state]; a.State == dag.AttemptWaiting {
		return to
	}
	if t.done() {
		a.End = t.finish
	}
	if a.State == dag.AttemptSucceeded {
		a.Ratio = 1
	}
	return append(to, a)
}

// stop ends an attempt that no longer runs, and reports whether it changed the attempt.
func stop(a *dag.Attempt, at dag.Instant) bool {
	switch a.State {
	case dag.AttemptRunning, dag.AttemptWaiting, dag.AttemptSucceeded:
	default:
		return false
	}
	a.State = dag.AttemptKilled
	if !a.End.Known() {
		a.End = at
	}
	if a.Diagnosis == "" {
		a.Diagnosis = "its master has forgotten it: it must run again"
	}
	return true
}

// attemptStates are the states of tasks and attempts by Hadoop's names. Others are waiting.
var attemptStates = map[string]dag.AttemptState{
	"RUNNING": dag.AttemptRunning, "COMMIT_PENDING": dag.AttemptRunning, "SUCCEEDED": dag.AttemptSucceeded,
	"FAILED": dag.AttemptFailed, "KILLED": dag.AttemptKilled,
}

// state returns the attempt's state. A running attempt without a start counts as waiting.
func (w *wireAttempt) state() dag.AttemptState {
	state := attemptStates[string(w.State)]
	if state == dag.AttemptRunning && !w.Started.Instant().Known() {
		return dag.AttemptWaiting
	}
	return state
}
