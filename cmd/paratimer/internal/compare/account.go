package compare

import (
	"slices"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/pathfrag/attribution"
)

// effects are what the causes of an account come under. Skew is work of the reduce that has it.
var effects = map[attribution.Cause]Effect{
	attribution.Queueing: Waiting, attribution.Launch: Startup, attribution.Containers: Waiting,
	attribution.SetUp: Startup, attribution.Work: Work,
	attribution.Shuffle: Shuffle, attribution.Sort: Work, attribution.Skew: Work, attribution.Failures: Failures,
	attribution.Finish: Startup,
}

// Follow gives the run its critical path, by the account of all of it and its last snapshot. An account that waits for
// containers which other tasks of the query hold goes through these tasks instead (ParaTimer, section 3.1.3): a job
// whose tasks became slower lengthens the run by what others wait for it. What a task does again after a failure is the
// failure's. An account of less than the run says nothing of its length.
func (r *Run) Follow(a *attribution.Attribution, s *dag.Snapshot) {
	if !r.Succeeded() || a.From != r.Start || float64(a.Total().Milliseconds()) != r.Length {
		return
	}
	again := redone(s)
	holders := holdersOf(r, s, again)
	for i := range a.Parts {
		p := &a.Parts[i]
		effect, known := effects[p.Cause]
		if !known {
			effect = Rest
		}
		part := Part{
			Job: p.Job, Phase: p.Stage, Task: int(p.Task), Effect: effect, Length: float64(p.End - p.Start),
			Skew: p.Cause == attribution.Skew,
		}
		part.Phase = max(part.Phase, 0) // a pause of a job comes with its first stage
		switch {
		case again[attemptKey{p.Job, p.Stage, p.Task, p.Attempt}]:
			r.Path = append(r.Path, part.of(Failures, p.End-p.Start))
		case p.Cause == attribution.Containers:
			parts := held(holders, part, p.Start, p.End)
			slices.Reverse(parts)
			r.Path = append(r.Path, parts...)
		case p.Cause == attribution.Work && !r.Plan.Jobs[p.Job].Stages[p.Stage].Copies():
			r.Path = append(r.Path, r.worked(part)...)
		default:
			r.Path = append(r.Path, part)
		}
	}
	r.Path = slices.DeleteFunc(r.Path, func(p Part) bool { return p.Length == 0 })
}

// worked takes start-up out of a part that no report tells from work: by the law of the run's start-ups.
func (r *Run) worked(p Part) []Part {
	t := r.Jobs[p.Job].Phases[p.Phase].task(p.Task)
	if t == nil || !(t.Work < p.Length) {
		return []Part{p}
	}
	work := dag.Instant(t.Work)
	return []Part{p.of(Startup, dag.Instant(p.Length)-work), p.of(Work, work)}
}
