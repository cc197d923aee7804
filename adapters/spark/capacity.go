package spark

import (
	"slices"
	"strings"
	"time"

	"github.com/paratimer/paratimer/dag"
)

const (
	// usualStart is the time from an executor's request to its start, for runs that have shown none. It was 1.2 to
	// 4.7 s on quiet machines.
	usualStart            = 3 * time.Second
	leastStart, mostStart = 500 * time.Millisecond, 10 * time.Minute
	usualBacklog          = time.Second
	patience              = time.Minute // executors that are later than this are not expected any more
	patienceStarts        = 2           // the same, in multiples of the start time
	leastLate             = time.Second
	dynamic               = "spark.dynamicAllocation."
	mostSteps             = 24 // doublings of the request
)

// An allocation estimates when executors of an application start.
type allocation struct{ *facts }

// capacity returns how dynamic allocation adds executors while tasks wait, and the executors that were requested but
// have not started. These serve the current backlog or replace lost executors.
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
	// Executors start in the order of their requests.
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

// expect returns when the requested executors are expected. An overdue executor is expected after another half of
// the time since its request. dropped reports that some are too late to be expected at all.
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

// most returns how many executors dynamic allocation may have at once. Without a limit it returns the peak so far,
// since the cluster's free capacity is unknown.
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

// asked returns when dynamic allocation requested executors, or will for the tasks that now run and wait, and the
// target number. Spark requests one executor after the backlog timeout, and twice as many after each sustained timeout.
func (a *allocation) asked(each, most int) (asked []dag.Instant, want int) {
	ask := func(n int, at dag.Instant) {
		if n > 0 && at.Known() {
			asked = append(asked, slices.Repeat([]dag.Instant{at}, min(n, mostExecutors))...)
		}
	}
	first := min(a.initial(), most)
	ask(first, a.asking())
	tasks, since := a.backlog()
	if !since.Known() {
		return asked, first
	}
	need := min(max((tasks+each-1)/each, a.conf.number(dynamic+"minExecutors")), most)
	want = max(first, a.activeAt(since))
	at := since.Add(a.conf.backlogTimeout(""))
	for step := 0; want < need && step < mostSteps; step++ {
		n := min(1<<step, need-want)
		ask(n, at)
		want, at = want+n, at.Add(a.conf.backlogTimeout("sustained"))
	}
	return asked, min(want, need)
}

// initial returns how many executors dynamic allocation requests before the first job.
func (a *allocation) initial() int {
	return max(0, a.conf.number(dynamic+"initialExecutors"), a.conf.number(dynamic+"minExecutors"),
		a.conf.number("spark.executor.instances"))
}

// asking returns when the first executors were requested: at the start of the application, or for its first job.
func (a *allocation) asking() dag.Instant {
	if a.conf.on(dynamic+"enabled") && a.initial() == 0 || !a.began.Known() {
		return a.submitted().Add(a.conf.backlogTimeout(""))
	}
	return a.began
}

// start returns the time from an executor's request to its start. It uses the newest executor that replaced a lost
// one, or else the first one.
func (a *allocation) start() time.Duration {
	asked, first := a.asking(), a.firstAfter(dag.NoInstant)
	if !a.conf.on(dynamic + "enabled") {
		for _, e := range a.all {
			if next := a.firstAfter(e.removed); e.lost() && next.Known() {
				asked, first = e.removed, next
			}
		}
	}
	if !asked.Known() || !first.Known() || first <= asked {
		return usualStart
	}
	return min(max(first.Sub(asked), leastStart), mostStart)
}

// backlog returns how many tasks of all jobs run or wait, and since when; NoInstant if there are none.
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

// executorTasks returns how many tasks an executor runs at once; 0 if unknown.
func (a *allocation) executorTasks() int {
	for _, e := range slices.Backward(a.all) {
		if e.cores > 0 {
			return e.cores
		}
	}
	return max(0, a.conf.number("spark.executor.cores")) / a.conf.coresPerTask()
}

// boot returns how long the first executor took to start, or 0 if unknown. It applies only to Spark's own cluster
// manager, which starts executors with the application. On other clusters executors also wait for containers.
func (a *allocation) boot() time.Duration {
	first := a.firstAfter(dag.NoInstant)
	if !first.Known() || !a.began.Known() || first <= a.began || !strings.HasPrefix(a.conf["spark.master"], "spark://") {
		return 0
	}
	return first.Sub(a.began)
}
