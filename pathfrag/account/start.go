package account

import (
	"time"

	"github.com/paratimer/paratimer/dag"
)

// startedBy finds what attempt id, at whose start the chain is, waited for, goes back to it and returns it; -1 where the chain has gone on to
// the job's start. last is the last map that a reduce needs, -1 for a map.
//
// It waited for what came last: its input, its attempt before, or a container. Who gave that back is the slot's last holder or,
// under YARN, who ended last on the node within three heartbeats: the query's own work goes on there, in this job or in another
// one. Another job's container counts only if there was no room beside it.
func (w *walker) startedBy(id, last int32) int32 {
	x := &w.all[id]
	ready := w.jobReady(x.job)
	if last >= 0 {
		ready = w.all[last].End
	}
	again := w.before(id)
	gap := Containers
	if again >= 0 {
		gap = Failures
		if !complete(&w.all[again]) {
			ready = max(ready, w.all[again].End)
		}
	}
	if q := w.gaveUp(id, w.at, w.been); q >= 0 && w.took(id, q, ready, last >= 0 || again >= 0) {
		if w.all[q].job != x.job {
			w.waits = append(w.waits, Wait{Job: int(x.job), Holder: int(w.all[q].job), Start: max(ready, w.origin), End: w.at})
		}
		w.back(Containers, w.all[q].End, w.of(id))
		return q
	}
	switch {
	case again >= 0 && !complete(&w.all[again]) && ready == w.all[again].End && !w.been[again]:
		w.back(gap, ready, w.of(id))
		return again
	case w.at > ready:
		if q := w.ownBefore(id, ready); q >= 0 {
			w.back(gap, w.all[q].End, w.of(id))
			return q
		}
	}
	if last >= 0 && !w.been[last] {
		w.back(gap, w.all[last].End, w.of(id))
		return last
	}
	if first := w.first[x.job]; first.Known() {
		w.back(gap, max(first, ready), w.of(id))
	}
	w.jobStart(x.job)
	return -1
}

// took says that attempt id, which was ready at an instant, had to wait for attempt q's container. fed says that it became ready by
// what another attempt did.
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

// holder is who of another job gave a container back that the first task of a job, ready at an instant, can have waited for; -1 if none.
func (w *walker) holder(j int32, k dag.Kind, ready dag.Instant) int32 {
	for i := w.lastBy(w.byEnd, w.at); i >= 0; i-- {
		q := w.byEnd[i]
		a := &w.all[q]
		if a.End <= ready || a.End < w.at-handover {
			return -1
		}
		if a.job != j && !w.been[q] && a.Start.Known() && (w.yarn || a.kind == k) {
			if w.kept(j, k, ready, w.at, w.marks) {
				return q
			}
			return -1
		}
	}
	return -1
}

// ownBefore is the attempt of the same phase that ended last by now and after ready, -1 if none.
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

// jobReady is from when on a job can have asked for tasks: its master's start; under FIFO, or where that is not known, its submission.
func (w *walker) jobReady(j int32) dag.Instant {
	js := &w.s.Jobs[j]
	if !w.yarn {
		return max(js.Submitted, w.origin)
	}
	if t := w.started(j); t.Known() {
		return t
	}
	return max(js.Submitted, w.origin)
}

// started is when the job's master, the first one if there were several and somebody has noted it, had begun by now.
func (w *walker) started(j int32) dag.Instant {
	if t := w.s.Jobs[j].Started; t.Known() && t <= w.at {
		return t
	}
	if m := w.marks.of(w.s.Plan.Jobs[j].Node); m != nil && m.started.Known() && m.started <= w.at {
		return m.started
	}
	return dag.NoInstant
}

// jobStart goes from a job's first task, or from now where none has started, back to its submission and on.
func (w *walker) jobStart(j int32) {
	js, part := &w.s.Jobs[j], ofJob(j)
	submitted := js.Submitted
	if !submitted.Known() {
		return // the rest is unknown
	}
	from, kind := w.started(j), dag.Map
	if !w.yarn {
		from = submitted
	}
	if w.s.Plan.Jobs[j].Map.Known && w.s.Plan.Jobs[j].Map.Count() == 0 {
		kind = dag.Reduce
	}
	if from.Known() {
		if q := w.holder(j, kind, from); q >= 0 {
			w.waits = append(w.waits, Wait{Job: int(j), Holder: int(w.all[q].job), Start: max(from, w.origin), End: w.at})
			w.back(Containers, w.all[q].End, part)
			w.follow(q)
			return
		}
		if since, last, ok := w.full(j, kind, from, w.at, w.marks); ok && last >= w.at-handover {
			w.back(Containers, since, part)
		}
		start := Launch
		if w.at.Sub(from) > asking {
			start = Unknown
		}
		w.back(start, max(from, submitted), part)
	}
	w.master(j, submitted)
	w.back(Unknown, submitted, part)
	w.submission(j)
}

// asking is how long a master may take to start its first task where nothing is seen to keep it; of more, nobody saw what it waited for.
const asking = 10 * time.Second

// pause is how far two snapshots may lie apart, in milliseconds, so that what came between them counts as seen.
const pause = 5000

// master goes back over a YARN job's start, from its master's or, where that is not known, from now, to its submission. Snapshots tell until
// when it had no container; it came between two of them, and the time up to the second counts as launch.
func (w *walker) master(j int32, submitted dag.Instant) {
	part := ofJob(j)
	if js := &w.s.Jobs[j]; js.Attempt > 1 && js.Started.Known() && js.Started <= w.at {
		w.back(Failures, submitted, part) // all that an earlier master did was in vain, and its attempts are forgotten
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

// submission goes from a job's submission to what the client had waited for: the job that had ended last before it, a parent if
// several had.
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
