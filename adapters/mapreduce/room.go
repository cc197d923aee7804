package mapreduce

import (
	"cmp"
	"maps"
	"slices"
	"sync"
)

// A room bounds the tasks of all workflows of a process together. Several goroutines may use it.
type room struct {
	mu    sync.Mutex
	needs map[string]int // tasks by workflow, which its chosen application names
}

// reserve sets the number of tasks that a workflow needs, and reports whether there is room for it. Room depends only
// on these numbers: workflows of up to fewTasks come first, then the others, each by submission. A workflow that
// does not fit leaves its room to later ones.
func (r *room) reserve(workflow string, tasks int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if delete(r.needs, workflow); tasks <= 0 {
		return true
	}
	if r.needs == nil {
		r.needs = map[string]int{}
	}
	r.needs[workflow] = tasks
	sum := 0
	for _, n := range r.needs {
		sum += n
	}
	if sum <= roomTasks {
		return true
	}
	sum = 0
	for _, other := range slices.SortedFunc(maps.Keys(r.needs), r.first) {
		fits := sum+r.needs[other] <= roomTasks
		if other == workflow {
			return fits
		}
		if fits {
			sum += r.needs[other]
		}
	}
	return false // unreachable: workflow is one of them
}

// first orders workflows by their precedence for room. Longer application ids are newer.
func (r *room) first(a, b string) int {
	few := func(workflow string) int {
		if r.needs[workflow] <= fewTasks {
			return 0
		}
		return 1
	}
	return cmp.Or(cmp.Compare(few(a), few(b)), cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
}

// keep drops the numbers of workflows that are no longer known.
func (r *room) keep(known func(workflow string) bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	maps.DeleteFunc(r.needs, func(workflow string, _ int) bool { return !known(workflow) })
}
