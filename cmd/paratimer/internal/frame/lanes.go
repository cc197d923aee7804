package frame

import (
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/pathfrag"
)

// A Stretch is the time interval of a stage: observed before the frame's instant, predicted after it.
type Stretch struct {
	Phase        Phase    `json:"phase"`         // a stage
	StartSeconds *Seconds `json:"start_seconds"` // its first task starts
	EndSeconds   *Seconds `json:"end_seconds"`   // its last task ends
	// ProgressRatio is the part of this interval that has passed: 0 before it, 1 after it, nil if its end is unknown
	// (E. Coppa, I. Finocchi, SoCC 2015, section 3).
	ProgressRatio *Ratio `json:"progress_ratio"`
}

// progressAt sets the progress at an instant of the run.
func (s *Stretch) progressAt(elapsed Seconds) {
	switch {
	case s.StartSeconds != nil && elapsed <= *s.StartSeconds:
		s.ProgressRatio = RatioOf(0)
	case s.EndSeconds != nil && elapsed >= *s.EndSeconds:
		s.ProgressRatio = RatioOf(1)
	case s.StartSeconds != nil && s.EndSeconds != nil:
		s.ProgressRatio = RatioOf(float64(elapsed-*s.StartSeconds) / float64(*s.EndSeconds-*s.StartSeconds))
	}
}

// planned returns the path with times that may be shown as predictions: standard's, if it has an estimate. Before,
// its costs are lower bounds and its times no predictions. It returns nil for an ended query.
func planned(s *dag.Snapshot, scenarios []estimators.Estimate) *pathfrag.Path {
	if s.State.Ended() || len(scenarios) == 0 || scenarios[0].Remaining == nil {
		return nil
	}
	return scenarios[0].Path
}

// A lane is the time interval of a stage; NoInstant if unknown.
type lane struct{ start, end dag.Instant }

var noLane = lane{dag.NoInstant, dag.NoInstant}

// A stageOf is a stage of a job.
type stageOf struct {
	job   int
	stage dag.StageIndex
}

// lanes sets the times of each job and its stages: observed, then as planned by path.
func lanes(s *dag.Snapshot, path *pathfrag.Path, out []Job) {
	origin, future := s.Origin(), futureOf(path)
	for i := range out {
		submitted, finished := dag.NoInstant, dag.NoInstant
		if i < len(s.Jobs) {
			submitted, finished = s.Jobs[i].Submitted, s.Jobs[i].Finished
		}
		if path != nil && !out[i].State.Ended() {
			submitted, finished = orPlanned(submitted, path.Schedule.Submitted, i),
				orPlanned(finished, path.Schedule.Finished, i)
		}
		out[i].SubmittedSeconds, out[i].EndSeconds = Since(submitted, origin), Since(finished, origin)
		out[i].Stretches = make([]Stretch, 0, s.Plan.Jobs[i].NumStages())
		for k := range s.Plan.Jobs[i].NumStages() {
			next, planned := future[stageOf{i, k}]
			if !planned {
				next = noLane
			}
			if l, any := stretch(s, i, k, next); any {
				one := Stretch{
					Phase: PhaseOf(s.Plan, i, k, dag.NoPause), StartSeconds: Since(l.start, origin),
					EndSeconds: Since(l.end, origin),
				}
				if at := elapsed(s, origin); at != nil {
					one.progressAt(*at)
				}
				out[i].Stretches = append(out[i].Stretches, one)
			}
		}
	}
}

func orPlanned(seen dag.Instant, plan []dag.Instant, i int) dag.Instant {
	if !seen.Known() && i < len(plan) {
		return plan[i]
	}
	return seen
}

// futureOf returns the planned interval of each stage; none without a schedule.
func futureOf(path *pathfrag.Path) map[stageOf]lane {
	out := map[stageOf]lane{}
	if path == nil {
		return out
	}
	for i := range path.Schedule.Spans {
		sp := &path.Schedule.Spans[i]
		if sp.Past || sp.Pause != dag.NoPause {
			continue
		}
		key := stageOf{int(sp.Job), sp.Stage}
		l, any := out[key]
		if !any {
			l = noLane
		}
		l.cover(sp.Start, sp.End)
		out[key] = l
	}
	return out
}

func (l *lane) cover(start, end dag.Instant) {
	if !l.start.Known() || start.Known() && start < l.start {
		l.start = start
	}
	l.end = max(l.end, end)
}

// stretch returns the interval of a stage; any is false if, as far as known, the stage has no tasks. Its end is
// known if all its tasks are done, or if next has a predicted end.
func stretch(s *dag.Snapshot, job int, k dag.StageIndex, next lane) (l lane, any bool) {
	l = noLane
	count := s.Plan.Jobs[job].Stages[k].Count()
	any = count > 0
	over := jobOver(s, job)
	if job < len(s.Jobs) {
		list := s.Jobs[job].Stages[k].Attempts
		any = any || len(list) > 0
		last := dag.NoInstant
		for i := range list {
			a := &list[i]
			if a.Start.Known() && (!l.start.Known() || a.Start < l.start) {
				l.start = a.Start
			}
			if a.State == dag.AttemptSucceeded || over {
				last = max(last, a.End)
			}
		}
		if over || count > 0 && tasksDone(list) >= count {
			l.end = last
			return l, any
		}
		if next.end.Known() {
			l.end = last
		}
	}
	if next.end.Known() && !over {
		any = true
		l.cover(next.start, next.end)
	}
	return l, any
}

// tasksDone counts the tasks that have succeeded.
func tasksDone(list []dag.Attempt) int {
	done, task := 0, int32(-1)
	for i := range list {
		if list[i].State == dag.AttemptSucceeded && list[i].Task != task {
			done, task = done+1, list[i].Task
		}
	}
	return done
}

// critical marks the jobs on the critical path: those with tasks on it, or only with their end if the tasks are
// done.
func critical(path *pathfrag.Path, jobs int) []bool {
	on := make([]bool, jobs)
	if path == nil {
		return on
	}
	for _, seg := range path.Critical {
		for sp := range path.Spans(seg) {
			if (sp.Pause == dag.NoPause || sp.Pause == dag.Finish) && int(sp.Job) < jobs {
				on[sp.Job] = true
			}
		}
	}
	return on
}
