// Package events has what the readers of events share: the tasks of a stage with the attempts that snapshots show, the
// plan while it stays the same, and the correction of a log's times if the clock was set while the log was written.
package events

import (
	"cmp"
	"iter"
	"maps"
	"math"
	"reflect"
	"slices"
	"sort"

	"github.com/paratimer/paratimer/dag"
)

// A Table has the tasks of a stage by index. Snapshots share the attempts until a task changes. The table then copies
// them and rebuilds only the attempts of changed tasks. The zero Table is empty. It is not safe for concurrent use.
type Table[T any] struct {
	rows     []row[T] // by index
	changed  []int32  // indices of rows with the flag
	attempts []dag.Attempt
}

type row[T any] struct {
	index   int32
	changed bool // since Attempts
	task    *T
}

func (t *Table[T]) find(index int32) (at int, found bool) {
	if n := len(t.rows); n == 0 || t.rows[n-1].index < index {
		return n, false
	}
	return slices.BinarySearchFunc(t.rows, index, func(r row[T], i int32) int { return cmp.Compare(r.index, i) })
}

// Find returns the task with an index, or nil.
func (t *Table[T]) Find(index int32) *T {
	if i, found := t.find(index); found {
		return t.rows[i].task
	}
	return nil
}

// Add adds a task, which counts as changed. The table must have no task with this index.
func (t *Table[T]) Add(index int32, task *T) {
	i, _ := t.find(index)
	t.rows = slices.Insert(t.rows, i, row[T]{index, true, task})
	t.changed = append(t.changed, index)
}

// Len returns the number of tasks.
func (t *Table[T]) Len() int { return len(t.rows) }

// Shown returns the number of attempts that the newest snapshot shows.
func (t *Table[T]) Shown() int { return len(t.attempts) }

// All yields the tasks by index.
func (t *Table[T]) All() iter.Seq2[int32, *T] {
	return func(yield func(int32, *T) bool) {
		for i := range t.rows {
			if !yield(t.rows[i].index, t.rows[i].task) {
				return
			}
		}
	}
}

// Change records that the attempts of a task have changed since Attempts. It ignores an unknown index.
func (t *Table[T]) Change(index int32) {
	if i, found := t.find(index); found && !t.rows[i].changed {
		t.rows[i].changed = true
		t.changed = append(t.changed, index)
	}
}

// ChangeAll records that the attempts of all tasks have changed.
func (t *Table[T]) ChangeAll() {
	t.changed = t.changed[:0]
	for i := range t.rows {
		t.rows[i].changed = true
		t.changed = append(t.changed, t.rows[i].index)
	}
}

// Mark records a report of an attempt's counters, with its pipeline of records: First and Last move only if Done or Out
// has changed.
func Mark(a *dag.Attempt, pipeline int, at dag.Instant) {
	mark := dag.Mark{At: at, Done: a.Done[pipeline], Out: a.Out}
	same := func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
	switch {
	case !(mark.Done > 0 || mark.Out > 0):
	case !a.First.At.Known():
		a.First, a.Last = mark, mark
	case !same(mark.Done, a.Last.Done) || !same(mark.Out, a.Last.Out):
		a.Last = mark
	}
}

// Plan returns the newest plan of a source: the old one if nothing has changed, so that readers can compare pointers.
func Plan(old, now *dag.Plan) *dag.Plan {
	if old != nil && reflect.DeepEqual(old, now) {
		return old
	}
	return now
}

// Peak returns the largest sum that changes add up to.
func Peak(changes map[dag.Instant]int) int {
	sum, most := 0, 0
	for _, at := range slices.Sorted(maps.Keys(changes)) {
		sum += changes[at]
		most = max(most, sum)
	}
	return most
}

// Attempts returns the attempts of all tasks, by task. The returned slice is never changed afterwards. show appends
// the attempts of a task, all with its index, by number. It may call Change for a task to be shown again next time.
func (t *Table[T]) Attempts(show func(to []dag.Attempt, index int32, task *T) []dag.Attempt) []dag.Attempt {
	if len(t.changed) == 0 {
		return t.attempts
	}
	changed := t.changed
	t.changed = nil
	slices.Sort(changed)
	old := t.attempts
	out := make([]dag.Attempt, 0, len(old)+len(changed))
	for _, index := range changed {
		i := sort.Search(len(old), func(i int) bool { return old[i].Task >= index })
		out, old = append(out, old[:i]...), old[i:]
		for len(old) > 0 && old[0].Task == index {
			old = old[1:]
		}
		at, _ := t.find(index)
		t.rows[at].changed = false
		out = show(out, index, t.rows[at].task)
	}
	t.attempts = append(out, old...)
	return t.attempts
}
