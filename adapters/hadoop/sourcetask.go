package hadoop

import (
	"github.com/paratimer/paratimer/dag"
)

// A task is what is known of one task: the line in its job's task list and its attempts.
type task struct {
	state    string
	start    dag.Instant
	finish   dag.Instant
	progress float64
	success  int32 // number of the successful attempt, -1 none
	attempts []dag.Attempt
	ranks    []int8      // of the attempts, by what answers have told
	node     int32       // where its best attempt ran, -1 unknown
	listedAt dag.Instant // when the newest line of it was made
	toldAt   dag.Instant // when the newest answer about its attempts was made
	// The last ticks that asked for attempts, and for counters.
	toldTick, countTick int
	settled             bool // attempts and counters are as at its end
	told                bool // its attempts are as its history tells: counters are all that may be missing
	recall              bool // it was done and is not any more: its attempts must be asked again
	tries               int  // answers after its end that brought nothing new
	doubts, drops       int  // answers in a row that went back, and counters
	master              int  // the attempt of the master that told last

	out    output     // of a map
	groups groupCount // of a reduce
}

func newTask() *task {
	return &task{success: -1, node: -1, start: dag.NoInstant, finish: dag.NoInstant, listedAt: dag.NoInstant, toldAt: dag.NoInstant}
}

// triesAfterEnd bounds how often a finished task is asked of an AM before the history server is waited for.
const triesAfterEnd = 3

func (t *task) done() bool {
	return t.state == "SUCCEEDED" || t.state == "FAILED" || t.state == "KILLED"
}

// listed takes the task's line in a list and says whether anything changed. A list that is older than what the attempts
// told says nothing new; a line that goes back has its attempts asked first, where doubt is set.
func (t *task) listed(w *wireTask, at dag.Instant, doubt bool) bool {
	if t.toldAt > at {
		return false
	}
	if doubt && t.back(w) && again(&t.doubts) {
		t.recall = true
		return false
	}
	t.listedAt = at
	was := *t
	t.state, t.start, t.finish, t.progress = string(w.State), w.Started.instant(), w.Finished.instant(), w.Progress.ratio()
	t.success = -1
	if _, _, n, ok := attemptID(string(w.Successful)); ok {
		t.success = n
	}
	if was.done() && !t.done() {
		t.settled, t.recall = false, true
	}
	changed := was.state != t.state || was.start != t.start || was.finish != t.finish || was.success != t.success || was.progress != t.progress
	if changed {
		t.tries = 0
	}
	return t.reconcile(at) || changed
}

// want says whether attempts and counters are worth a question.
func (t *task) want() bool {
	switch {
	case t.state == "RUNNING" || t.recall:
		return true
	case t.done():
		return !t.settled && t.tries < triesAfterEnd
	}
	return false
}
