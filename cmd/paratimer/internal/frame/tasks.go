package frame

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// A Task is the state of a task of a job: its newest attempt, and its expected end. It is not in the JSON. Tasks of a
// stage that have not begun and are predicted to end together are one Task.
type Task struct {
	Name         string // of its attempt, or of the task or tasks if none has begun
	Phase        dag.StageIndex
	Index        int // of the first one
	Count        int
	Attempts     int // number of attempts that have begun
	State        string
	Node         *string
	StartSeconds *Seconds
	EndSeconds   *Seconds // observed or predicted
	Ratio        *Ratio   // the engine's own progress
	Critical     bool

	attempt    *dag.Attempt // the one that represents the task; nil if none has begun
	start, end dag.Instant  // observed or predicted
}

// TasksOf lists at most most tasks of a job: those that have begun, then pending ones, then done ones, each group with
// the latest end first. all is the length of the whole list.
type TasksOf func(job, most int) (tasks []Task, all int)

// tasks returns a function that lists a job's tasks, so that the list costs nothing until it is needed. The
// function keeps the snapshot and the schedule in memory.
func tasks(s *dag.Snapshot, next *future) TasksOf {
	return func(job, most int) (list []Task, all int) {
		if job < 0 || job >= len(s.Plan.Jobs) {
			return nil, 0
		}
		for k := range s.Plan.Jobs[job].NumStages() {
			list = append(list, tasksOf(s, next, job, k)...)
		}
		slices.SortStableFunc(list, func(x, y Task) int {
			return cmp.Or(cmp.Compare(x.rank(), y.rank()), cmp.Compare(y.end, x.end))
		})
		list = merged(list)
		all = len(list)
		list = list[:min(all, max(most, 0))]
		for i := range list {
			list[i].describe(s, job, next)
		}
		return list, all
	}
}

// merged makes one of pending tasks that follow each other in a list, are of one stage and end within the same second.
func merged(list []Task) []Task {
	out := list[:0]
	for _, t := range list {
		if n := len(out) - 1; n >= 0 && t.attempt == nil && out[n].attempt == nil && out[n].Phase == t.Phase &&
			out[n].end.Known() == t.end.Known() && out[n].end.Sub(t.end) < time.Second {
			out[n].Index, out[n].Count = min(out[n].Index, t.Index), out[n].Count+t.Count
			continue
		}
		out = append(out, t)
	}
	return out
}

// tasksOf returns the tasks of a stage: pending ones of a span as one.
func tasksOf(s *dag.Snapshot, next *future, job int, k dag.StageIndex) []Task {
	over := jobOver(s, job)
	list := begun(s.Attempts(job, k), k, over)
	started := len(list) // the tasks that have begun, by index; pending ones follow
	all := started
	add := func(first, count int, start, end dag.Instant) {
		pending := Task{Phase: k, start: start, end: end}
		for index := first; index < first+count; index++ {
			i, has := slices.BinarySearchFunc(list[:started], index, func(t Task, index int) int {
				return t.Index - index
			})
			if has {
				list[i].plan(start, end)
				continue
			}
			if pending.Count == 0 {
				pending.Index = index
			}
			pending.Count++
		}
		if all += pending.Count; pending.Count > 0 {
			list = append(list, pending)
		}
	}
	for _, sp := range next.planned[stageOf{job, k}] {
		if !over {
			add(int(sp.First), int(sp.Count), sp.Start, sp.End)
		}
	}
	if n := s.Plan.Jobs[job].Stages[k].Count(); all == started && n > all {
		// There is no plan for them: it is too early, or the job has ended.
		add(0, n, dag.NoInstant, dag.NoInstant)
	}
	return list
}

// jobOver reports whether a job has ended, or its query has.
func jobOver(s *dag.Snapshot, job int) bool {
	return s.State.Ended() || job < len(s.Jobs) && s.Jobs[job].State.Ended()
}

// rank sorts tasks that have begun first, then pending ones, then done ones.
func (t *Task) rank() int {
	switch {
	case t.done():
		return 2
	case t.attempt == nil:
		return 1
	}
	return 0
}

func (t *Task) done() bool { return t.attempt != nil && t.attempt.State == dag.AttemptSucceeded }

// begun returns the tasks with attempts, by index. The newest attempt represents a task that neither runs nor is done.
func begun(attempts []dag.Attempt, k dag.StageIndex, over bool) (list []Task) {
	dag.EachTask(attempts, func(task int, _ dag.TaskState, a *dag.Attempt) {
		all := dag.AttemptsOf(attempts, task)
		a = cmp.Or(a, &all[len(all)-1])
		t := Task{Phase: k, Index: task, Count: 1, Attempts: len(all), attempt: a, start: a.Start, end: dag.NoInstant}
		if over || t.done() {
			t.end = a.End
		}
		list = append(list, t)
	})
	return list
}

// plan sets a task's end from the schedule, if known; of two simultaneous attempts it is the earlier end.
func (t *Task) plan(start, end dag.Instant) {
	if t.done() || !end.Known() || t.end.Known() && t.end <= end {
		return
	}
	t.end = end
	if t.attempt.State != dag.AttemptRunning {
		t.start = start
	}
}

// describe sets what is shown of a task.
func (t *Task) describe(s *dag.Snapshot, job int, next *future) {
	id, origin, stage := stateOf(s, job).ID, s.Origin(), s.Plan.StageName(job, t.Phase)
	t.StartSeconds, t.EndSeconds = Since(t.start, origin), Since(t.end, origin)
	for _, sp := range next.critical[stageOf{job, t.Phase}] {
		in := int(sp.First) <= t.Index && t.Index < int(sp.First+sp.Count)
		t.Critical = t.Critical || in && !t.done() && !jobOver(s, job)
	}
	if a := t.attempt; a != nil {
		t.Name, t.State, t.Node, t.Ratio = a.Name(id, stage), a.State.String(), Text(machine(s, a)), RatioOf(a.Ratio)
		return
	}
	t.State = "pending"
	if t.Count > 1 {
		t.Name = units.Tasks(t.Count, stage)
		return
	}
	// Hadoop's name of a task is that of its attempts: task_1795222440184_0007_m_000006.
	a := dag.Attempt{Task: int32(t.Index)}
	t.Name = strings.TrimSuffix(a.Name(id, stage), "_0")
	if rest, ok := strings.CutPrefix(t.Name, "attempt_"); ok {
		t.Name = "task_" + rest
	}
}
