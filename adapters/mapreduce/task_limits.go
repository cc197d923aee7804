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
)

// A size is how many tasks a job has.
type size struct {
	counted  [2]int // tasks as the master counts them; -1 before its first response
	inList   [2]int // tasks in the newest list; more than mostTasks if it was too long to be read
	dropped  bool   // its tasks are not kept
	listTick int    // 1 + the tick of the newest task list; 0 if it is to be requested
}

// known reports whether the numbers of the job's tasks are known.
func (z *size) known() bool { return z.counted[dag.Map] >= 0 }

// total returns the master's count of tasks, as far as its list shows so many.
func (z *size) total(k dag.StageIndex) int {
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
		s.large = fmt.Sprintf("it has more tasks and attempts than the limit of a workflow, %d", mostTasks)
	} else if !s.hub.reserve(s.chosen, n) {
		s.large = fmt.Sprintf("it has %d tasks, the workflows of this process may have %d together, and others come first",
			n, roomTasks)
	}
	fits := s.large == ""
	for _, j := range s.member {
		if !fits {
			j.tasks, j.grouped, j.dropped = [2]tasktable.Table[task]{}, nil, true
		} else if j.dropped {
			j.dropped, j.listTick, j.at, s.large = false, 0, min(j.at, jobEnded), was
		}
	}
}
