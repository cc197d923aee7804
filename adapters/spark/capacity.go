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

// capacity returns how dynamic allocation adds executors while tasks wait, and the executors that were requested but
// have not started. These serve the current backlog or replace lost executors.
func (f *facts) capacity(now dag.Instant) (dag.Elastic, []dag.Capacity) {
	each, active := f.executorTasks(), f.activeAt(now)
	if each == 0 || slices.ContainsFunc(f.all, func(e *executor) bool { return e.id == "driver" }) {
		return dag.Elastic{}, nil
	}
	start, elastic := f.start(), dag.Elastic{}
	var asked []dag.Instant
	want, last := f.peak(), dag.NoInstant
	if f.conf.on(dynamic + "enabled") {
		most := f.most(each)
		asked, want = f.asked(each, most)
		elastic = dag.Elastic{
			Max: min(most*each, dag.MaxSlots), Each: each, Backlog: f.conf.backlogTimeout(""),
			Sustain: f.conf.backlogTimeout("sustained"), Start: start,
		}
	}
	for _, e := range f.all {
		if last = max(last, e.added); e.lost() {
			asked = append(asked, e.removed)
		}
	}
	slices.Sort(asked)
	// Executors start in the order of their requests.
	asked = asked[max(0, len(asked)-max(0, want-active)):]
	var coming []dag.Capacity
	expected := active
	for _, t := range asked {
		at := t.Add(start)
		if late := now.Sub(max(at, last)); late > max(patience, patienceStarts*start) {
			continue
		}
		expected++
		// An overdue executor is expected after another half of the time since its request.
		at = max(at, now.Add(max(now.Sub(t)/2, leastLate)))
		if n := len(coming); n > 0 && coming[n-1].At == at {
			coming[n-1].Cores += each
		} else {
			coming = append(coming, dag.Capacity{At: at, Cores: each})
		}
	}
	if expected < active+len(asked) { // some are too late to be expected at all
		elastic.Max = min(elastic.Max, expected*each)
	}
	return elastic, coming
}

// most returns how many executors dynamic allocation may have at once. Without a limit it returns the peak so far,
// since the cluster's free capacity is unknown.
func (f *facts) most(each int) int {
	most := f.conf.number(dynamic + "maxExecutors")
	if cores := f.conf.number("spark.cores.max"); cores > 0 {
		if n := cores / (each * f.conf.coresPerTask()); most < 0 || n < most {
			most = n
		}
	}
	if most < 0 {
		most = f.peak()
	}
	return min(most, mostExecutors, dag.MaxSlots/each)
}

// asked returns when dynamic allocation requested executors, or will for the tasks that now run and wait, and the
// target number. Spark requests one executor after the backlog timeout, and twice as many after each sustained timeout.
func (f *facts) asked(each, most int) (asked []dag.Instant, want int) {
	first := min(f.initial(), most)
	if at := f.asking(); at.Known() {
		asked = slices.Repeat([]dag.Instant{at}, first)
	}
	tasks, since := 0, dag.NoInstant // the backlog of all jobs
	for _, s := range f.stages {
		t := s.newest()
		if t == nil || t.status != "ACTIVE" || t.complete >= t.tasks {
			continue
		}
		tasks += t.tasks - t.complete
		if t.submitted.Known() && (!since.Known() || t.submitted < since) {
			since = t.submitted
		}
	}
	if !since.Known() {
		return asked, first
	}
	need := min(max((tasks+each-1)/each, f.conf.number(dynamic+"minExecutors")), most)
	want = max(first, f.activeAt(since))
	at := since.Add(f.conf.backlogTimeout(""))
	for step := 0; want < need && step < mostSteps; step++ {
		n := min(1<<step, need-want)
		asked = append(asked, slices.Repeat([]dag.Instant{at}, n)...)
		want, at = want+n, at.Add(f.conf.backlogTimeout("sustained"))
	}
	return asked, min(want, need)
}

// initial returns how many executors dynamic allocation requests before the first job.
func (f *facts) initial() int {
	return max(0, f.conf.number(dynamic+"initialExecutors"), f.conf.number(dynamic+"minExecutors"),
		f.conf.number("spark.executor.instances"))
}

// asking returns when the first executors were requested: at the start of the application, or for its first job.
func (f *facts) asking() dag.Instant {
	if f.conf.on(dynamic+"enabled") && f.initial() == 0 || !f.began.Known() {
		return f.submitted().Add(f.conf.backlogTimeout(""))
	}
	return f.began
}

// start returns the time from an executor's request to its start. It uses the newest executor that replaced a lost
// one, or else the first one.
func (f *facts) start() time.Duration {
	asked, first := f.asking(), f.firstAfter(dag.NoInstant)
	if !f.conf.on(dynamic + "enabled") {
		for _, e := range f.all {
			if next := f.firstAfter(e.removed); e.lost() && next.Known() {
				asked, first = e.removed, next
			}
		}
	}
	if !asked.Known() || !first.Known() || first <= asked {
		return usualStart
	}
	return min(max(first.Sub(asked), leastStart), mostStart)
}

// executorTasks returns how many tasks an executor runs at once; 0 if unknown.
func (f *facts) executorTasks() int {
	for _, e := range slices.Backward(f.all) {
		if e.cores > 0 {
			return e.cores
		}
	}
	return max(0, f.conf.number("spark.executor.cores")) / f.conf.coresPerTask()
}

// boot returns how long the first executor took to start, or 0 if unknown. It applies only to Spark's own cluster
// manager, which starts executors with the application. On other clusters executors also wait for containers.
func (f *facts) boot() time.Duration {
	first := f.firstAfter(dag.NoInstant)
	if !first.Known() || !f.began.Known() || first <= f.began || !strings.HasPrefix(f.conf["spark.master"], "spark://") {
		return 0
	}
	return first.Sub(f.began)
}
