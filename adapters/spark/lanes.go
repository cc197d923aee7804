package spark

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// lanes deals the tasks of all stages of the plan to the cores of their executors, by when they began: the first task
// of a core loads classes and takes longer. Tasks before the first one that still runs are dealt once for all.
type lanes struct {
	dealt    []*task // once for all
	open     []*task // the others
	cores    cores   // after the tasks that are dealt
	counts   []int   // cores by executor, as they were then
	reported []*task // dealt ones that were reported again
}

// A lane is the core that a task was dealt.
type lane struct {
	core int32       // -1 none
	next dag.Instant // when the next task began on it
}

// dealing is a task's lane, and what it follows from.
type dealing struct {
	lane
	found       lane // in the pass that goes on
	final       bool
	launch, end dag.Instant
	executor    int
}

// handover is the longest time by which a task that has ended overlaps the next one on its core: the driver launches
// that one first, and then takes the result. What overlaps for longer did not share a core.
const handover = time.Second

// until is when the next task began on the core of a task that seems to have ended a moment later.
func (k *task) until() dag.Instant {
	if k.dealt.next.Known() && k.end.Sub(k.dealt.next) <= handover {
		return k.dealt.next
	}
	return math.MaxInt64
}

func (k *task) dealable() bool { return k.executor >= 0 && k.launch.Known() }

func (k *task) running() bool { return k.state == dag.AttemptRunning || k.guessed }

func byLaunch(x, y *task) int {
	return cmp.Or(cmp.Compare(x.launch, y.launch), cmp.Compare(x.id, y.id))
}

// deal deals the tasks that are new or may have moved, and marks the stages whose attempts change by it.
func (a *App) deal() {
	l := &a.lanes
	for _, s := range a.order {
		l.open, s.fresh = append(l.open, s.fresh...), nil
	}
	counts := make([]int, len(a.executors))
	for i, e := range a.executors {
		counts[i] = max(e.cores, 1)
	}
	again := len(counts) < len(l.counts) || !slices.Equal(l.counts, counts[:len(l.counts)])
	for _, k := range l.reported {
		again = again || k.launch != k.dealt.launch || k.end != k.dealt.end || k.executor != k.dealt.executor ||
			k.running()
	}
	l.counts, l.reported = counts, l.reported[:0]
	slices.SortFunc(l.open, byLaunch)
	if n := len(l.dealt); n > 0 {
		first := slices.IndexFunc(l.open, (*task).dealable)
		again = again || first >= 0 && byLaunch(l.open[first], l.dealt[n-1]) < 0
	}
	if again {
		for _, k := range l.dealt {
			k.dealt.final = false
		}
		*l = lanes{open: append(l.open, l.dealt...), counts: counts}
		slices.SortFunc(l.open, byLaunch)
	}
	moved := slices.Clone(l.open)
	for _, last := range l.cores.last {
		moved = append(moved, last...)
	}
	for _, k := range moved {
		if k.dealt.found.next = dag.NoInstant; !k.dealt.final {
			k.dealt.found.core = -1
		}
	}
	l.pass()
	for _, k := range moved {
		if k.dealt.lane != k.dealt.found {
			k.dealt.lane = k.dealt.found
			a.stages[k.stage].changes++
		}
	}
}

// pass deals the open tasks.
func (l *lanes) pass() {
	left := l.open[:0]
	at, final := &l.cores, true
	for _, k := range l.open {
		if !k.dealable() {
			left = append(left, k)
			continue
		}
		if final && k.running() {
			later := l.cores.clone()
			at, final = &later, false
		}
		at.place(k, l.counts)
		if !final {
			left = append(left, k)
			continue
		}
		k.dealt.final, k.dealt.launch, k.dealt.end, k.dealt.executor = true, k.launch, k.end, k.executor
		l.dealt = append(l.dealt, k)
	}
	l.open = left
}

// cores are those that tasks have run on, by executor.
type cores struct {
	free [][]dag.Instant // since when
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

// place finds the core of the task that began next: the one that was free last, a new one, or, if all are taken because
// two tasks overlap for a moment, the one that is free soonest.
func (c *cores) place(k *task, counts []int) {
	e, best := k.executor, -1
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
		before.dealt.found.next = k.launch
	}
	c.free[e][best], c.last[e][best] = k.end, k
	if k.state == dag.AttemptRunning {
		c.free[e][best] = math.MaxInt64
	}
	k.dealt.found.core = c.ids[e][best]
}
