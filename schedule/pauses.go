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
	busy := make([]Span, 0, len(s.Spans)+len(gaps))
	for _, sp := range s.Spans {
		if sp.End.Known() && sp.End > s.Now {
			busy = append(busy, sp)
		}
	}
	var out []Span
	for _, g := range gaps {
		if g.End > s.Now && g.End > g.Start {
			busy = append(busy, g)
			out = append(out, g)
		}
	}
	slices.SortFunc(busy, func(a, b Span) int {
		if a.Start != b.Start {
			return cmp.Compare(a.Start, b.Start)
		}
		return cmp.Compare(a.End, b.End)
	})
	covered, last := s.Now, -1
	for i, b := range busy {
		if b.Start > covered {
			pause := dag.Launch
			if b.Pause == dag.Wave {
				pause = dag.Finish
			}
			job := b.Job
			if pause == dag.Finish && last >= 0 {
				job = busy[last].Job
			}
			out = append(out, PauseOf(job, pause, covered, b.Start))
		}
		if b.End > covered {
			covered, last = b.End, i
		}
	}
	if covered < s.End {
		job := int32(len(s.Finished) - 1)
		if last >= 0 {
			job = busy[last].Job
		}
		out = append(out, PauseOf(job, dag.Finish, covered, s.End))
	}
	return out
}
