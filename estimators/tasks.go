package estimators

import (
	"sort"

	"github.com/paratimer/paratimer/dag"
)

// A taskState is the state of a task, derived from its attempts.
type taskState uint8

const (
	taskPending taskState = iota
	taskRunning
	taskDone
)

// stateOf returns the state of the first task of list, and the attempt that defines it: the one that succeeded, or
// the oldest running one (a younger one beside it is speculative).
func stateOf(list []dag.Attempt) (taskState, *dag.Attempt) {
	var running *dag.Attempt
	for i := range list {
		if list[i].Task != list[0].Task {
			break
		}
		switch list[i].State {
		case dag.AttemptSucceeded:
			return taskDone, &list[i]
		case dag.AttemptRunning:
			if running == nil {
				running = &list[i]
			}
		}
	}
	if running != nil {
		return taskRunning, running
	}
	return taskPending, nil
}

// eachTask calls visit once for each task that has an attempt, in order.
func eachTask(list []dag.Attempt, visit func(task int, state taskState, a *dag.Attempt)) {
	for i := 0; i < len(list); {
		next := i + 1
		for next < len(list) && list[next].Task == list[i].Task {
			next++
		}
		state, a := stateOf(list[i:next])
		visit(int(list[i].Task), state, a)
		i = next
	}
}

// attemptsOf returns the part of an ordered list that begins with the attempts of a task; nil if it has none.
func attemptsOf(list []dag.Attempt, task int) []dag.Attempt {
	i := sort.Search(len(list), func(i int) bool { return int(list[i].Task) >= task })
	if i == len(list) || int(list[i].Task) != task {
		return nil
	}
	return list[i:]
}

// find returns one attempt of an ordered list, nil if it is not there.
func find(list []dag.Attempt, task, number int32) *dag.Attempt {
	list = attemptsOf(list, int(task))
	for i := range list {
		if list[i].Task != task {
			break
		}
		if list[i].Number == number {
			return &list[i]
		}
	}
	return nil
}

// attempts returns the attempts of a job's stage, none if the snapshot does not have it: an engine may announce the
// stages of a job late.
func attempts(s *dag.Snapshot, job int, k dag.StageIndex) []dag.Attempt {
	if job >= len(s.Jobs) || int(k) >= len(s.Jobs[job].Stages) {
		return nil
	}
	return s.Jobs[job].Stages[k].Attempts
}
