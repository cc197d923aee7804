package spark

import (
	"slices"
	"strings"
	"time"

	"github.com/paratimer/paratimer/dag"
)

const (
	// usualStart is an executor's request to its first task if this run has shown none: 1.2 to 4.7 s on quiet machines.
	usualStart            = 3 * time.Second
	leastStart, mostStart = 500 * time.Millisecond, 10 * time.Minute
	usualBacklog          = time.Second
	patience              = time.Minute // an executor that is later than this is not expected any more
	patienceStarts        = 2           // nor one that is later than so many starts
	leastLate             = time.Second
	dynamic               = "spark.dynamicAllocation."
	mostSteps             = 24 // doublings of what is asked for
)

// An allocation is how executors of an application come.
type allocation struct{ *facts }

// capacity returns how executors come while tasks wait, with dynamic allocation, and those that have been asked for and
// are not there: for the present backlog, and in place of lost ones.
func (a *allocation) capacity(now dag.Instant) (dag.Elastic, []dag.Capacity) {
	each, active := a.executorTasks(), a.activeAt(now)
	if each == 0 || slices.ContainsFunc(a.all, func(e *executor) bool { return e.id == "driver" }) {
		return dag.Elastic{}, nil
	}
	start, elastic := a.start(), dag.Elastic{}
	var asked []dag.Instant
	want := a.peak()
	if a.conf.on(dynamic + "enabled") {
		most := a.most(each)
		asked, want = a.asked(each, most)
		elastic = dag.Elastic{
			Max: min(most*each, dag.MaxSlots), Each: each, Backlog: a.conf.backlogTimeout(""),
			Sustain: a.conf.backlogTimeout("sustained"), Start: start,
		}
	}
	for _, e := range a.all {
		if e.lost() {
			asked = append(asked, e.removed)
		}
	}
	slices.Sort(asked)
	// Those that came are the ones that were asked for first.
	asked = asked[max(0, len(asked)-max(0, want-active)):]
	coming, dropped := a.expect(asked, each, start, now)
	if dropped {
		there := active * each
		for _, c := range coming {
			there += c.Cores
		}
		elastic.Max = min(elastic.Max, there)
	}
	return elastic, coming
}

// expect returns when executors are expected that were asked for. What has been waited for for long will not come at
// once: it is expected in half as long again. dropped says that some are so late that they are not.
func (a *allocation) expect(asked []dag.Instant, each int, start time.Duration, now dag.Instant,
) (coming []dag.Capacity, dropped bool) {
	last := dag.NoInstant
	for _, e := range a.all {
		last = max(last, e.added)
	}
	for _, t := range asked {
		at := t.Add(start)
		if late := now.Sub(max(at, last)); late > max(patience, patienceStarts*start) {
			dropped = true
			continue
		}
		at = max(at, now.Add(max(now.Sub(t)/2, leastLate)))
		if n := len(coming); n > 0 && coming[n-1].At == at {
			coming[n-1].Cores += each
			continue
		}
		coming = append(coming, dag.Capacity{At: at, Cores: each})
	}
	return coming, dropped
}

// most is how many executors dynamic allocation may have at once: as many as there have been if nothing bounds it,
// since it is unknown what the cluster would give.
func (a *allocation) most(each int) int {
	most := a.conf.number(dynamic + "maxExecutors")
	if cores := a.conf.number("spark.cores.max"); cores > 0 {
		if n := cores / (each * a.conf.coresPerTask()); most < 0 || n < most {
			most = n
		}
	}
	if most < 0 {
		most = a.peak()
	}
	return min(most, mostExecutors, dag.MaxSlots/each)
}

// asked returns when executors were asked for with dynamic allocation, or will be for the tasks that run or wait now,
// and how many there are to be then: one is asked for once some tasks have waited for the backlog timeout, and twice as
// many each time that they have waited for as long again.
func (a *allocation) asked(each, most int) (asked []dag.Instant, want int) {
	first := min(a.initial(), most)
	asked = times(first, a.asking())
	tasks, since := a.backlog()
	if !since.Known() {
		return asked, first
	}
	need := min(max((tasks+each-1)/each, a.conf.number(dynamic+"minExecutors")), most)
	want = max(first, a.activeAt(since))
	at := since.Add(a.conf.backlogTimeout(""))
	for step := 0; want < need && step < mostSteps; step++ {
		n := min(1<<step, need-want)
		asked, want = append(asked, times(n, at)...), want+n
		at = at.Add(a.conf.backlogTimeout("sustained"))
	}
	return asked, min(want, need)
}

// initial is how many executors are asked for before the first job with dynamic allocation.
func (a *allocation) initial() int {
	return max(0, a.conf.number(dynamic+"initialExecutors"), a.conf.number(dynamic+"minExecutors"),
		a.conf.number("spark.executor.instances"))
}

// asking is when the first executors were asked for: with the application, or for its first job.
func (a *allocation) asking() dag.Instant {
	if a.conf.on(dynamic+"enabled") && a.initial() == 0 || !a.began.Known() {
		return a.submitted().Add(a.conf.backlogTimeout(""))
	}
	return a.began
}

// start is how long an executor takes from its request to being there, as the newest one in place of a lost one shows,
// or else the first one.
func (a *allocation) start() time.Duration {
	asked, first, last := a.asking(), dag.NoInstant, dag.NoInstant
	for _, e := range a.all {
		if last = max(last, e.added); e.added.Known() && (!first.Known() || e.added < first) {
			first = e.added
		}
	}
	for _, e := range slices.Backward(a.all) {
		if e.lost() && last > e.removed && !a.conf.on(dynamic+"enabled") {
			asked, first = e.removed, last
			for _, next := range a.all {
				if next.added > e.removed {
					first = min(first, next.added)
				}
			}
			break
		}
	}
	if !asked.Known() || !first.Known() || first <= asked {
		return usualStart
	}
	return min(max(first.Sub(asked), leastStart), mostStart)
}

// backlog returns how many tasks run or wait, of all jobs, and since when; NoInstant if there are none.
func (a *allocation) backlog() (tasks int, since dag.Instant) {
	since = dag.NoInstant
	for _, s := range a.stages {
		t := s.newest()
		if t == nil || t.status != "ACTIVE" || t.complete >= t.tasks {
			continue
		}
		tasks += t.tasks - t.complete
		if t.submitted.Known() && (!since.Known() || t.submitted < since) {
			since = t.submitted
		}
	}
	return tasks, since
}

// executorTasks is how many tasks an executor runs at once; 0 if that is not known.
func (a *allocation) executorTasks() int {
	for _, e := range slices.Backward(a.all) {
		if e.cores > 0 {
			return e.cores
		}
	}
	return max(0, a.conf.number("spark.executor.cores")) / a.conf.coresPerTask()
}

// times returns an instant n times; nothing if it is not known.
func times(n int, t dag.Instant) []dag.Instant {
	if !t.Known() {
		return nil
	}
	return slices.Repeat([]dag.Instant{t}, min(max(n, 0), mostExecutors))
}

// boot is how long the first executor of an application took to start, on a cluster of Spark's own, which starts
// executors with the application: elsewhere they wait for containers as well. 0 where that is not known.
func (a *allocation) boot() time.Duration {
	first := dag.NoInstant
	for _, e := range a.all {
		if e.id != "driver" && e.added.Known() && (!first.Known() || e.added < first) {
			first = e.added
		}
	}
	if !first.Known() || !a.began.Known() || first <= a.began || !strings.HasPrefix(a.conf["spark.master"], "spark://") {
		return 0
	}
	return first.Sub(a.began)
}
