package dag

import "sort"

// A TaskState is the state of a task, derived from its attempts.
type TaskState uint8

// The states of a task.
const (
	TaskPending TaskState = iota
	TaskRunning
	TaskDone
)

// StateOf returns the state of a task with these attempts, and the attempt that defines it: the one that succeeded, or
// the oldest running one (a younger one beside it is speculative).
func StateOf(list []Attempt) (TaskState, *Attempt) {
	var running *Attempt
	for i := range list {
		switch list[i].State {
		case AttemptSucceeded:
			return TaskDone, &list[i]
		case AttemptRunning:
			if running == nil {
				running = &list[i]
			}
		}
	}
	if running != nil {
		return TaskRunning, running
	}
	return TaskPending, nil
}

// EachTask calls visit once for each task that has an attempt, in order.
func EachTask(list []Attempt, visit func(task int, state TaskState, a *Attempt)) {
	for i := 0; i < len(list); {
		next := i + 1
		for next < len(list) && list[next].Task == list[i].Task {
			next++
		}
		state, a := StateOf(list[i:next])
		visit(int(list[i].Task), state, a)
		i = next
	}
}

// AttemptsOf returns the attempts of a task in a list that is ordered by task; none if it has none.
func AttemptsOf(list []Attempt, task int) []Attempt {
	from := sort.Search(len(list), func(i int) bool { return int(list[i].Task) >= task })
	to := from
	for to < len(list) && int(list[to].Task) == task {
		to++
	}
	return list[from:to]
}

// FindAttempt returns one attempt of a list that is ordered by task; nil if it is not there.
func FindAttempt(list []Attempt, task, number int32) *Attempt {
	of := AttemptsOf(list, int(task))
	for i := range of {
		if of[i].Number == number {
			return &of[i]
		}
	}
	return nil
}

// Attempts returns the attempts of a job's stage, ordered by task and number. It returns none if the snapshot does not
// have the stage: an engine may announce the stages of a job late.
func (s *Snapshot) Attempts(job int, k StageIndex) []Attempt {
	if job >= len(s.Jobs) || int(k) >= len(s.Jobs[job].Stages) {
		return nil
	}
	return s.Jobs[job].Stages[k].Attempts
}

// JobEnded reports whether a job has ended, so that none of its unknown work remains.
func (s *Snapshot) JobEnded(job int) bool { return job < len(s.Jobs) && s.Jobs[job].State.Ended() }
