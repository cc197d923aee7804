package mapreduce

import (
	"errors"
	"fmt"

	"github.com/paratimer/paratimer/adapters/mrjob"
	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/dag"
)

// The user who wrote a job also controls its master's responses, so the tasks that ParaTimer keeps are bounded. A
// listed task takes about half a kilobyte in a source, and about as much again in each replay.
const (
	// fewTasks is the size up to which a master's count is accepted without a list. Workflows up to this size get
	// room before larger ones.
	fewTasks = 10_000
	// mostTasks bounds the tasks and attempts of one workflow.
	mostTasks = 200_000
	// roomTasks bounds those of all workflows of a process together.
	roomTasks = 500_000
	// overlongEach is the number of ticks between two requests for a list that was too long overlongMost times.
	// Before that the response may have been corrupted on the way.
	overlongEach, overlongMost = 20, 5
)

// A size is how many tasks a job has.
type size struct {
	counted  [2]int // tasks as the master counts them; -1 before its first response
	inList   [2]int // tasks in the newest list
	total    [2]int // tasks that are assumed; see bound
	overlong int    // lists in a row that were too long to be read
	dropped  bool   // its tasks are not kept
	listTick int    // 1 + the tick of the newest task list; 0 if it is to be requested
}

// known reports whether the numbers of the job's tasks are known.
func (z *size) known() bool { return z.counted[dag.Map] >= 0 }

// bound sets the totals from the master's counts. A master creates all tasks of a job at once, so its list is
// complete or still empty. If the list cannot be read, the counts are used.
func (z *size) bound() {
	if !z.known() {
		return
	}
	for k, counted := range z.counted {
		switch {
		case z.overlong > 0 || counted <= max(fewTasks, z.inList[k]):
			z.total[k] = counted
		case z.inList == [2]int{}:
			z.total[k] = fewTasks
		default:
			z.total[k] = z.inList[k]
		}
	}
}

// counts returns the numbers of maps and reduces in a list.
func (b *tasksBody) counts() (n [2]int) {
	for i := range b.Tasks.V.Task {
		if _, kind, _, ok := mrjob.TaskOf(string(b.Tasks.V.Task[i].ID)); ok {
			n[kind]++
		}
	}
	return n
}

// tasksHeld returns how many tasks and attempts of the job a source has to keep. A master may name other tasks in
// each list, and those of earlier lists are kept.
func (j *job) tasksHeld() int {
	n := 0
	for k := range j.phases {
		n += max(j.inList[k], j.phases[k].tasks.Len(), j.phases[k].tasks.Shown())
	}
	return n
}

// drop forgets the job's tasks.
func (j *job) drop() { j.phases, j.grouped, j.dropped = [2]phase{}, nil, true }

// isOverlong reports whether the task list is too long to be read. If a list was read before, the response may have
// been corrupted on the way, and the known tasks stay.
func (v *visit) isOverlong() bool {
	j := v.job
	if v.status.err != nil || !errors.Is(v.list.err, rest.ErrTooBig) || j.inList != [2]int{} {
		return false
	}
	j.overlong++
	j.bound()
	return true
}

// weigh decides whether the workflow is too large to estimate, and drops its tasks if so. Once it is small enough
// again, its lists are requested anew, so that the next tick has them.
func (s *Source) weigh() {
	n, unread, why := 0, "", ""
	for _, j := range s.member {
		n += j.tasksHeld()
		if j.overlong > 0 && !j.state.Ended() {
			unread = j.id
		}
	}
	switch {
	case n > mostTasks:
		s.hub.room.reserve(s.chosen, 0)
		why = fmt.Sprintf("it has %d tasks and attempts, and %d is the limit of a workflow", n, mostTasks)
	case !s.hub.room.reserve(s.chosen, n):
		why = fmt.Sprintf("it has %d tasks, the workflows of this process may have %d together, and others come first",
			n, roomTasks)
	case unread != "": // what is known of the other jobs stands
		s.large, s.relisted = fmt.Sprintf("the task list of %s is too long to be read", unread), false
		return
	case s.large == "":
		return
	case !s.relisted:
		s.relisted = true
		for _, j := range s.member {
			if j.dropped {
				j.listTick, j.dropped = 0, false
				j.step(listForgotten)
			}
		}
		return
	}
	s.large, s.relisted = why, false
	if why == "" {
		return
	}
	for _, j := range s.member {
		j.drop()
	}
}

// remarkLarge adds the warnings about numbers of tasks.
func (s *Source) remarkLarge() {
	if s.large != "" {
		s.warn(dag.WarnTooLarge, "too large to estimate: %s", s.large)
		return
	}
	for _, j := range s.member {
		for k, counted := range j.counted {
			if total := j.total[k]; counted > total {
				s.warn(dag.WarnObservation,
					"the master of %s counts %d %s tasks or more, its task list shows %d: %d is taken", j.id, counted,
					dag.MapReduceName(dag.StageIndex(k)), j.inList[k], total) //nolint:gosec // k is 0 or 1
			}
		}
	}
}
