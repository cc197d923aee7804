package schedule

import (
	"cmp"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// Pauses returns the spans in which no task of the query runs: the given gaps between waves, and a pause for every
// other idle time between now and the end. It is a Launch if the next task's job waits for its master or a
// container, and a Finish after the last task. With the pauses the spans cover every instant, so a path through
// them is as long as the schedule.
func Pauses(s *Schedule, gaps []Span) []Span {
	busy := slices.DeleteFunc(slices.Concat(s.Spans, gaps), func(sp Span) bool {
		return !sp.End.Known() || sp.End <= s.Now || sp.Pause != dag.NoPause && sp.End == sp.Start
	})
	slices.SortStableFunc(busy, func(a, b Span) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
	})
	var out []Span
	last := Span{Job: -1, End: s.Now}
	for _, b := range busy {
		switch {
		case b.Start <= last.End:
		case b.Pause == dag.Wave && last.Job >= 0:
			out = append(out, PauseOf(last.Job, dag.Finish, last.End, b.Start))
		case b.Pause == dag.Wave:
			out = append(out, PauseOf(b.Job, dag.Finish, last.End, b.Start))
		default:
			out = append(out, PauseOf(b.Job, dag.Launch, last.End, b.Start))
		}
		if b.Pause != dag.NoPause {
			out = append(out, b)
		}
		if b.End > last.End {
			last = b
		}
	}
	if last.Job < 0 {
		last.Job = int32(len(s.Finished) - 1) //nolint:gosec // an index
	}
	if last.End < s.End {
		out = append(out, PauseOf(last.Job, dag.Finish, last.End, s.End))
	}
	return out
}
