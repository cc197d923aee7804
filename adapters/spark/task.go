package spark

import (
	"cmp"
	"math"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// A try is one attempt of a stage.
type try struct {
	stage                *stage
	number               int
	tasks                int
	complete             int // succeeded tasks, by the driver's count
	runMS                float64
	status               string
	submitted, completed dag.Instant
	failure              string
	push                 bool    // push-based shuffle is on
	settled              bool    // none of its tasks runs any more
	list                 []*task // by id
	open                 []*task // running tasks, and some that have ended
	succeeded, confirmed int     // succeeded tasks of list; confirmed excludes guesses
	window               window
}

// A task is one attempt of a task.
type task struct {
	try          *try
	id           int
	part, index  int32 // its partition, and the task's index in the stage; -1 none
	executor     int32 // index of the executor, -1 unknown
	core         coreUse
	launch, end  dag.Instant
	state        dag.AttemptState
	guessed      bool // the end state and time are a guess
	changed      bool // since the last snapshot
	placed       bool // the table of its stage has a row for the task
	isOpen       bool // the task is in open of its try
	why          string
	in, read     float64 // records
	out          float64
	first, last  dag.Mark
	report       dag.Instant
	impliedSince dag.Instant // when a later event implied the end; NoInstant if none did
}

func newTask(t *try, id int) *task {
	nan := math.NaN()
	none := dag.Mark{At: dag.NoInstant, Done: nan, Out: nan}
	return &task{
		try: t, id: id, part: -1, index: -1, executor: -1, core: unused, launch: dag.NoInstant, end: dag.NoInstant,
		state: dag.AttemptRunning, in: nan, read: nan, out: nan, first: none, last: none, report: dag.NoInstant,
		impliedSince: dag.NoInstant,
	}
}

func (t *try) find(id int) (at int, found bool) {
	if n := len(t.list); n == 0 || t.list[n-1].id < id {
		return n, false
	}
	return slices.BinarySearchFunc(t.list, id, func(k *task, id int) int { return cmp.Compare(k.id, id) })
}

// taskAt returns a task of a stage attempt, or nil if there are too many. isNew reports that taskAt has added it.
func (f *facts) taskAt(t *try, id int) (k *task, isNew bool) {
	if id < 0 {
		return nil, false
	}
	at, found := t.find(id)
	if found {
		return t.list[at], false
	}
	if f.tasks >= mostTasks {
		f.tooLarge = true
		return nil, false
	}
	f.tasks++
	k = newTask(t, id)
	t.list, t.settled = slices.Insert(t.list, at, k), false
	t.stage.fresh = append(t.stage.fresh, k)
	k.become(dag.AttemptRunning, false)
	return k, true
}

// become sets the state of a task.
func (k *task) become(state dag.AttemptState, guessed bool) {
	k.count(-1)
	k.state, k.guessed = state, guessed
	k.count(1)
	if t := k.try; state == dag.AttemptRunning && !k.isOpen {
		t.open, k.isOpen = append(t.open, k), true
	}
	k.change()
}

// count adds n to the counters of succeeded tasks if the task has succeeded.
func (k *task) count(n int) {
	if k.state == dag.AttemptSucceeded {
		if k.try.succeeded += n; !k.guessed {
			k.try.confirmed += n
		}
	}
}

// change marks the task's row in the stage's table for a rebuild.
func (k *task) change() {
	if !k.changed {
		k.changed = true
		k.try.stage.table.changed = append(k.try.stage.table.changed, k)
	}
}

// identify sets the partition, launch time and executor of a task.
func (k *task) identify(part int, launch dag.Instant, executor int) {
	if k.placed && (int(k.part) != part || k.launch != launch) {
		k.try.stage.table.moved = true
	}
	//nolint:gosec // G115: bounded by Number.ID and mostExecutors
	k.part, k.launch, k.executor = int32(part), launch, int32(executor)
	k.change()
}

// progress records counters that were observed at an instant.
func (k *task) progress(in, read, out float64, at dag.Instant) {
	if !k.report.Known() {
		k.report = at
	}
	k.in, k.read, k.out = in, read, out
	if !(in > 0) && !(out > 0) {
		return
	}
	mark := dag.Mark{At: at, Done: in, Out: out}
	switch {
	case !k.first.At.Known():
		k.first, k.last = mark, mark
	case k.last.Done != in || k.last.Out != out:
		k.last = mark
	}
}

// running returns the running tasks of a stage attempt.
func (t *try) running() []*task {
	t.open = slices.DeleteFunc(t.open, func(k *task) bool {
		k.isOpen = k.state == dag.AttemptRunning
		return !k.isOpen
	})
	return t.open
}

// ended reports whether all tasks of a stage attempt have succeeded, and when the last one ended.
func (t *try) ended() (last dag.Instant, all bool) {
	if last = dag.NoInstant; t.tasks == 0 || t.confirmed < t.tasks {
		return last, false
	}
	done := map[int32]bool{}
	for _, k := range t.list {
		if k.state == dag.AttemptSucceeded && !k.guessed {
			done[k.part], last = true, max(last, k.end)
		}
	}
	return last, len(done) >= t.tasks
}

// byLaunch orders tasks by launch time.
func byLaunch(x, y *task) int {
	return cmp.Or(cmp.Compare(x.launch, y.launch), cmp.Compare(x.id, y.id))
}
