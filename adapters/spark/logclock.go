package spark

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/paratimer/paratimer/adapters/internal/clock"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// arrange sets the instants of all events so that they never decrease. Events after the application's end, such as
// ends of jobs that were cancelled with it, are moved before it.
func (l *Log) arrange() {
	shift, steps := clock.Straighten(l.stamps())
	l.steps = steps
	for i := range l.steps {
		l.steps[i].Entry = l.events[steps[i].Entry].line
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
	}
	is := func(kinds ...string) func(event) bool {
		return func(e event) bool { return slices.Contains(kinds, e.kind.name) }
	}
	if n := slices.IndexFunc(l.events, is("JobStart", "StageSubmitted", "TaskStart", "TaskEnd")); n >= 0 {
		l.First = l.events[n].at
	}
	if n := slices.IndexFunc(l.events, is("ApplicationEnd")); n >= 0 {
		end := l.events[n]
		end.at = l.Last
		l.events = append(slices.Delete(l.events, n, n+1), end)
	}
}

// stamps returns the times of all events, with the relations that clock.Straighten needs.
func (l *Log) stamps() []clock.Stamp {
	out := make([]clock.Stamp, len(l.events))
	began, there := map[int32]int{}, map[string]int{} // event indices: starts of tasks, first events of executors
	before := &event{kind: &eventKind{}, stage: -1}
	for i := range l.events {
		e := &l.events[i]
		s := clock.Stamp{At: e.stamp, Began: -1, Took: -1}
		switch e.kind.name {
		case "ApplicationStart", "SQLExecutionStart", "JobStart":
			s.Soon = true
		case "ExecutorAdded":
			s.Soon, there[string(e.more.Executor)] = true, i
		case "JobEnd":
			s.Tied = before.kind.name == "StageCompleted" || before.kind.name == "JobEnd"
		case "StageCompleted":
			s.Prompt = before.kind.name == "TaskEnd" && before.stage == e.stage
		case "StageSubmitted":
			s.Prompt = before.kind.name == "StageCompleted" || before.kind.name == "JobStart"
		case "TaskStart": // a free core takes the next task at once
			first, known := there[e.task.executor]
			s.Prompt = known && before.stage == e.stage && (before.task != nil &&
				before.task.executor == e.task.executor || before.kind.name == "StageSubmitted" && first < i-1)
			if !known {
				there[e.task.executor] = i
			}
			began[e.task.id] = i
		case "TaskEnd":
			s.Soon = true
			if n, ok := began[e.task.id]; ok {
				s.Began, s.Took = n, e.task.took
			}
		}
		out[i], before = s, e
	}
	return out
}

// namedSteps bounds the clock steps that a warning lists.
const namedSteps = 3

// Warnings returns warnings about the whole log.
func (l *Log) Warnings() []dag.Warning {
	var out []dag.Warning
	if l.badLines > 0 {
		out = append(out, remark("left out of the event log: %s that no event can be read from", units.Count(l.badLines, "line")))
	}
	if len(l.steps) == 0 {
		return out
	}
	var parts []string
	for _, s := range l.steps[:min(len(l.steps), namedSteps)] {
		which, where := fmt.Sprintf("line %d is", s.Entry), "ahead"
		if s.Entries > 1 {
			which = fmt.Sprintf("%d events from line %d on are", s.Entries, s.Entry)
		}
		if s.Ahead < 0 {
			where = "behind"
		}
		parts = append(parts, fmt.Sprintf("%s %s %s", which, units.Exact(s.Ahead.Abs().Round(time.Millisecond)), where))
	}
	if more := len(l.steps) - namedSteps; more > 0 {
		parts = append(parts, units.Count(more, "more step"))
	}
	return append(out, remark("the clock of the event log steps: %s; ParaTimer moved them to where their order and the "+
		"times of tasks put them", strings.Join(parts, ", ")))
}
