package history

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/adapters/internal/clock"
	"github.com/paratimer/paratimer/adapters/mrjob"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// leastStep is the smallest step of an application master's clock that is corrected. The master writes events up to
// some seconds after they happened.
const leastStep = time.Minute

// stamped is what has the time of an event: the start or the end of an attempt, or of the job if attempt is nil.
type stamped struct {
	attempt *Attempt
	end     bool
}

// stamp records the time of an event in the order of the file, which is that of one master.
func (b *builder) stamp(at dag.Instant, what stamped) {
	if b.tasks != nil {
		return
	}
	s := clock.Stamp{At: at, Began: -1, Took: -1}
	s.Soon = what.attempt != nil && what.end // another task uses its container next
	b.stamps, b.stamped = append(b.stamps, s), append(b.stamped, what)
}

// setMasterClock corrects the times of a history if the master's clock was set while the job ran. It skips jobs with
// several masters, because a second master repeats the events of the first one.
func (b *builder) setMasterClock() {
	j := b.job
	if len(j.Masters) > 1 {
		return
	}
	shift, steps := clock.Straighten(b.stamps)
	worst, n := time.Duration(0), 0
	for _, s := range steps {
		if by := max(s.Ahead, -s.Ahead); by >= leastStep {
			worst, n = max(worst, by), n+s.Entries
		}
	}
	if n == 0 {
		return
	}
	j.Clocks = append(j.Clocks, fmt.Sprintf("the clock of its application master steps, by up to %s: ParaTimer moved %s "+
		"to where their order puts them", units.Exact(worst), units.Count(n, "event")))
	for i, what := range b.stamped {
		switch by := shift[i]; {
		case what.attempt != nil && what.end:
			what.attempt.move(0, by)
			what.attempt.clamp()
		case what.attempt != nil:
			what.attempt.move(by, 0)
		case what.end:
			j.Finished += by
		case j.Launched == b.stamps[i].At: // no later event has replaced it
			j.Launched += by
		}
	}
	j.Last = dag.NoInstant
	j.saw(j.Submitted, j.Launched, j.Finished)
	for _, a := range j.all() {
		j.saw(a.Start, a.End)
	}
}

// A JobTracker records tasks by its own clock, and attempts by the clocks of the nodes. An attempt lies within its
// task, which reveals a wrong clock of a node.

// A taskID identifies a task within its job.
type taskID struct {
	kind   dag.StageIndex
	number int32
}

// A task is the JobTracker's record of one.
type task struct {
	start, end dag.Instant // by the JobTracker's clock
	uncounted  *Attempt    // the last successful attempt, if it has no counters
}

// clockTolerance is the largest error of a node's clock that is not corrected, in milliseconds.
const clockTolerance = 1000

// namedClocks bounds the nodes that warnings name.
const namedClocks = 3

func (b *builder) taskOf(id taskID) *task {
	t := b.tasks[id]
	if t == nil {
		t = &task{start: dag.NoInstant, end: dag.NoInstant}
		b.tasks[id] = t
	}
	return t
}

// taskRecorded records when a task began or ended. Hadoop 0.18 writes counters for tasks only, so they become those of
// the successful attempt.
func (b *builder) taskRecorded(e *event) {
	_, kind, number, ok := mrjob.TaskOf(string(e.Task))
	if !ok {
		return
	}
	t := b.taskOf(taskID{kind, number})
	if at := e.Started.instant(); at.Known() {
		t.start = at
	}
	if at := e.Finished.instant(); at.Known() {
		t.end = at
	}
	b.job.saw(t.start, t.end)
	if t.uncounted != nil && e.Counters != nil {
		b.count(t.uncounted, e.Counters)
	}
}

// bounds returns the range of the clock error of an attempt's node in milliseconds. Unknown bounds are infinite.
func (b *builder) bounds(a *Attempt) (least, most float64) {
	t := b.taskOf(taskID{a.Kind, a.Task})
	least, most = math.Inf(-1), math.Inf(1)
	if t.start.Known() && a.Start.Known() {
		least = float64(t.start - a.Start)
	}
	last := b.job.Finished
	if t.end.Known() && a.State == dag.AttemptSucceeded {
		last = t.end
	}
	if last.Known() && a.End.Known() {
		most = float64(last - a.End)
	}
	return least, most
}

// clockError returns the error of the clock of a node with these attempts; ok is false if it is within the tolerance,
// or unknown.
func (b *builder) clockError(attempts []*Attempt) (by dag.Instant, ok bool) {
	least, most := math.Inf(-1), math.Inf(1)
	var middles []float64
	for _, a := range attempts {
		from, to := b.bounds(a)
		least, most = max(least, from), min(most, to)
		if middle := (from + to) / 2; !math.IsInf(middle, 0) && !math.IsNaN(middle) {
			middles = append(middles, middle)
		}
	}
	switch {
	case least <= clockTolerance && most >= -clockTolerance:
		return 0, false
	case least > most: // the clock was set while the job ran
		if len(middles) == 0 {
			return 0, false
		}
		slices.Sort(middles)
		return dag.Instant(middles[len(middles)/2]), true
	case math.IsInf(most, 0):
		return dag.Instant(least), true
	case math.IsInf(least, 0):
		return dag.Instant(most), true
	}
	return dag.Instant((least + most) / 2), true
}

// setNodeClocks corrects the times of attempts by the error of their node's clock. Attempts that are still outside
// their task are moved into it.
func (b *builder) setNodeClocks() {
	j := b.job
	warn := func(format string, args ...any) { j.Clocks = append(j.Clocks, fmt.Sprintf(format, args...)) }
	nodes := map[string][]*Attempt{}
	for _, a := range j.all() {
		nodes[a.Node] = append(nodes[a.Node], a)
	}
	wrong, moved := 0, 0
	for _, name := range slices.Sorted(maps.Keys(nodes)) {
		by, ok := b.clockError(nodes[name])
		if !ok {
			continue
		}
		for _, a := range nodes[name] {
			a.move(by, by)
		}
		off, way := time.Duration(by)*time.Millisecond, "behind"
		if off < 0 {
			off, way = -off, "ahead"
		}
		if wrong++; wrong <= namedClocks {
			warn("the clock of node %s is about %s %s: ParaTimer corrected the times of %s", name, units.Short(off), way,
				units.Count(len(nodes[name]), "attempt"))
		}
	}
	if more := wrong - namedClocks; more > 0 {
		warn("the clocks of %s are wrong too", units.Count(more, "more node"))
	}
	for _, a := range j.all() {
		if b.fit(a) {
			moved++
		}
		j.saw(a.Start, a.End)
	}
	if moved > 0 {
		warn("%s lay outside of the times of their tasks: ParaTimer moved them into these", units.Count(moved, "attempt"))
	}
}

// fit moves an attempt into its task, and reports whether it was outside.
func (b *builder) fit(a *Attempt) bool {
	least, most := b.bounds(a)
	switch {
	case least <= clockTolerance && most >= -clockTolerance:
		return false
	case least > most: // it seems to have taken longer than its task
		a.Start += dag.Instant(least)
		a.End += dag.Instant(most)
		a.clamp()
	case least > 0:
		a.move(dag.Instant(least), dag.Instant(least))
	default:
		a.move(dag.Instant(most), dag.Instant(most))
	}
	return true
}
