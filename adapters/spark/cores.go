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
}

var unused = coreUse{core: -1, next: dag.NoInstant}

// handover is the longest overlap of an ended task with the next one on its core. The driver launches the next task
// before it processes the result. Tasks that overlap for longer did not share a core.
const handover = time.Second

// until returns when the next task began on the task's core, if the task seems to have ended up to handover later.
// Otherwise it returns the largest instant.
func (k *task) until() dag.Instant {
	if k.core.next.Known() && k.End.Sub(k.core.next) <= handover {
		return k.core.next
	}
	return math.MaxInt64
}

// assignable reports whether the executor and the launch of a task are known.
func (k *task) assignable() bool { return k.Node >= 0 && k.Start.Known() }

// A core is a core that a task has run on.
type core struct {
	id   int32
	free dag.Instant // since when it is free
	last int         // index of its newest task
}

// better reports whether a task that begins at an instant takes c rather than o: of two free cores the one that became
// free last, else the one that becomes free first.
func (c *core) better(o *core, at dag.Instant) bool {
	if c.free <= at && o.free <= at {
		return c.free > o.free
	}
	return c.free < o.free
}

// assignCores finds the core that each task ran on, by the launch times. This matters because the first task on a core
// loads classes and takes longer. A task gets the free core that became free last, or a new one. If all are busy
// because two tasks overlap for a moment, it gets the core that becomes free first.
func (a *App) assignCores() {
	for _, s := range a.planner.order {
		a.launched, s.fresh = append(a.launched, s.fresh...), nil
	}
	slices.SortFunc(a.launched, byLaunch)
	uses, cores, n := make([]coreUse, len(a.launched)), make([][]core, len(a.all)), int32(0)
	for i, k := range a.launched {
		if uses[i] = unused; !k.assignable() {
			continue
		}
		var best *core
		list := cores[k.Node]
		for c := range list {
			if at := &list[c]; best == nil || at.better(best, k.Start) {
				best = at
			}
		}
		if best == nil || best.free > k.Start && len(list) < a.all[k.Node].cores {
			list = append(list, core{id: n, last: -1})
			cores[k.Node], best = list, &list[len(list)-1]
			n++
		}
		if best.last >= 0 && a.launched[best.last].State != dag.AttemptRunning {
			uses[best.last].next = k.Start
		}
		best.free, best.last, uses[i].core = k.End, i, best.id
		if k.State == dag.AttemptRunning {
			best.free = math.MaxInt64
		}
	}
	for i, k := range a.launched {
		if k.core != uses[i] {
			k.core = uses[i]
			k.change()
		}
	}
}
