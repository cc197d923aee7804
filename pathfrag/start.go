package pathfrag

import (
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// startedBy finds the attempt that attempt id waited for; the chain has reached the start of id. It goes back to it
// and returns it; -1 if the chain continues at the job's start. last is the last task that attempt id reads, -1 if
// it reads none.
//
// It waited for the latest of its input, its previous attempt, and a container. The container came from the slot's
// last user or, under YARN, from the last attempt to end on the node within three heartbeats, in this job or in
// another one. Another job's container only counts if there was no room beside it.
func (w *walker) startedBy(id, last int32) int32 {
	x := &w.all[id]
	ready := w.jobReady(x.job)
	if last >= 0 {
		ready = w.all[last].End
	}
	given := w.s.Jobs[x.job].Stages[x.kind].Submitted
	ready = max(ready, min(given, w.at))
	again := w.before(id)
	gap := Containers
	if again >= 0 {
		gap = Failures
		if !complete(&w.all[again]) {
			ready = max(ready, w.all[again].End)
		}
	}
	if q := w.gaveUp(id, w.at, w.been); q >= 0 && w.took(id, q, ready, last >= 0 || again >= 0) {
		w.back(Containers, w.all[q].End, w.of(id))
		return q
	}
	switch {
	case again >= 0 && !complete(&w.all[again]) && ready == w.all[again].End && !w.been[again]:
		w.back(gap, ready, w.of(id))
		return again
	case w.at > ready:
		if q := w.ownBefore(id, ready); q >= 0 {
			w.wait(gap, w.all[q].End, id)
			return q
		}
		if q := w.coreBefore(id, ready); q >= 0 {
			w.wait(gap, w.all[q].End, id)
			return q
		}
	}
	if last >= 0 && !w.been[last] {
		w.wait(gap, max(given, w.all[last].End), id)
		between := Launch
		if l := &w.all[last]; w.s.Plan.Jobs[l.job].Stages[l.kind].Broadcast {
			between = Broadcast
		}
		w.back(between, w.all[last].End, ofJob(x.job))
		return last
	}
	if first := w.first[x.job]; first.Known() {
		w.wait(gap, max(first, ready), id)
	}
	if last < 0 && given > w.origin {
		w.back(Launch, w.origin, ofJob(x.job)) // the driver waited for no job
	}
	w.jobStart(x.job)
	return -1
}

// coreBefore returns the attempt on executors that gave its core to attempt id: the last of any stage to end by now, or
// one of the same executor that the driver recorded as ended somewhat later. It is -1 if a core was free since ready.
func (w *walker) coreBefore(id int32, ready dag.Instant) int32 {
	x := &w.all[id]
	if w.s.Plan.Cluster.Policy != dag.Executors || w.lastBusy(x.job, x.kind, ready, w.at) <= ready {
		return -1
	}
	for i := w.lastBy(w.byEnd, w.at+handover); i >= 0 && w.all[w.byEnd[i]].End > ready; i-- {
		q := w.byEnd[i]
		a := &w.all[q]
		if q != id && !w.been[q] && a.Start.Known() && a.Start < x.Start && (a.End <= w.at || a.Node == x.Node) {
			return q
		}
	}
	return -1
}

// wait goes back over the time for which an attempt waited since an instant. On executors, the driver caused the
// part of it in which a core was free, and an executor that ran nothing before caused the part before it registered.
func (w *walker) wait(gap Cause, since dag.Instant, id int32) {
	x := &w.all[id]
	if gap != Containers || w.s.Plan.Cluster.Policy != dag.Executors {
		w.back(gap, since, w.of(id))
		return
	}
	begun := w.at // when the first task of its stage began
	for i := w.phase[x.job][x.kind][0]; i < w.phase[x.job][x.kind][1]; i++ {
		if at := w.all[i].Start; at.Known() {
			begun = min(begun, at)
		}
	}
	busy := w.lastBusy(x.job, x.kind, since, w.at)
	if ready := w.registered(x.Node); ready > since && w.firstOn(id) {
		busy, gap = max(ready, since), Startup
	}
	w.back(Idle, max(busy, begun), w.of(id))
	w.back(Launch, busy, w.of(id))
	w.back(gap, since, w.of(id))
}

// firstOn reports whether an attempt was the first one on its node.
func (w *walker) firstOn(id int32) bool {
	x := &w.all[id]
	return !slices.ContainsFunc(w.all, func(a attempt) bool {
		return a.Node == x.Node && a.Start.Known() && a.Start < x.Start
	})
}

// registered returns when an executor was ready for tasks, or the first one if node is -1; 0 if that is unknown.
func (w *walker) registered(node int32) (at dag.Instant) {
	for i := range w.s.Nodes {
		if t := w.s.Nodes[i].Since; (node < 0 || int(node) == i) && t > 0 && (at == 0 || t < at) {
			at = t
		}
	}
	return at
}

// took reports whether attempt id, which was ready at an instant, had to wait for attempt q's container. fed means
// that another attempt made it ready.
func (w *walker) took(id, q int32, ready dag.Instant, fed bool) bool {
	x, a := &w.all[id], &w.all[q]
	switch {
	case a.End < ready, a.End == ready && fed, w.at <= ready && a.job != x.job:
		return false
	case a.job == x.job:
		return true
	}
	return w.kept(x.job, x.kind, ready, w.at, w.marks)
}

// holder returns the attempt of another job that released a container for the first task of a job, which was ready
// at an instant; -1 if there is none.
func (w *walker) holder(j int32, k dag.StageIndex, ready dag.Instant) int32 {
	for i := w.lastBy(w.byEnd, w.at); i >= 0; i-- {
		q := w.byEnd[i]
		a := &w.all[q]
		if a.End <= ready || a.End < w.at-handover {
			return -1
		}
		if a.job != j && !w.been[q] && a.Start.Known() && (w.pool || a.kind == k) {
			if w.kept(j, k, ready, w.at, w.marks) {
				return q
			}
			return -1
		}
	}
	return -1
}

// ownBefore returns the attempt of the same stage that ended last by now and after ready, -1 if none.
func (w *walker) ownBefore(id int32, ready dag.Instant) int32 {
	x := &w.all[id]
	list := w.ended[x.job][x.kind]
	for i := w.lastBy(list, w.at); i >= 0 && w.all[list[i]].End > ready; i-- {
		if q := list[i]; q != id && !w.been[q] && w.all[q].Task != x.Task && w.all[q].Start.Known() {
			return q
		}
	}
	return -1
}

// asking is the longest usual time from the start of a master to its first task. The cause of a longer time is unknown
// unless an observation shows it.
const asking = 10 * time.Second

// pause is the longest time between two snapshots, in milliseconds, for a change between them to count as observed.
const pause = 5000

// jobReady returns the earliest instant at which a job can have requested tasks: its master's start; under FIFO, or
// if that is unknown, its submission.
func (w *walker) jobReady(j int32) dag.Instant {
	if t := w.started(j); w.pool && t.Known() {
		return t
	}
	return max(w.s.Jobs[j].Submitted, w.origin)
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
			w.back(Containers, w.all[q].End, part)
			w.follow(q)
			return
		}
		if since, last, ok := w.full(j, kind, from, w.at, w.marks); ok && last >= w.at-handover {
			w.back(Containers, since, part)
		}
		start, ready := Launch, w.registered(-1)
		if w.s.Plan.Cluster.Policy == dag.Executors && (ready > 0 || w.at.Sub(from) > asking) {
			// The first stage is ready when its job is submitted: no executor had come yet.
			if ready > 0 {
				w.back(Launch, max(ready, from), part)
			}
			start = Startup
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
	hasTasks := func(s dag.Stage) bool { return !s.Known || s.Tasks > 0 }
	return dag.StageIndex(max(0, slices.IndexFunc(stages, hasTasks))) //nolint:gosec // an index
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
	idle, holding := w.at, w.at
	if m.holding.Known() {
		idle = min(max(submitted, m.idle), w.at)
		holding = min(max(m.holding, idle), w.at)
	}
	w.back(Launch, holding, part)
	if holding-idle <= pause {
		w.back(Launch, idle, part)
	} else {
		w.back(Unknown, idle, part)
	}
	w.back(Queueing, submitted, part)
}

// submission continues the walk at the job that the client waited for before it submitted job j: the last job to
// end before that. If several ended last, it prefers one that j reads.
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
