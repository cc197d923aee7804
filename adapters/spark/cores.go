package spark

import (
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// A coreUse is the core of a task, and when the next task began on that core.
type coreUse struct {
	core  int32 // -1 none
	next  dag.Instant
	final bool // later passes do not change it
	basis useBasis
}

// A useBasis has the inputs of a core assignment. If they change, the task is assigned again.
type useBasis struct {
	launch, end dag.Instant
	executor    int32
}

var unused = coreUse{core: -1, next: dag.NoInstant}

func (k *task) useBasis() useBasis { return useBasis{k.launch, k.end, k.executor} }

// An assigner finds the core that each task ran on, by the launch times. This matters because the first task on a
// core loads classes and takes longer. Tasks before the first running task have final assignments.
type assigner struct {
	assigned []*task // final
	open     []*task // the others
	cores    cores   // after the tasks in assigned
	counts   []int   // cores by executor at the last assignment
}

// handover is the longest overlap of an ended task with the next one on its core. The driver launches the next task
// before it processes the result. Tasks that overlap for longer did not share a core.
const handover = time.Second

// until returns when the next task began on the task's core, if the task seems to have ended up to handover later.
// Otherwise it returns the largest instant.
func (k *task) until() dag.Instant {
	if k.core.next.Known() && k.end.Sub(k.core.next) <= handover {
		return k.core.next
	}
	return math.MaxInt64
}

func (k *task) assignable() bool { return k.executor >= 0 && k.launch.Known() }

func (k *task) mayRun() bool { return k.state == dag.AttemptRunning || k.guessed }

// assign assigns cores to all tasks that are new or may have changed.
func (a *assigner) assign(stages []*stage, executors []*executor) {
	again := false
	for _, s := range stages {
		a.open, s.fresh = append(a.open, s.fresh...), nil
		for _, k := range s.table.changed {
			again = again || k.core.final && (k.core.basis != k.useBasis() || k.mayRun())
		}
	}
	counts := make([]int, len(executors))
	for i, e := range executors {
		counts[i] = max(e.cores, 1)
	}
	again = again || len(counts) < len(a.counts) || !slices.Equal(a.counts, counts[:len(a.counts)])
	slices.SortFunc(a.open, byLaunch)
	if n := len(a.assigned); n > 0 {
		first := slices.IndexFunc(a.open, (*task).assignable)
		again = again || first >= 0 && byLaunch(a.open[first], a.assigned[n-1]) < 0
	}
	if again {
		for _, k := range a.assigned {
			k.core.final = false
		}
		*a = assigner{open: append(a.open, a.assigned...)}
		slices.SortFunc(a.open, byLaunch)
	}
	a.counts = counts
	moved := slices.Clone(a.open)
	for _, list := range a.cores.ofExecutor {
		for i := range list {
			moved = append(moved, list[i].last)
		}
	}
	before := make([]coreUse, len(moved))
	for i, k := range moved {
		before[i] = k.core
		if k.core.next = dag.NoInstant; !k.core.final {
			k.core.core = -1
		}
	}
	a.pass()
	for i, k := range moved {
		if was := &before[i]; k.core.core != was.core || k.core.next != was.next {
			k.change()
		}
	}
}

// pass assigns cores to the open tasks.
func (a *assigner) pass() {
	left := a.open[:0]
	at, final := &a.cores, true
	for _, k := range a.open {
		if !k.assignable() {
			left = append(left, k)
			continue
		}
		if final && k.mayRun() {
			later := a.cores.clone()
			at, final = &later, false
		}
		at.place(k, a.counts)
		if !final {
			left = append(left, k)
			continue
		}
		k.core.final, k.core.basis = true, k.useBasis()
		a.assigned = append(a.assigned, k)
	}
	clear(a.open[len(left):])
	a.open = left
}

// A core is a core that a task has run on.
type core struct {
	id   int32
	free dag.Instant // since when it is free
	last *task
}

// cores has the cores that tasks have run on.
type cores struct {
	ofExecutor [][]core
	n          int32
}

func (c *cores) clone() cores {
	out := cores{ofExecutor: slices.Clone(c.ofExecutor), n: c.n}
	for e, list := range out.ofExecutor {
		out.ofExecutor[e] = slices.Clone(list)
	}
	return out
}

// place assigns a core to the next task: the free core that became free last, or a new one. If all are busy because
// two tasks overlap for a moment, it takes the core that becomes free first.
func (c *cores) place(k *task, counts []int) {
	for len(c.ofExecutor) <= int(k.executor) {
		c.ofExecutor = append(c.ofExecutor, nil)
	}
	list := c.ofExecutor[k.executor]
	var best, first *core
	for i := range list {
		at := &list[i]
		if at.free <= k.launch && (best == nil || at.free > best.free) {
			best = at
		}
		if first == nil || at.free < first.free {
			first = at
		}
	}
	if best == nil && len(list) >= counts[k.executor] {
		best = first
	}
	if best == nil {
		list = append(list, core{id: c.n})
		c.ofExecutor[k.executor], best = list, &list[len(list)-1]
		c.n++
	}
	if before := best.last; before != nil && before.state != dag.AttemptRunning {
		before.core.next = k.launch
	}
	best.free, best.last, k.core.core = k.end, k, best.id
	if k.state == dag.AttemptRunning {
		best.free = math.MaxInt64
	}
}
