package attribution

import (
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
		if w.all[q].job != x.job {
			w.waits = append(w.waits, Wait{
				Job: int(x.job), Holder: int(w.all[q].job), Start: max(ready, w.origin),
				End: w.at,
			})
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
		w.wait(gap, max(given, w.all[last].End), id)
		w.back(Launch, w.all[last].End, ofJob(x.job))
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

// wait goes back over the time for which an attempt waited since an instant. On executors, the driver caused the
// part of it in which a core was free.
func (w *walker) wait(gap Cause, since dag.Instant, id int32) {
	if x := &w.all[id]; gap == Containers && w.s.Plan.Cluster.Policy == dag.Executors {
		w.back(Launch, w.lastBusy(x.job, x.kind, since, w.at), w.of(id))
	}
	w.back(gap, since, w.of(id))
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

// asking is the longest time in which a master starts its first task if nothing is seen to delay it. After a longer
// time, the cause is unknown.
const asking = 10 * time.Second

// pause is the longest time between two snapshots, in milliseconds, for a change between them to count as observed.
const pause = 5000
