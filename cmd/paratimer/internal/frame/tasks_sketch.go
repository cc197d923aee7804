package frame

import (
	"cmp"
	"math"
	"slices"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/schedule"
)

// A sketch has the data by which tasks are sorted.
type sketch struct {
	kind     dag.StageIndex
	index    int32
	attempts int32
	a        *dag.Attempt // the attempt that represents the task; nil if none has begun
	start    dag.Instant
	end      dag.Instant // observed or predicted
}

// rank sorts unfinished tasks with a known end first, then those with an unknown end, then done ones.
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

// begun returns one sketch for each task with attempts, by index.
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

// within returns the part of a list sorted by index that lies in [first, last).
func within(list []sketch, first, last int32) []sketch {
	at := func(index int32) int {
		i, _ := slices.BinarySearchFunc(list, index, func(t sketch, v int32) int { return cmp.Compare(t.index, v) })
		return i
	}
	return list[at(first):at(last)]
}

// pending appends at most most of the count tasks from like.index on that are not in begun.
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

// plan sets a task's end from the schedule; of two simultaneous attempts it is the earlier end.
func (t *sketch) plan(sp *schedule.Span) {
	if t.done() || t.end.Known() && t.end <= sp.End {
		return
	}
	t.end = sp.End
	if t.a.State != dag.AttemptRunning {
		t.start = sp.Start
	}
}

// weight ranks a task's attempts: one that succeeded represents the task, else a running one, else the newest.
func weight(a *dag.Attempt) int {
	switch a.State {
	case dag.AttemptSucceeded:
		return 2
	case dag.AttemptRunning:
		return 1
	}
	return 0
}
