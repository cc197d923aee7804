package mapreduce

import (
	"fmt"

	"github.com/paratimer/paratimer/adapters/internal/tasktable"
	"github.com/paratimer/paratimer/dag"
)

// The user who wrote a job also controls its master's responses, so the tasks that ParaTimer keeps are bounded. A
// listed task takes about half a kilobyte in a source, and about as much again in each replay.
const (
	// fewTasks is the size up to which a master's count is accepted without a list. Workflows of more tasks leave a
	// part of the room to others.
	fewTasks = 10_000
	// mostTasks bounds the tasks and attempts of one workflow.
	mostTasks = 200_000
	// roomTasks bounds those of all workflows of a process together. Large workflows may have largeTasks of them.
	roomTasks, largeTasks = 500_000, 400_000
	// overlongEach is the number of ticks between two requests for a list that was too long.
	overlongEach = 20
)

// A size is how many tasks a job has.
type size struct {
	counted  [2]int // tasks as the master counts them; -1 before its first response
	inList   [2]int // tasks in the newest list
	overlong bool   // its list is too long to be read
	dropped  bool   // its tasks are not kept
	listTick int    // 1 + the tick of the newest task list; 0 if it is to be requested
}

// known reports whether the numbers of the job's tasks are known.
func (z *size) known() bool { return z.counted[dag.Map] >= 0 }

// total returns the master's count of tasks, as far as its list shows so many. If the list cannot be read, the count
// is used.
func (z *size) total(k dag.StageIndex) int {
	if z.overlong {
		return max(0, z.counted[k])
	}
	return max(0, min(z.counted[k], max(fewTasks, z.inList[k])))
}

// tasksHeld returns how many tasks and attempts of the workflow a source has to keep. A master may name other tasks
// in each list, and those of earlier lists are kept.
func (w *workflow) tasksHeld() int {
	n := 0
	for _, j := range w.member {
		for k := range j.tasks {
			n += max(j.inList[k], j.tasks[k].Len(), j.tasks[k].Shown())
		}
	}
	return n
}

// weigh decides whether the workflow is too large to estimate, and drops its tasks if so. Once it is small enough
// again, its lists are requested anew, so that the next tick has them.
func (s *Source) weigh() {
	n, was := s.tasksHeld(), s.large
	s.large = ""
	if n > mostTasks {
		s.hub.reserve(s.chosen, 0)
		s.large = fmt.Sprintf("it has %d tasks and attempts, and %d is the limit of a workflow", n, mostTasks)
	} else if !s.hub.reserve(s.chosen, n) {
		s.large = fmt.Sprintf("it has %d tasks, the workflows of this process may have %d together, and others come first",
			n, roomTasks)
	}
	fits := s.large == ""
	for _, j := range s.member {
		switch {
		case !fits:
			j.tasks, j.grouped, j.dropped = [2]tasktable.Table[task]{}, nil, true
		case j.dropped:
			j.dropped, j.listTick, j.at, s.large = false, 0, min(j.at, jobEnded), was
		case j.overlong && !j.state.Ended(): // what is known of the other jobs stands
			s.large = fmt.Sprintf("the task list of %s is too long to be read", j.id)
		}
	}
}
