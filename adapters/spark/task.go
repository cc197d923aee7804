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
	complete             int // tasks that have succeeded, by the driver's count
	runMS                float64
	status               string
	submitted, completed dag.Instant
	failure              string
	push                 bool    // its shuffle is pushed
	settled              bool    // none of its tasks runs any more
	list                 []*task // by id
	open                 []*task // those that run, and some that ran
	succeeded, confirmed int     // tasks of list that have succeeded; confirmed excludes guesses
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
	guessed      bool // how and when it ended is a guess
	changed      bool // since the last snapshot
	placed       bool // the table of its stage has a row for it
	isOpen       bool // it is in open of its try
	why          string
	in, read     float64 // records
	out          float64
	first, last  dag.Mark
	report       dag.Instant
	impliedSince dag.Instant // when a later event implied its end; NoInstant if none did
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

// taskAt returns a task of an attempt of a stage; nil if there are too many. isNew says that it was not known.
func (f *facts) taskAt(t *try, id int) (k *task, isNew bool) {
	at, found := t.find(id)
	if found {
		return t.list[at], false
	}
	if f.tasks >= mostTasks {
		f.dropped = true
		return nil, false
	}
	f.tasks++
	k = newTask(t, id)
	t.list, t.settled = slices.Insert(t.list, at, k), false
	t.stage.fresh = append(t.stage.fresh, k)
	k.become(dag.AttemptRunning, false)
	return k, true
}

// become sets how a task stands.
func (k *task) become(state dag.AttemptState, guessed bool) {
	k.count(-1)
	k.state, k.guessed = state, guessed
	k.count(1)
	if t := k.try; state == dag.AttemptRunning && !k.isOpen {
		t.open, k.isOpen = append(t.open, k), true
	}
	k.change()
}

// count adds a task to the counts of its try, or takes it away.
func (k *task) count(n int) {
	if k.state == dag.AttemptSucceeded {
		if k.try.succeeded += n; !k.guessed {
			k.try.confirmed += n
		}
	}
}

// change notes that the row of a task in its stage's table is to be made anew.
func (k *task) change() {
	if !k.changed {
		k.changed = true
		k.try.stage.table.changed = append(k.try.stage.table.changed, k)
	}
}

// identify sets which task it is an attempt of, when it was launched, and where.
func (k *task) identify(part int, launch dag.Instant, executor int) {
	if k.placed && (int(k.part) != part || k.launch != launch) {
		k.try.stage.table.moved = true
	}
	//nolint:gosec // G115: bounded by Number.ID and mostExecutors
	k.part, k.launch, k.executor = int32(part), launch, int32(executor)
	k.change()
}

// progress takes counters that were seen at an instant.
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

// running returns the tasks of an attempt that run.
func (t *try) running() []*task {
	t.open = slices.DeleteFunc(t.open, func(k *task) bool {
		k.isOpen = k.state == dag.AttemptRunning
		return !k.isOpen
	})
	return t.open
}

// ended reports whether all tasks of an attempt have succeeded, and when the last one did.
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

// byLaunch orders tasks by when they began.
func byLaunch(x, y *task) int {
	return cmp.Or(cmp.Compare(x.launch, y.launch), cmp.Compare(x.id, y.id))
}
