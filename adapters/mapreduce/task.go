package mapreduce

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/dag"
)

// A line is a row of the job's task list.
type line struct {
	state         dag.AttemptState
	start, finish dag.Instant
	progress      float64
	success       int32 // number of the successful attempt, -1 none
}

// A task is the state of one task: its line in the job's task list, and its attempts.
type task struct {
	job   *job
	kind  dag.StageIndex
	index int32
	line
	attempts   []dag.Attempt
	listedAt   dag.Instant // when its newest line in a list was made
	reportedAt dag.Instant // when the newest response about its attempts was made

	reportedTick int  // 1 + the last tick with requests about it
	reported     bool // its attempts are complete by its history: only counters may be missing
	recall       bool // it was done and no longer is: its attempts must be requested again
	left         int  // responses that may be requested after its end; 0 once attempts and counters are final
}

func newTask(j *job, kind dag.StageIndex, index int32) *task {
	return &task{
		job: j, kind: kind, index: index,
		line: line{success: -1, start: dag.NoInstant, finish: dag.NoInstant}, listedAt: dag.NoInstant,
		reportedAt: dag.NoInstant, left: triesAfterEnd,
	}
}

// triesAfterEnd bounds the responses about a finished task that bring nothing new.
const triesAfterEnd = 3

// path returns the path of the task below the job's resource.
func (t *task) path() string {
	return fmt.Sprintf("/tasks/task_%s_%c_%06d", strings.TrimPrefix(t.job.id, "job_"), "mr"[t.kind], t.index)
}

func (t *task) done() bool { return t.state >= dag.AttemptSucceeded }

// listed processes the task's line in a list, and reports whether anything changed. It ignores a list that is older
// than the response about the attempts.
func (t *task) listed(w *wireTask, at dag.Instant) (changed bool) {
	if t.reportedAt > at {
		return false
	}
	t.listedAt = at
	was, hadEnded := t.line, t.done()
	t.line = line{attemptStates[string(w.State)], w.StartTime.Instant(), w.FinishTime.Instant(), w.Progress.Ratio(), -1}
	if _, _, n, ok := AttemptOf(string(w.SuccessfulAttempt)); ok {
		t.success = n
	}
	if was == t.line {
		return false
	}
	t.recall = t.recall || hadEnded && !t.done()
	if t.state != was.state || t.success != was.success {
		t.left = triesAfterEnd
	}
	t.reconcile(at)
	return true
}

// isDue reports whether the task's attempts and counters are worth a request.
func (t *task) isDue() bool {
	return t.state == dag.AttemptRunning || t.recall || t.done() && t.left > 0
}

// attempt returns the attempt with that number, and adds it if needed.
func (t *task) attempt(number int32) *dag.Attempt {
	i, found := slices.BinarySearchFunc(t.attempts, number, func(a dag.Attempt, n int32) int {
		return cmp.Compare(a.Number, n)
	})
	if !found {
		t.attempts = slices.Insert(t.attempts, i, dag.BlankAttempt(t.index, number))
	}
	return &t.attempts[i]
}

// report processes the response about the task's attempts. It returns the state of the successful attempt, or
// AttemptWaiting if the response does not list it.
func (t *task) report(list []wireAttempt, at dag.Instant, node func(string) int32) dag.AttemptState {
	listed, newest := map[int32]dag.AttemptState{}, int32(-1)
	t.recall = false
	for i := range list {
		w := &list[i]
		a := t.attempt(w.number)
		a.Start, a.End, a.State = w.StartTime.Instant(), w.FinishTime.Instant(), attemptStates[string(w.State)]
		if a.State == dag.AttemptRunning && !a.Start.Known() {
			a.State = dag.AttemptWaiting
		}
		listed[w.number], newest = a.State, max(newest, w.number)
		if name := string(w.NodeHTTPAddress); name != "" {
			a.Node = node(name)
		}
		if a.State == dag.AttemptFailed || a.State == dag.AttemptKilled {
			// Hadoop reports progress 100 and ended phases here, whatever was done: the earlier values stay.
			a.Diagnosis = string(w.Diagnostics)
			continue
		}
		if a.State != dag.AttemptSucceeded {
			a.End = dag.NoInstant
		}
		a.Ratio, a.Diagnosis = w.Progress.Ratio(), ""
		a.CopyEnd, a.SortEnd = w.CopyEnd.Instant(), w.SortEnd.Instant() // of a reduce
	}
	reported, kept := listed[t.success]
	isNewer := at >= t.listedAt
	isLost := reported == dag.AttemptKilled || reported == dag.AttemptFailed
	// The result is an older master's, and the current master did not recover it: it runs the task again.
	isLost = isLost || !kept && newest/1000 > t.success/1000
	if isNewer && isLost && t.state == dag.AttemptSucceeded && t.success >= 0 {
		t.state, t.success = dag.AttemptWaiting, -1
	}
	for i := range t.attempts {
		// The master of an attempt that is not listed is dead, and the new one did not recover the attempt.
		a := &t.attempts[i]
		if _, found := listed[a.Number]; !found && a.Number != t.success && len(listed) > 0 {
			stop(a, at)
		}
	}
	if t.reportedAt = at; isNewer && !t.done() {
		reported = t.adopt(reported)
	}
	t.reconcile(at)
	return reported
}

// adopt takes the unfinished task's state from attempts that were reported after the list: it may have started or
// ended since.
func (t *task) adopt(reported dag.AttemptState) dag.AttemptState {
	for i := range t.attempts {
		switch a := &t.attempts[i]; a.State {
		case dag.AttemptSucceeded:
			t.state, t.success, t.finish, t.left = a.State, a.Number, a.End, triesAfterEnd
			return a.State
		case dag.AttemptRunning:
			if t.state != a.State {
				t.state, t.start = a.State, a.Start
			}
		}
	}
	return reported
}

// restart stops the attempts, and lets the task wait for a new one.
func (t *task) restart(at dag.Instant) {
	t.state, t.success = dag.AttemptWaiting, -1
	for i := range t.attempts {
		stop(&t.attempts[i], at)
	}
}

// best returns the attempt that the task's progress and counters belong to (TaskImpl.selectBestAttempt,
// facts/hadoop.md A4).
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

// reconcile adjusts the attempts to the task's state in the newest list. A response about attempts may be missing or
// older than the list.
func (t *task) reconcile(at dag.Instant) {
	hasResult := slices.ContainsFunc(t.attempts, func(a dag.Attempt) bool { return a.Number == t.success })
	for i := range t.attempts {
		a := &t.attempts[i]
		isEnded := a.State == dag.AttemptFailed || a.State == dag.AttemptKilled
		switch {
		case t.state == dag.AttemptSucceeded && a.Number == t.success && a.State != dag.AttemptSucceeded:
			a.State, a.Ratio, a.Diagnosis = dag.AttemptSucceeded, 1, ""
			a.Start, a.End = dag.FirstKnown(a.Start, t.start), t.finish
		case t.state == dag.AttemptSucceeded && hasResult && a.Number != t.success && !isEnded:
			// A speculative attempt: the master kills it once the other one is done.
			a.State, a.End = dag.AttemptKilled, t.finish
		case t.done():
		case a.State == dag.AttemptSucceeded:
			// An unfinished task has no result: the node with the output is lost, or the output cannot be fetched.
			a.State, a.Diagnosis = dag.AttemptKilled, cmp.Or(a.Diagnosis, "its output is lost: it must run again")
		case a.State == dag.AttemptRunning && t.state != dag.AttemptRunning:
			stop(a, at)
		}
	}
}

// show appends the attempts of a task for a snapshot. If none was reported, it makes one from the task's own times.
func show(to []dag.Attempt, _ int32, t *task) []dag.Attempt {
	if len(t.attempts) > 0 {
		return append(to, t.attempts...)
	}
	a := dag.BlankAttempt(t.index, max(t.success, 0))
	if a.Start, a.Ratio, a.State = t.start, t.progress, t.state; a.State == dag.AttemptWaiting {
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

// stop ends an attempt that no longer runs.
func stop(a *dag.Attempt, at dag.Instant) {
	switch a.State {
	case dag.AttemptRunning, dag.AttemptWaiting, dag.AttemptSucceeded:
		a.State, a.End = dag.AttemptKilled, dag.FirstKnown(a.End, at)
		a.Diagnosis = cmp.Or(a.Diagnosis, "its new master lacks it: it must run again")
	}
}

// attemptStates are the states of tasks and attempts by Hadoop's names. Others are waiting.
var attemptStates = map[string]dag.AttemptState{
	"RUNNING": dag.AttemptRunning, "COMMIT_PENDING": dag.AttemptRunning, "SUCCEEDED": dag.AttemptSucceeded,
	"FAILED": dag.AttemptFailed, "KILLED": dag.AttemptKilled,
}
