package compare

import (
	"cmp"
	"math"
	"slices"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/pathfrag"
)

// A Part is an interval of the critical path.
type Part struct {
	Job    int // index in Jobs; -1 between jobs
	Phase  dag.StageIndex
	Task   int // -1 if it belongs to no task
	Effect Effect
	Length float64
	Skew   bool // the time beyond the median task of its stage
}

// of returns a copy of the part with another effect and length.
func (p Part) of(e Effect, length dag.Instant) Part {
	p.Effect, p.Length = e, float64(length)
	return p
}

// effects maps the causes of a time attribution to effects; others are Rest. Skew is work of the uneven reduce.
var effects = map[pathfrag.Cause]Effect{
	pathfrag.Queueing: Waiting, pathfrag.Launch: Startup, pathfrag.Containers: Waiting,
	pathfrag.SetUp: Startup, pathfrag.Work: Work,
	pathfrag.Shuffle: Shuffle, pathfrag.Sort: Work, pathfrag.Skew: Work, pathfrag.Straggler: Work,
	pathfrag.Failures: Failures, pathfrag.Finish: Startup, pathfrag.Broadcast: Startup,
	pathfrag.Startup: Startup, pathfrag.Idle: Waiting,
}

// follow sets the run's critical path from the attribution of the whole run and its last snapshot. If the path
// waits for containers that other tasks of the query use, it continues through those tasks instead (ParaTimer,
// section 3.1.3): a job with slower tasks lengthens the run by the time that others wait for it. Work repeated
// after a failure counts as Failures. An attribution of only a part of the run is ignored.
func (r *Run) follow(a *pathfrag.Attribution, s *dag.Snapshot) {
	if !r.Succeeded() || a.From != r.Start || float64(a.Total().Milliseconds()) != r.Length {
		return
	}
	holders := holdersOf(r, s)
	for _, p := range a.Parts {
		part := Part{Job: p.Job, Phase: max(p.Stage, 0), Task: int(p.Task), Skew: p.Cause == pathfrag.Skew}
		part = part.of(cmp.Or(effects[p.Cause], Rest), p.End-p.Start) // a pause of a job belongs to its first stage
		parts := []Part{part}
		switch {
		case p.Task >= 0 && repeated(s.Attempts(p.Job, p.Stage), p.Task, p.Attempt):
			parts[0].Effect = Failures
		case p.Cause == pathfrag.Containers:
			parts = held(holders, part, p.Start, p.End)
		case p.Cause == pathfrag.Work && !r.Plan.Jobs[p.Job].Stages[p.Stage].Copies():
			// No task report separates start-up from work, the fitted start-up times do.
			if t := r.Jobs[p.Job].Phases[part.Phase].task(part.Task); t != nil && t.Work < part.Length {
				work := dag.Instant(t.Work)
				parts = []Part{part.of(Startup, p.End-p.Start-work), part.of(Work, work)}
			}
		}
		r.Path = append(r.Path, parts...)
	}
	r.Path = slices.DeleteFunc(r.Path, func(p Part) bool { return p.Length == 0 })
}

// repeated reports whether an attempt of a list repeats another one.
func repeated(attempts []dag.Attempt, task, number int32) bool {
	return repeats(attempts, slices.IndexFunc(attempts, func(a dag.Attempt) bool {
		return a.Task == task && a.Number == number
	}))
}

// A holder is the time of an attempt in its container.
type holder struct {
	start, end dag.Instant
	part       Part
	work       dag.Instant // before its end
	rest       Effect      // of the time before its work
}

// holdersOf returns the ended attempts of a run, sorted by end. An attempt whose work was lost, or that repeats lost
// work, has none. Before its work a task starts up, or also waits for input if its stage copies.
func holdersOf(r *Run, s *dag.Snapshot) (all []holder) {
	for j := range s.Jobs {
		for k := range s.Jobs[j].NumStages() {
			stage := &s.Jobs[j].Stages[k]
			for i, a := range stage.Attempts {
				if !a.Start.Known() || !a.End.Known() || a.End < a.Start {
					continue
				}
				h := holder{start: a.Start, end: a.End, part: Part{Job: j, Phase: k, Task: int(a.Task)}, rest: Startup}
				t := r.Jobs[j].Phases[k].task(h.part.Task)
				counts := t != nil && t.Start == a.Start && t.End == a.End && !repeats(stage.Attempts, i)
				if counts && t.Work > 0 {
					h.work = dag.Instant(t.Work)
				}
				switch {
				case !counts && !stage.Overtaken(&a):
					h.rest = Failures
				case s.Plan.Jobs[j].Stages[k].Copies():
					h.rest = Waiting
				}
				all = append(all, h)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b holder) int {
		return cmp.Or(cmp.Compare(a.end, b.end), cmp.Compare(b.start, a.start))
	})
	return all
}

// held splits a wait for a container. The task that released its container last is on the path from its start; before
// that is whatever the task waited for. If none of the query's tasks ended, the time is Waiting: other applications
// used the containers, or none was allocated.
func held(all []holder, wait Part, from, to dag.Instant) (parts []Part) {
	for from < to {
		i, _ := slices.BinarySearchFunc(all, to+1, func(h holder, t dag.Instant) int { return cmp.Compare(h.end, t) })
		i--
		for i >= 0 && all[i].start >= to && all[i].end > from {
			i-- // it has no duration within the wait
		}
		if i < 0 || all[i].end <= from {
			break
		}
		h := &all[i]
		start := max(h.start, from)
		work := min(h.work, h.end-start)
		parts = append(parts, wait.of(Waiting, to-h.end), h.part.of(Work, work), h.part.of(h.rest, h.end-start-work))
		to = start
	}
	parts = append(parts, wait.of(Waiting, to-from))
	slices.Reverse(parts)
	return parts
}

// A load is a phase on a critical path.
type load struct {
	effects map[Effect]float64 // milliseconds without work
	ms      float64            // of work
	skew    float64            // of it: beyond the median task
	records float64            // records read in it; NaN unknown
	all     float64            // records of the whole phase; NaN unknown
	cost    float64            // milliseconds per record: on the path, else of the phase; NaN unknown
}

// on sums up what the path has of a phase; job is -1 for what belongs to no job. A task that is only partly on the path
// counts with the same fraction of its records.
func (r *Run) on(job int, k dag.StageIndex) load {
	l, p := load{effects: map[Effect]float64{}}, &Phase{}
	if job >= 0 && k >= 0 {
		p = &r.Jobs[job].Phases[k]
		l.all, l.cost = p.sum(recordsOf), p.Cost()
	}
	for _, part := range r.Path {
		if part.Job != job || part.Phase != k {
			continue
		}
		if part.Effect != Work {
			l.effects[part.Effect] += part.Length
			continue
		}
		if l.ms += part.Length; part.Skew {
			l.skew += part.Length
		}
		switch t := p.task(part.Task); {
		case t == nil:
			l.records = math.NaN()
		case t.Work > 0:
			l.records += min(part.Length/t.Work, 1) * t.Records
		default: // too short to separate work from start-up
			l.records += t.Records
		}
	}
	if l.ms > 0 {
		l.cost = l.ms / l.records
	}
	return l
}

// onPath returns a job's milliseconds on the path; NaN if the run does not have the job.
func (r *Run) onPath(job int) float64 {
	if job < 0 {
		return math.NaN()
	}
	sum := 0.0
	for _, p := range r.Path {
		if p.Job == job {
			sum += p.Length
		}
	}
	return sum
}
