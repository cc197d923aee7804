package frame

import (
	"slices"

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

// A Failure is an attempt that failed, or that lost its work with its node.
type Failure struct {
	AtSeconds *Seconds `json:"at_seconds"`
	Job       string   `json:"job"` // node in the DAG
	Attempt   string   `json:"attempt"`
	Node      *string  `json:"node"` // the machine
	Why       *string  `json:"why"`
}

// MostFailures bounds Failures to the newest ones.
const MostFailures = 20

// A Task is the state of a task of a job: its newest attempt, and its expected end. It is not in the JSON.
type Task struct {
	Name         string // of its attempt, or of the task if none has begun
	Phase        dag.StageIndex
	Index        int
	Attempts     int // number of attempts that have begun
	State        string
	Node         *string
	StartSeconds *Seconds
	EndSeconds   *Seconds // observed or predicted
	Ratio        *Ratio   // the engine's own progress
	Critical     bool
}

// TasksOf lists at most most tasks of a job: unfinished ones first, each group with the latest end first. all is
// the number of all tasks.
type TasksOf func(job, most int) (tasks []Task, all int)

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

// lanes sets the times of each job and its stages: observed, then as planned by path.
func lanes(s *dag.Snapshot, path *pathfrag.Path, out []Job) {
	origin := s.Origin()
	future := ahead(path, s.Plan, len(out))
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
			var next *lane
			if future != nil {
				next = &future[i][k]
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

// ahead returns the future interval of each job's stages by the schedule; nil without a schedule.
func ahead(path *pathfrag.Path, plan *dag.Plan, jobs int) [][]lane {
	if path == nil {
		return nil
	}
	stages := 0
	for i := range jobs {
		stages += len(plan.Jobs[i].Stages)
	}
	all := slices.Repeat([]lane{{dag.NoInstant, dag.NoInstant}}, stages)
	out := make([][]lane, jobs)
	for i := range out {
		n := len(plan.Jobs[i].Stages)
		out[i], all = all[:n], all[n:]
	}
	for i := range path.Schedule.Spans {
		sp := &path.Schedule.Spans[i]
		if sp.Past || sp.Pause != dag.NoPause || int(sp.Job) >= jobs {
			continue
		}
		out[sp.Job][sp.Stage].cover(sp.Start, sp.End)
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
func stretch(s *dag.Snapshot, job int, k dag.StageIndex, next *lane) (l lane, any bool) {
	l = lane{dag.NoInstant, dag.NoInstant}
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
		if next != nil && next.end.Known() {
			l.end = last
		}
	}
	if next != nil && next.end.Known() && !over {
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
