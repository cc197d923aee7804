package spark

import (
	"slices"
	"time"

	"github.com/paratimer/paratimer/adapters/internal/clock"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// arrange sets the instants of all events so that they never decrease. Events after the application's end, such as
// ends of jobs that were cancelled with it, are moved before it. It returns ErrNoLog if there is no job.
func (l *Log) arrange() error {
	l.hashes, l.First, l.Last = nil, dag.NoInstant, dag.NoInstant
	shift, steps := clock.Straighten(l.stamps())
	for _, s := range steps {
		s.Entry = l.events[s.Entry].line
		l.steps = append(l.steps, s)
	}
	for i := range l.events {
		e := &l.events[i]
		if e.stamp.Known() {
			if shift != nil {
				e.shift = shift[i]
			}
			l.Last = max(l.Last, e.stamp+e.shift)
		}
		e.at = l.Last
		switch e.kind.name {
		case "JobStart", "StageSubmitted", "TaskStart", "TaskEnd":
			l.First = dag.FirstKnown(l.First, e.at)
		}
	}
	if n := slices.IndexFunc(l.events, func(e event) bool { return e.kind.name == "ApplicationEnd" }); n >= 0 {
		end := l.events[n]
		end.at = l.Last
		l.events = append(slices.Delete(l.events, n, n+1), end)
	}
	if !l.First.Known() {
		return ErrNoLog
	}
	return nil
}

// stamps returns the times of all events, with the relations that clock.Straighten needs.
func (l *Log) stamps() []clock.Stamp {
	out := make([]clock.Stamp, len(l.events))
	began := map[int32]int{} // event indices of the starts of tasks
	for i := range l.events {
		e := &l.events[i]
		out[i] = clock.Stamp{At: e.stamp, Began: -1, Took: -1}
		switch s := &out[i]; e.kind.name {
		case "ApplicationStart", "SQLExecutionStart", "JobStart", "ExecutorAdded":
			s.Soon = true
		case "TaskStart": // a free core takes the next task at once
			began[e.task.id] = i
			if i > 0 && l.events[i-1].stage == e.stage && l.events[i-1].task != nil {
				s.Prompt = l.events[i-1].task.executor == e.task.executor
			}
		case "TaskEnd":
			s.Soon = true
			if n, ok := began[e.task.id]; ok {
				s.Began, s.Took = n, e.task.took
			}
		}
	}
	return out
}

// Warnings returns warnings about the whole log.
func (l *Log) Warnings() []dag.Warning {
	var out []dag.Warning
	if l.badLines > 0 {
		out = append(out, remark("left out of the event log: %s that no event can be read from", units.Count(l.badLines, "line")))
	}
	if l.copies > 0 {
		out = append(out, remark("left out of the event log: %s that it has twice", units.Count(l.copies, "event")))
	}
	if len(l.steps) > 0 {
		first, moved, where := l.steps[0], 0, "ahead"
		if first.Ahead < 0 {
			where = "behind"
		}
		for _, s := range l.steps {
			moved += s.Entries
		}
		out = append(out, remark("the clock of the event log steps: line %d is %s %s; ParaTimer moved %s to where their order "+
			"and the times of tasks put them", first.Entry, units.Exact(first.Ahead.Abs().Round(time.Millisecond)), where,
			units.Count(moved, "event")))
	}
	return out
}
