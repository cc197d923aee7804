package hadoop

import (
	"cmp"
	"math"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// A task is what is known of one task: the line in its job's task list and its attempts.
type task struct {
	state      string
	start      dag.Instant
	finish     dag.Instant
	progress   float64
	success    int32 // number of the successful attempt, -1 none
	attempts   []dag.Attempt
	ranks      []int8      // of the attempts, by what answers have told
	node       int32       // where its best attempt ran, -1 unknown
	listedAt   dag.Instant // when the newest line of it was made
	reportedAt dag.Instant // when the newest answer about its attempts was made
	// The last ticks that asked for attempts, and for counters.
	reportedTick, countTick int
	settled                 bool // attempts and counters are as at its end
	reported                bool // its attempts are as its history tells: counters are all that may be missing
	recall                  bool // it was done and is not any more: its attempts must be asked again
	tries                   int  // answers after its end that brought nothing new
	doubts, drops           int  // answers in a row that went back, and counters
	master                  int  // the attempt of the master that told last

	out    output     // of a map
	groups groupCount // of a reduce
}

func newTask() *task {
	return &task{
		success: -1, node: -1, start: dag.NoInstant, finish: dag.NoInstant, listedAt: dag.NoInstant,
		reportedAt: dag.NoInstant,
	}
}

// triesAfterEnd bounds how often a finished task is asked of an AM before the history server is waited for.
const triesAfterEnd = 3

func (t *task) done() bool {
	return t.state == "SUCCEEDED" || t.state == "FAILED" || t.state == "KILLED"
}

// listed takes the task's line in a list and says whether anything changed. A list that is older than what the attempts
// told says nothing new; a line that goes back has its attempts asked first, where doubt is set.
func (t *task) listed(w *wireTask, at dag.Instant, doubt bool) bool {
	if t.reportedAt > at {
		return false
	}
	if doubt && t.back(w) && again(&t.doubts) {
		t.recall = true
		return false
	}
	t.listedAt = at
	was := *t
	t.state, t.start, t.finish, t.progress = string(w.State), w.Started.instant(), w.Finished.instant(),
		w.Progress.ratio()
	t.success = -1
	if _, _, n, ok := attemptID(string(w.Successful)); ok {
		t.success = n
	}
	if was.done() && !t.done() {
		t.settled, t.recall = false, true
	}
	changed := was.state != t.state || was.start != t.start || was.finish != t.finish || was.success != t.success ||
		was.progress != t.progress
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

// attempt returns the attempt of that number, made if needed.
func (t *task) attempt(index, number int32) *dag.Attempt {
	i, found := slices.BinarySearchFunc(t.attempts, number, func(a dag.Attempt, n int32) int {
		return cmp.Compare(a.Number, n)
	})
	if !found {
		t.attempts = slices.Insert(t.attempts, i, blank(index, number))
		t.ranks = slices.Insert(t.ranks, i, -1)
	}
	return &t.attempts[i]
}

func blank(index, number int32) dag.Attempt {
	nan := math.NaN()
	a := dag.Attempt{
		Task: index, Number: number, Slot: -1, Node: -1, Start: dag.NoInstant, End: dag.NoInstant,
		Out: nan, Bytes: nan, Ratio: nan, CopyEnd: dag.NoInstant, SortEnd: dag.NoInstant, FirstReport: dag.NoInstant,
	}
	for i := range a.Done {
		a.Done[i], a.Total[i] = nan, nan
	}
	none := dag.Mark{At: dag.NoInstant, Done: nan, Out: nan}
	a.First, a.Last = none, none
	return a
}

// report takes the answer about the task's attempts and returns what it says of the successful one; AttemptWaiting if
// nothing.
func (t *task) report(kind dag.StageIndex, index int32, b *attemptsBody, at dag.Instant,
	node func(string) int32,
) dag.AttemptState {
	seen, reported := false, dag.AttemptWaiting
	t.recall = false
	for i := range b.Attempts.v.Attempt {
		w := &b.Attempts.v.Attempt[i]
		k, x, n, ok := attemptID(string(w.ID))
		if !ok || k != kind || x != index {
			continue
		}
		seen = true
		a := t.attempt(index, n)
		t.rank(n, w.state())
		a.Start, a.End = w.Started.instant(), w.Finished.instant()
		if name := string(w.Node); name != "" {
			a.Node = node(name)
		}
		a.State = w.state()
		if !a.Start.Known() && a.State == dag.AttemptRunning {
			a.State = dag.AttemptWaiting
		}
		if a.State == dag.AttemptRunning || a.State == dag.AttemptWaiting {
			a.End = dag.NoInstant
		}
		if n == t.success {
			reported = a.State
		}
		if a.State == dag.AttemptFailed || a.State == dag.AttemptKilled {
			// Of these progress is 100 and the phases have ended, whatever they had done: what they told before stands.
			a.Diagnosis = string(w.Diagnostics)
			continue
		}
		a.Ratio, a.Diagnosis = w.Progress.ratio(), ""
		if kind == dag.Reduce {
			a.CopyEnd, a.SortEnd = w.CopyEnd.instant(), w.SortEnd.instant()
		}
	}
	newer := at >= t.listedAt
	if newer && (t.takenBack(reported) || t.unrecovered(kind, index, b)) {
		t.state, t.success, t.settled, t.tries = "SCHEDULED", -1, false, 0
	}
	if seen {
		t.forget(b, at)
	}
	if t.reportedAt = at; newer {
		reported = t.adopt(reported)
	}
	t.reconcile(at)
	return reported
}

// adopt takes the task's state from its attempts, which told later than the list: it may have started or ended since.
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

// forget stops attempts that the answer does not list: their master is gone, and the new one knows nothing of them.
func (t *task) forget(b *attemptsBody, at dag.Instant) {
	listed := make(map[int32]bool, len(b.Attempts.v.Attempt))
	for i := range b.Attempts.v.Attempt {
		if _, _, n, ok := attemptID(string(b.Attempts.v.Attempt[i].ID)); ok {
			listed[n] = true
		}
	}
	for i := range t.attempts {
		a := &t.attempts[i]
		if !listed[a.Number] && a.Number != t.success {
			stop(a, at)
		}
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

// reconcile brings the attempts in line with the task's own state, which its list told last, and says whether it had
// to. An answer about attempts may be missing or older than the list.
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
		// What the master calls unfinished has no result: the node with the output is lost, or the output cannot be
		// fetched.
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
	i := slices.IndexFunc(t.attempts, func(a dag.Attempt) bool { return a.Number == t.success })
	if i < 0 {
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
			// A speculative twin: the master kills it once the other one is done.
			a.State, a.End, changed = dag.AttemptKilled, t.finish, true
		}
	}
	return changed
}

// visible returns the attempts for a snapshot. A task whose attempts nobody has told stands in with its own times.
func (t *task) visible(index int32) []dag.Attempt {
	if len(t.attempts) > 0 {
		return t.attempts
	}
	a := blank(index, max(t.success, 0))
	a.Start, a.Ratio = t.start, t.progress
	switch t.state {
	case "RUNNING":
		a.State = dag.AttemptRunning
	case "SUCCEEDED":
		a.State, a.End, a.Ratio = dag.AttemptSucceeded, t.finish, 1
	case "FAILED":
		a.State, a.End = dag.AttemptFailed, t.finish
	case "KILLED":
		a.State, a.End = dag.AttemptKilled, t.finish
	default:
		return nil
	}
	return []dag.Attempt{a}
}

// stop ends an attempt that nobody runs any more, and says whether it had to.
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

// state is the attempt's state; one that runs without a start waits.
func (w *wireAttempt) state() dag.AttemptState {
	switch w.State {
	case "SUCCEEDED":
		return dag.AttemptSucceeded
	case "FAILED":
		return dag.AttemptFailed
	case "KILLED":
		return dag.AttemptKilled
	case "RUNNING", "COMMIT_PENDING":
		if w.Started.instant().Known() {
			return dag.AttemptRunning
		}
	}
	return dag.AttemptWaiting
}
