package spark

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/adapters/internal/events"
	"github.com/paratimer/paratimer/adapters/internal/input"
	"github.com/paratimer/paratimer/dag"
)

// A progress is a report about an attempt of a stage.
type progress struct {
	tasks                int
	complete             int // succeeded tasks, by the driver's count
	runMS                float64
	status               string
	submitted, completed dag.Instant
}

// A try is one attempt of a stage.
type try struct {
	progress
	stage   *stage
	number  int
	failure string
	push    bool    // push-based shuffle is on
	settled bool    // none of its tasks runs any more
	list    []*task // by id
	window  window
}

// A task is one attempt of a task, with the counters as they are reported: Done[0] has the records that were read, Out
// those that were written.
type task struct {
	dag.Attempt
	try          *try
	id           int
	part         int32 // its partition; -1 none
	core         coreUse
	guessed      bool        // the end state and time are a guess
	read         float64     // records of a shuffle
	impliedSince dag.Instant // when a later event implied the end; NoInstant if none did
}

func newTask(t *try, id int) *task {
	k := &task{
		Attempt: dag.BlankAttempt(-1, 0), try: t, id: id, part: -1, core: unused, read: math.NaN(),
		impliedSince: dag.NoInstant,
	}
	k.State = dag.AttemptRunning
	return k
}

// taskAt returns a task of a stage attempt; one that is not kept if the id is invalid or there are too many. isNew
// reports that taskAt has added it.
func (f *facts) taskAt(t *try, id int) (k *task, isNew bool) {
	at := len(t.list)
	if at > 0 && t.list[at-1].id >= id {
		var found bool
		at, found = slices.BinarySearchFunc(t.list, id, func(k *task, id int) int { return cmp.Compare(k.id, id) })
		if found {
			return t.list[at], false
		}
	}
	k = newTask(t, id)
	if f.tooLarge = f.tooLarge || f.tasks >= mostTasks; f.tasks >= mostTasks || id < 0 {
		return k, false
	}
	f.tasks++
	t.list, t.settled = slices.Insert(t.list, at, k), false
	t.stage.fresh = append(t.stage.fresh, k)
	return k, true
}

// become sets the state of a task.
func (k *task) become(state dag.AttemptState, guessed bool) {
	k.State, k.guessed = state, guessed
	k.change()
}

// change records that the attempts of the task's stage have changed.
func (k *task) change() { k.try.stage.table.changed = true }

// identify sets the partition, launch time and executor of a task.
func (k *task) identify(part int, launch dag.Instant, executor int) {
	//nolint:gosec // G115: bounded by Number.ID and mostExecutors
	k.part, k.Start, k.Node = int32(part), launch, int32(executor)
	k.change()
}

// observe records counters that were observed at an instant.
func (k *task) observe(m *wireMetrics, at dag.Instant) {
	k.FirstReport = dag.FirstKnown(k.FirstReport, at)
	k.Done[0], k.read, k.Out = float64(m.Input.Records), float64(m.Read.Records), m.written()
	events.Mark(&k.Attempt, 0, at)
}

// running returns the running tasks of a stage attempt.
func (t *try) running() []*task {
	return input.Only(t.list, func(k *task) bool { return k.State == dag.AttemptRunning })
}

// ended reports whether all tasks of a stage attempt have succeeded, and when the last one ended.
func (t *try) ended() (last dag.Instant, all bool) {
	if last = dag.NoInstant; t.tasks == 0 || len(t.list) < t.tasks {
		return last, false
	}
	done := map[int32]bool{}
	for _, k := range t.list {
		if k.State == dag.AttemptSucceeded && !k.guessed {
			done[k.part], last = true, max(last, k.End)
		}
	}
	return last, len(done) >= t.tasks
}

// byLaunch orders tasks by launch time.
func byLaunch(x, y *task) int {
	return cmp.Or(cmp.Compare(x.Start, y.Start), cmp.Compare(x.id, y.id))
}

// A table has the attempts of a stage's tasks as snapshots show them.
type table struct {
	shown      []dag.Attempt   // by the newest snapshot
	basis      [8]any          // the inputs of shown other than the tasks
	changed    bool            // a task has changed since
	partitions []int32         // by index of the task; -1 none
	indices    map[int32]int32 // of partitions whose number is not their index
	free       int             // all smaller indices have a partition
	filled     map[int32]*task // by index: ended tasks that no list has shown
}

// attempts returns the attempts of a stage's tasks, by task and number. Those that seem to run when the application has
// stopped were killed then. Snapshots share the attempts until a fact of the stage changes.
func (f *facts) attempts(s *stage, now, stopped dag.Instant) []dag.Attempt {
	t := &s.table
	of := [...]any{s.newest().progress, s.tasks, len(s.tries), s.status, s.final(), s.read(), f.changes, stopped}
	if !t.changed && t.basis == of {
		return t.shown
	}
	rows := s.rows(now)
	t.shown, t.basis, t.changed = make([]dag.Attempt, len(rows)), of, false
	for i, k := range rows {
		at := &t.shown[i]
		if *at = k.attempt(now); stopped.Known() && at.State == dag.AttemptRunning {
			at.State, at.End = dag.AttemptKilled, max(at.Start, stopped)
		}
		if i > 0 && k.Task == rows[i-1].Task {
			at.Number = t.shown[i-1].Number + 1
		}
		// A later snapshot shows more of a task with times after this one.
		t.changed = t.changed || max(k.Start, k.End, k.FirstReport, k.First.At, k.Last.At) > now
	}
	f.markLost(s, rows, t.shown)
	return t.shown
}

// rows returns the tasks that have an index, with those that no list has shown, by index and launch time.
func (s *stage) rows(now dag.Instant) []*task {
	var rows []*task
	for _, t := range s.tries {
		for _, k := range t.list {
			if k.Task = s.indexOf(k.part); k.Task >= 0 && k.Start.Known() {
				rows = append(rows, k)
			}
		}
	}
	rows = append(rows, s.fill(rows, now)...)
	slices.SortStableFunc(rows, byRow)
	return rows
}

// indexOf returns the index of a partition among the tasks of a stage. A job may compute only some partitions, and a
// retried stage numbers its remaining tasks anew. It returns -1 if the stage has fewer tasks by the newest response.
func (s *stage) indexOf(part int32) int32 {
	t := &s.table
	i, found := t.indices[part]
	for len(t.partitions) < s.tasks {
		t.partitions = append(t.partitions, -1)
	}
	if !found {
		if i = part; i < 0 || int(i) >= len(t.partitions) || t.partitions[i] != -1 && t.partitions[i] != part {
			for t.free < len(t.partitions) && t.partitions[t.free] != -1 {
				t.free++
			}
			i = int32(t.free) //nolint:gosec // G115: bounded by mostTasks
		}
	}
	if int(i) >= s.tasks {
		return -1
	}
	if t.partitions[i] = part; i != part {
		t.indices[part] = i
	}
	return i
}

func byRow(x, y *task) int { return cmp.Or(cmp.Compare(x.Task, y.Task), byLaunch(x, y)) }

// attempt returns the task as a snapshot shows it, without its number.
func (k *task) attempt(now dag.Instant) dag.Attempt {
	at, blank := k.Attempt, dag.BlankAttempt(k.Task, 0)
	at.Start, at.End, at.FirstReport = min(at.Start, now), dag.NoInstant, min(at.FirstReport, now)
	at.First.At, at.Last.At = min(at.First.At, now), min(at.Last.At, now)
	if at.Slot = k.core.core; k.guessed && !k.impliedSince.Known() {
		at.Slot = -1 // a guessed task has no known core
	}
	running := k.State == dag.AttemptRunning
	if !running {
		at.End = max(min(k.End, now, k.until()), at.Start)
	}
	if !running || k.read > 0 {
		at.Done, at.First, at.Last = blank.Done, blank.First, blank.Last
	}
	switch {
	case k.State == dag.AttemptSucceeded && !k.guessed:
		at.Done[0] = positive(k.Done[0]) + positive(k.read)
	case running && k.read > 0:
		// A task that has fetched its input reports the input's size, but not the part that it has processed.
		at.Total[0], at.Out = positive(k.Done[0])+k.read, blank.Out
	case !running:
		at.Out = blank.Out
	}
	return at
}

// fill returns tasks that have succeeded although no list has shown them: as many as the driver counts, at the lowest
// indices without one of the listed tasks.
func (s *stage) fill(listed []*task, now dag.Instant) []*task {
	t, done, missing := s.newest(), s.done(), s.newest().complete
	if done {
		missing = s.tasks
	}
	have, busy := make([]bool, s.tasks), make([]bool, s.tasks)
	for _, k := range listed {
		switch {
		case k.State == dag.AttemptSucceeded:
			if done && !have[k.Task] || !done && k.try == t {
				missing--
			}
			have[k.Task] = true
		case k.State == dag.AttemptRunning && k.try == t:
			busy[k.Task] = !done
		}
	}
	filled := s.table.filled
	maps.DeleteFunc(filled, func(i int32, _ *task) bool { return int(i) >= s.tasks || have[i] })
	missing -= len(filled)
	for i := int32(0); int(i) < s.tasks && missing > 0; i++ {
		if have[i] || filled[i] != nil || busy[i] {
			continue
		}
		filled[i] = t.unlisted(i, now)
		missing--
	}
	return slices.Collect(maps.Values(filled))
}

// unlisted returns a succeeded task of a try that no list has shown. Its duration is the mean of the attempt.
func (t *try) unlisted(index int32, now dag.Instant) *task {
	k := newTask(t, -1)
	k.Task, k.State, k.guessed, k.End = index, dag.AttemptSucceeded, true, now
	if t.stage.done() && t.completed.Known() {
		k.End = min(t.completed, now)
	}
	k.Start = k.End - dag.Instant(min(t.runMS/float64(max(t.complete, 1)), 1<<40))
	k.Start = min(max(k.Start, t.submitted), k.End)
	return k
}

const lostOutput = "its output was lost with its executor"

// markLost marks succeeded attempts as killed if their output was lost with an executor, and the task has run again or
// the output is still needed. rows are their tasks.
func (f *facts) markLost(s *stage, rows []*task, attempts []dag.Attempt) {
	if s.final() {
		return
	}
	t, read := s.newest(), s.read()
	for i := range attempts {
		at := &attempts[i]
		if at.State != dag.AttemptSucceeded || at.Node < 0 || f.all[at.Node].active {
			continue
		}
		e := f.all[at.Node]
		ranAgain := i+1 < len(attempts) && at.Task == attempts[i+1].Task && at.End <= attempts[i+1].Start
		replaced := s.done() && t.number > 0 && t.submitted > e.removed
		if ranAgain || read && !replaced && e.removed.Known() && at.End <= e.removed && !f.keepsOutput(e) {
			lose(at)
		}
	}
	if read && t.number > 0 && !s.done() {
		s.reconcile(rows, attempts)
	}
}

// keepsOutput reports whether the output of tasks outlives their executor.
func (f *facts) keepsOutput(e *executor) bool {
	return f.conf.on("spark.shuffle.service.enabled") || strings.Contains(f.conf["spark.shuffle.manager"], ".") ||
		e.killed() || strings.Contains(e.reason, "decommission")
}

// lose marks an attempt as killed although it had completed its work.
func lose(at *dag.Attempt) { at.State, at.Diagnosis, at.Ratio = dag.AttemptKilled, lostOutput, 1 }

// reconcile adjusts the number of open tasks of a retried stage to the number that the new attempt still has to run.
func (s *stage) reconcile(rows []*task, attempts []dag.Attempt) {
	t := s.newest()
	again := map[int32]bool{} // the tasks in the new attempt; true if they have succeeded
	for _, k := range rows {
		if k.try == t && k.id >= 0 {
			again[k.Task] = again[k.Task] || k.State == dag.AttemptSucceeded
		}
	}
	var old, lost []*dag.Attempt // of tasks that are not in the new attempt
	for i := range attempts {
		at := &attempts[i]
		switch succeeded, is := again[at.Task]; {
		case at.State == dag.AttemptSucceeded && is && !succeeded:
			lose(at)
		case is:
		case at.State == dag.AttemptSucceeded:
			old = append(old, at)
		case at.State == dag.AttemptKilled && at.Diagnosis == lostOutput:
			lost = append(lost, at)
		}
	}
	kept := max(0, s.tasks-t.tasks)
	for i, at := range append(old, lost...) {
		at.State, at.Diagnosis, at.Ratio = dag.AttemptSucceeded, "", math.NaN()
		if i >= kept {
			lose(at)
		}
	}
}
