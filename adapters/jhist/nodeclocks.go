package jhist

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/adapters/mrjob"
	"github.com/paratimer/paratimer/adapters/past"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// A JobTracker records tasks by its own clock, and attempts by the clocks of the nodes. An attempt lies within its
// task, which reveals a wrong clock of a node.

// A window is the start and end of a task by the JobTracker's clock.
type window struct{ start, end dag.Instant }

// clockTolerance is the largest error of a node's clock that is not corrected.
const clockTolerance = dag.Instant(time.Second / time.Millisecond)

// namedClocks bounds the nodes that warnings name.
const namedClocks = 3

// timed records when a task began or ended.
func (h *history) timed(b *body) {
	k, task, ok := taskOf(string(b.Task))
	if !ok || h.windows == nil || h.job == nil || jobOf("attempt"+string(b.Task)[len("task"):]) != h.job.ID {
		return
	}
	w, known := h.windows[k][task]
	if !known {
		w = window{dag.NoInstant, dag.NoInstant}
	}
	if at := b.Started.instant(); at.Known() {
		w.start = at
	}
	if at := b.Finished.instant(); at.Known() {
		w.end = at
	}
	if len(h.windows[k]) < dag.MaxTasks || known {
		h.windows[k][task] = w
	}
	h.job.Saw(w.start)
	h.job.Saw(w.end)
}

// taskOf parses the id of a task.
func taskOf(id string) (kind dag.StageIndex, task int32, ok bool) {
	if len(id) < len("task") {
		return 0, 0, false
	}
	kind, task, _, ok = mrjob.AttemptOf("attempt" + id[len("task"):] + "_0")
	return kind, task, ok
}

// bounds returns the range of the clock error of an attempt's node in milliseconds. Unknown bounds are infinite.
func (h *history) bounds(k dag.StageIndex, a *past.Attempt) (least, most float64) {
	w, known := h.windows[k][a.Task]
	least, most = math.Inf(-1), math.Inf(1)
	if known && w.start.Known() && a.Start.Known() {
		least = float64(w.start - a.Start)
	}
	last := h.job.Finished
	if known && w.end.Known() && a.State == dag.AttemptSucceeded {
		last = w.end
	}
	if last.Known() && a.End.Known() {
		most = float64(last - a.End)
	}
	return least, most
}

// setClocks corrects the times of attempts by the error of their node's clock. Attempts that are still outside their
// task are moved into it.
func (h *history) setClocks() {
	type clock struct {
		least, most float64
		middles     []float64
		attempts    int
	}
	nodes := map[string]*clock{}
	for k := range h.job.Attempts {
		for i := range h.job.Attempts[k] {
			a := &h.job.Attempts[k][i]
			least, most := h.bounds(dag.StageIndex(k), a)
			c := nodes[a.Node]
			if c == nil {
				c = &clock{least: math.Inf(-1), most: math.Inf(1)}
				nodes[a.Node] = c
			}
			c.attempts++
			c.least, c.most = max(c.least, least), min(c.most, most)
			if mid := (least + most) / 2; !math.IsInf(mid, 0) && !math.IsNaN(mid) {
				c.middles = append(c.middles, mid)
			}
		}
	}
	wrong := map[string]dag.Instant{}
	for _, name := range slices.Sorted(maps.Keys(nodes)) {
		c := nodes[name]
		var by float64
		switch {
		case c.least <= float64(clockTolerance) && c.most >= -float64(clockTolerance):
			continue
		case c.least > c.most: // the clock was set while the job ran
			if len(c.middles) == 0 {
				continue
			}
			slices.Sort(c.middles)
			by = c.middles[len(c.middles)/2]
		case math.IsInf(c.most, 0):
			by = c.least
		case math.IsInf(c.least, 0):
			by = c.most
		default:
			by = (c.least + c.most) / 2
		}
		wrong[name] = dag.Instant(by)
		off, way := time.Duration(by)*time.Millisecond, "behind"
		if off < 0 {
			off, way = -off, "ahead"
		}
		if len(wrong) > namedClocks {
			continue
		}
		h.job.Clocks = append(h.job.Clocks, fmt.Sprintf("the clock of node %s is about %s %s: ParaTimer corrected the times of %s",
			name, units.Short(off), way, units.Count(c.attempts, "attempt")))
	}
	if more := len(wrong) - namedClocks; more > 0 {
		h.job.Clocks = append(h.job.Clocks, fmt.Sprintf("the clocks of %s are wrong too", units.Count(more, "more node")))
	}
	moved := 0
	for k := range h.job.Attempts {
		for i := range h.job.Attempts[k] {
			a := &h.job.Attempts[k][i]
			a.Move(wrong[a.Node])
			if h.fit(dag.StageIndex(k), a) {
				moved++
			}
			h.job.Saw(a.Start)
			h.job.Saw(a.End)
		}
	}
	if moved > 0 {
		h.job.Clocks = append(h.job.Clocks, fmt.Sprintf("%s lay outside of the times of their tasks: ParaTimer moved them into these",
			units.Count(moved, "attempt")))
	}
}

// fit moves an attempt into its task, and reports whether it was outside.
func (h *history) fit(k dag.StageIndex, a *past.Attempt) bool {
	least, most := h.bounds(k, a)
	if least <= float64(clockTolerance) && most >= -float64(clockTolerance) {
		return false
	}
	switch {
	case least <= most && least > 0:
		a.Move(dag.Instant(least))
	case least <= most:
		a.Move(dag.Instant(most))
	default: // it seems to have taken longer than its task
		a.Start += dag.Instant(least)
		a.End = max(a.End+dag.Instant(most), a.Start)
		for _, at := range []*dag.Instant{&a.CopyEnd, &a.SortEnd} {
			if at.Known() {
				*at = min(max(*at, a.Start), a.End)
			}
		}
	}
	return true
}
