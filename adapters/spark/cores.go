package spark

import (
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// A coreUse is the core of a task, and when the next task began on that core.
type coreUse struct {
	core int32 // -1 none
	next dag.Instant
	// foundCore and foundNext are the results of the current pass.
	foundCore int32
	foundNext dag.Instant
	final     bool // later passes do not change it
	basis     useBasis
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
	a.counts = counts
	slices.SortFunc(a.open, byLaunch)
	if n := len(a.assigned); n > 0 {
		first := slices.IndexFunc(a.open, (*task).assignable)
		again = again || first >= 0 && byLaunch(a.open[first], a.assigned[n-1]) < 0
	}
	if again {
		for _, k := range a.assigned {
			k.core.final = false
		}
		*a = assigner{open: append(a.open, a.assigned...), counts: counts}
		slices.SortFunc(a.open, byLaunch)
	}
	moved := slices.Clone(a.open)
	for _, last := range a.cores.last {
		moved = append(moved, last...)
	}
	for _, k := range moved {
		if k.core.foundNext = dag.NoInstant; !k.core.final {
			k.core.foundCore = -1
		}
	}
	a.pass()
	for _, k := range moved {
		if u := &k.core; u.core != u.foundCore || u.next != u.foundNext {
			u.core, u.next = u.foundCore, u.foundNext
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

// cores has the cores that tasks have run on, by executor.
type cores struct {
	free [][]dag.Instant // since when each is free
	last [][]*task
	ids  [][]int32
	n    int32
}

func (c *cores) clone() cores {
	out := cores{
		free: make([][]dag.Instant, len(c.free)), last: make([][]*task, len(c.free)), ids: make([][]int32, len(c.free)),
		n: c.n,
	}
	for e := range c.free {
		out.free[e], out.last[e], out.ids[e] = slices.Clone(c.free[e]), slices.Clone(c.last[e]), slices.Clone(c.ids[e])
	}
	return out
}

// place assigns a core to the next task: the free core that became free last, or a new one. If all are busy because
// two tasks overlap for a moment, it takes the core that becomes free first.
func (c *cores) place(k *task, counts []int) {
	e, best := int(k.executor), -1
	for len(c.free) <= e {
		c.free, c.last, c.ids = append(c.free, nil), append(c.last, nil), append(c.ids, nil)
	}
	for i, at := range c.free[e] {
		if at <= k.launch && (best < 0 || at > c.free[e][best]) {
			best = i
		}
	}
	if best < 0 && len(c.free[e]) >= counts[e] {
		best = 0
		for i, at := range c.free[e] {
			if at < c.free[e][best] {
				best = i
			}
		}
	}
	if best < 0 {
		best = len(c.free[e])
		c.free[e], c.last[e], c.ids[e] = append(c.free[e], 0), append(c.last[e], nil), append(c.ids[e], c.n)
		c.n++
	}
	if before := c.last[e][best]; before != nil && before.state != dag.AttemptRunning {
		before.core.foundNext = k.launch
	}
	c.free[e][best], c.last[e][best] = k.end, k
	if k.state == dag.AttemptRunning {
		c.free[e][best] = math.MaxInt64
	}
	k.core.foundCore = c.ids[e][best]
}
