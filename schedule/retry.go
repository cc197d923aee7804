package schedule

import (
	"math"
	"slices"
)

// retries are the tasks of a phase with an earlier attempt. Those that wait are grouped by the nodes that they
// have failed on, because a slot on such a node skips them (docs/facts/paratimer.md A1, rule 3).
type retries struct {
	tries  map[int32]*try
	groups []retryGroup // none is empty
}

type try struct {
	number int32   // of the next attempt
	nodes  []int32 // where the task has failed: ascending, distinct
}

type retryGroup struct {
	nodes []int32 // nil: any slot will do
	tasks []int32 // ascending
}

// note records attempt number of a task, and its failure on a node; -1 is no node.
func (r *retries) note(task, number, node int32) {
	if r.tries == nil {
		r.tries = make(map[int32]*try)
	}
	t := r.tries[task]
	if t == nil {
		t = &try{}
		r.tries[task] = t
	}
	t.number = max(t.number, number+1)
	if i, found := slices.BinarySearch(t.nodes, node); node >= 0 && !found {
		t.nodes = slices.Insert(slices.Clip(t.nodes), i, node)
	}
}

// wait puts a noted task back into the queue. The kind has slots on nodes 0 to nodes-1.
func (r *retries) wait(task int32, nodes int) {
	failed := r.tries[task].nodes
	if i, _ := slices.BinarySearch(failed, int32(nodes)); i >= nodes {
		failed = nil // on every node: none is better than another
	}
	i := slices.IndexFunc(r.groups, func(g retryGroup) bool { return slices.Equal(g.nodes, failed) })
	if i < 0 {
		i = len(r.groups)
		r.groups = append(r.groups, retryGroup{nodes: failed})
	}
	tasks := &r.groups[i].tasks
	at, _ := slices.BinarySearch(*tasks, task)
	*tasks = slices.Insert(*tasks, at, task)
}

// waiting says whether any task waits.
func (r *retries) waiting() bool { return r != nil && len(r.groups) > 0 }

// first returns the first waiting task that a slot on the node may take, and its group; MaxInt32 and -1 if there is
// none. Node -1 stands for any.
func (r *retries) first(node int32) (task int32, group int) {
	task, group = math.MaxInt32, -1
	for i := range r.groups {
		g := &r.groups[i]
		if _, failed := slices.BinarySearch(g.nodes, node); failed {
			continue
		}
		if t := g.tasks[0]; t < task {
			task, group = t, i
		}
	}
	return task, group
}

// take removes the first task of a group from the queue and returns its attempt's number.
func (r *retries) take(group int) (number int32) {
	g := &r.groups[group]
	task := g.tasks[0]
	g.tasks = g.tasks[1:]
	if len(g.tasks) == 0 {
		r.groups = slices.Delete(r.groups, group, group+1)
	}
	return r.tries[task].number
}
