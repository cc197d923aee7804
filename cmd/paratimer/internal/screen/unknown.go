package screen

import (
	"slices"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
)

// certain returns the part of the frame that may be drawn. If the headline has no number, too much of the future is
// assumed to draw it along a clock: its times are left out, its order stays.
func certain(f *frame.Frame) *frame.Frame {
	if f == nil || f.Headline.RemainingSeconds != nil || f.Workflow.State.Ended() || f.ElapsedSeconds == nil {
		return f
	}
	out := *f
	seen := *f.ElapsedSeconds - f.StaleSeconds
	past := func(s *frame.Seconds) *frame.Seconds {
		if s == nil || *s > seen {
			return nil
		}
		return s
	}
	out.Jobs = make([]frame.Job, len(f.Jobs))
	for i, j := range f.Jobs {
		j.SubmittedSeconds, j.EndSeconds, j.SlackSeconds = past(j.SubmittedSeconds), past(j.EndSeconds), nil
		var stretches []frame.Stretch
		for _, s := range j.Stretches {
			if past(s.StartSeconds) != nil {
				if past(s.EndSeconds) == nil {
					s.EndSeconds = &seen
				}
				stretches = append(stretches, s)
			}
		}
		j.Stretches = stretches
		out.Jobs[i] = j
	}
	out.CriticalPath = nil
	if f.Tasks != nil {
		out.Tasks = func(job, most int) ([]frame.Task, int) {
			tasks, all := f.Tasks(job, most)
			tasks = slices.Clone(tasks)
			for i := range tasks {
				if tasks[i].StartSeconds = past(tasks[i].StartSeconds); past(tasks[i].EndSeconds) == nil {
					tasks[i].EndSeconds = nil
				}
			}
			return tasks, all
		}
	}
	return &out
}
