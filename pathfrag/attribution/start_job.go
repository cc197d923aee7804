package attribution

import (
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// jobReady returns the earliest instant at which a job can have requested tasks: its master's start; under FIFO, or
// if that is unknown, its submission.
func (w *walker) jobReady(j int32) dag.Instant {
	js := &w.s.Jobs[j]
	if !w.pool {
		return max(js.Submitted, w.origin)
	}
	if t := w.started(j); t.Known() {
		return t
	}
	return max(js.Submitted, w.origin)
}

// started returns when the job's master had begun by now; if the present start is later, the marked start of the
// first one.
func (w *walker) started(j int32) dag.Instant {
	if t := w.s.Jobs[j].Started; t.Known() && t <= w.at {
		return t
	}
	if m := w.marks.of(w.s.Plan.Jobs[j].Node); m != nil && m.started.Known() && m.started <= w.at {
		return m.started
	}
	return dag.NoInstant
}

// jobStart goes from a job's first task, or from now if none has started, back to its submission and on.
func (w *walker) jobStart(j int32) {
	js, part := &w.s.Jobs[j], ofJob(j)
	submitted := js.Submitted
	if !submitted.Known() {
		return // the rest is unknown
	}
	from, kind := w.started(j), w.firstStage(j)
	if !w.pool {
		from = submitted
	}
	if from.Known() {
		if q := w.holder(j, kind, from); q >= 0 {
			w.waits = append(w.waits, Wait{
				Job: int(j), Holder: int(w.all[q].job), Start: max(from, w.origin),
				End: w.at,
			})
			w.back(Containers, w.all[q].End, part)
			w.follow(q)
			return
		}
		if since, last, ok := w.full(j, kind, from, w.at, w.marks); ok && last >= w.at-handover {
			w.back(Containers, since, part)
		}
		start := Launch
		if w.s.Plan.Cluster.Policy == dag.Executors && w.at.Sub(from) > asking {
			start = Containers // the first stage is ready when its job is submitted: no executor had come yet
		} else if w.at.Sub(from) > asking && w.s.Plan.Jobs[j].Rules != dag.AncestorsFirst {
			// An attempt of Tez starts in its JVM, which comes after the container's launch.
			start = Unknown
		}
		w.back(start, max(from, submitted), part)
	}
	w.master(j, submitted)
	w.back(Unknown, submitted, part)
	w.submission(j)
}

// firstStage returns the first stage of a job that has tasks or an unknown number of tasks.
func (w *walker) firstStage(j int32) dag.StageIndex {
	stages := w.s.Plan.Jobs[j].Stages
	return dag.StageIndex(max(0, slices.IndexFunc(stages, func(s dag.Stage) bool {
		return !s.Known ||
			s.Tasks > 0
	}))) //nolint:gosec // an index
}

// master goes back over a YARN job's start, from its master's start or, if that is unknown, from now, to its
// submission. Snapshots show until when it had no container. The container came between two of them, and the time
// up to the second counts as launch.
func (w *walker) master(j int32, submitted dag.Instant) {
	part := ofJob(j)
	if js := &w.s.Jobs[j]; js.Attempt > 1 && js.Started.Known() && js.Started <= w.at {
		w.back(Failures, submitted, part) // all work of an earlier master is lost, and its attempts are unknown
		return
	}
	m := w.marks.of(w.s.Plan.Jobs[j].Node)
	if m == nil {
		return
	}
	idle, holding := submitted, w.at
	if m.idle.Known() {
		idle = min(max(idle, m.idle), w.at)
	}
	switch {
	case m.holding.Known():
		holding = min(max(m.holding, idle), w.at)
	default:
		idle = w.at
	}
	w.back(Launch, holding, part)
	if holding-idle <= pause {
		w.back(Launch, idle, part)
	} else {
		w.back(Unknown, idle, part)
	}
	w.back(Queueing, submitted, part)
}

// submission goes from a job's submission to the job that the client had waited for: the job that had ended last
// before it, preferably a parent if several had.
func (w *walker) submission(j int32) {
	if w.at <= w.origin {
		return
	}
	best, end := int32(-1), dag.NoInstant
	for k := range w.s.Jobs {
		t := w.s.Jobs[k].Finished
		parent := w.graph.DependsOn(int(j), k)
		if !t.Known() || w.done[k] || t > w.at && !parent {
			continue
		}
		if t = min(t, w.at); best < 0 || t > end || t == end && parent && !w.graph.DependsOn(int(j), int(best)) {
			best, end = int32(k), t
		}
	}
	if best < 0 {
		w.back(Launch, w.origin, ofJob(j))
		return
	}
	w.back(Launch, end, ofJob(j))
	w.jobEnd(best)
}
