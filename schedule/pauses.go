package schedule

import (
	"cmp"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// pauses returns the spans in which the query waits for no task: the waves' gaps that are given, and for every other
// stretch between now and the end in which nothing runs a Launch span (the job whose task comes next is waiting for its
// master or a container) or a Finish span (after the last task). With them the spans cover every instant, so that a
// path through them is as long as the schedule.
func pauses(s *Schedule, gaps []Span) []Span {
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
			out = append(out, pauseOf(job, pause, covered, b.Start))
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
		out = append(out, pauseOf(job, dag.Finish, covered, s.End))
	}
	return out
}
