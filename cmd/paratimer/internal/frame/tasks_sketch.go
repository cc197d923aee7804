package frame

import (
	"cmp"
	"math"
	"slices"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/schedule"
)

// A sketch is what tasks are ordered by.
type sketch struct {
	kind     dag.StageIndex
	index    int32
	attempts int32
	a        *dag.Attempt // the one that stands for the task; nil where none has begun
	start    dag.Instant
	end      dag.Instant // seen or predicted
}

// rank puts unfinished tasks first: those whose end is known, then those whose end nobody tells.
func (t *sketch) rank() int {
	switch {
	case t.done():
		return 2
	case !t.end.Known():
		return 1
	}
	return 0
}

func (t *sketch) done() bool { return t.a != nil && t.a.State == dag.AttemptSucceeded }

// begun is one sketch a task that has attempts, by index.
func begun(attempts []dag.Attempt, k dag.StageIndex, over bool) []sketch {
	var list []sketch
	for i := range attempts {
		a := &attempts[i]
		if n := len(list); n == 0 || list[n-1].index != a.Task {
			list = append(list, sketch{kind: k, index: a.Task, start: dag.NoInstant, end: dag.NoInstant})
		}
		t := &list[len(list)-1]
		t.attempts++
		if t.a == nil || weight(a) >= weight(t.a) {
			t.a, t.start = a, a.Start
		}
	}
	for i := range list {
		if t := &list[i]; over || t.done() {
			t.end = t.a.End
		}
	}
	return list
}

// within is the part of a list by index that lies in [first, last).
func within(list []sketch, first, last int32) []sketch {
	at := func(index int32) int {
		i, _ := slices.BinarySearchFunc(list, index, func(t sketch, v int32) int { return cmp.Compare(t.index, v) })
		return i
	}
	return list[at(first):at(last)]
}

// pending appends the tasks after like.index, count of them, that are not among those that have begun: at most so many.
func pending(list, begun []sketch, like sketch, count, most int) []sketch {
	for end := like.index + int32(min(count, math.MaxInt32-int(like.index))); like.index < end &&
		most > 0; like.index++ {
		if len(begun) > 0 && begun[0].index == like.index {
			begun = begun[1:]
			continue
		}
		list = append(list, like)
		most--
	}
	return list
}

// plan gives a task the end that the schedule tells: of two attempts at once, the first one's.
func (t *sketch) plan(sp *schedule.Span) {
	if t.done() || t.end.Known() && t.end <= sp.End {
		return
	}
	t.end = sp.End
	if t.a.State != dag.AttemptRunning {
		t.start = sp.Start
	}
}

// weight says which attempt stands for its task: one that has succeeded, else one that runs, else the newest.
func weight(a *dag.Attempt) int {
	switch a.State {
	case dag.AttemptSucceeded:
		return 2
	case dag.AttemptRunning:
		return 1
	}
	return 0
}
