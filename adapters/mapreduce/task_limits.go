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
	was, large := s.large, s.hub.reserve(s.chosen, s.tasksHeld())
	s.large = large
	for _, j := range s.member {
		if large != "" {
			j.tasks, j.dropped = [2]tasktable.Table[task]{}, true
		} else if j.dropped {
			j.dropped, j.listTick, j.at, s.large = false, 0, min(j.at, jobEnded), was
			j.incomplete, j.movedAt = true, s.now // the workflow does not end without its tasks
		}
	}
}

// reserve sets the number of tasks that a workflow needs, and returns why it is too large, "" if there is room for it
// besides the others. A workflow that does not fit leaves its room to others.
func (h *Hub) reserve(workflow string, tasks int) (large string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.tasks, workflow)
	sum, limit := tasks, roomTasks
	for _, n := range h.tasks {
		sum += n
	}
	if tasks > fewTasks {
		limit = largeTasks
	}
	switch {
	case tasks > mostTasks:
		return fmt.Sprintf("it has more tasks and attempts than the limit of a workflow, %d", mostTasks)
	case tasks > 0 && sum > limit:
		return fmt.Sprintf("it has %d tasks, the workflows of this process may have %d together, and others come first",
			tasks, roomTasks)
	case tasks > 0:
		h.tasks[workflow] = tasks
	}
	return ""
}
