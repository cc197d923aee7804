package spark

import (
	"cmp"
	"math"
	"slices"

	"github.com/paratimer/paratimer/adapters/internal/tasktable"
	"github.com/paratimer/paratimer/dag"
)

// A progress is what is reported about an attempt of a stage.
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

// taskAt returns a task of a stage attempt, or nil if there are too many. isNew reports that taskAt has added it.
func (f *facts) taskAt(t *try, id int) (k *task, isNew bool) {
	at := len(t.list)
	if at > 0 && t.list[at-1].id >= id {
		var found bool
		at, found = slices.BinarySearchFunc(t.list, id, func(k *task, id int) int { return cmp.Compare(k.id, id) })
		if found {
			return t.list[at], false
		}
	}
	if f.tooLarge = f.tooLarge || f.tasks >= mostTasks; f.tasks >= mostTasks || id < 0 {
		return nil, false
	}
	f.tasks++
	k = newTask(t, id)
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
func (k *task) observe(in, read, out float64, at dag.Instant) {
	if !k.FirstReport.Known() {
		k.FirstReport = at
	}
	k.Done[0], k.read, k.Out = in, read, out
	tasktable.Mark(&k.Attempt, 0, at)
}

// running returns the running tasks of a stage attempt.
func (t *try) running() []*task {
	return only(t.list, func(k *task) bool { return k.State == dag.AttemptRunning })
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
