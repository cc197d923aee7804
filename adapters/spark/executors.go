package spark

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/paratimer/paratimer/adapters/internal/events"
	"github.com/paratimer/paratimer/dag"
)

// An executor is an executor of the application.
type executor struct {
	id, host         string
	cores            int // tasks at once
	total            int // cores, by the log; 0 unknown
	running          int // tasks, by the log
	active, excluded bool
	added, removed   dag.Instant
	reason           string
}

// killed reports whether the driver released the executor.
func (e *executor) killed() bool { return strings.Contains(e.reason, "killed by driver") }

// lost reports whether the executor has ended without a release by the driver.
func (e *executor) lost() bool { return !e.active && e.removed.Known() && !e.killed() }

// executors are the executors of an application.
type executors struct {
	all     []*executor // in the order in which they started
	byID    map[string]int
	changes int // how often a fact has changed that decides whether the output of tasks is lost
}

// executorAt returns the index of an executor, or -1 if there are too many.
func (x *executors) executorAt(id string) int {
	if i, ok := x.byID[id]; ok {
		return i
	}
	if id == "" || len(x.all) >= mostExecutors {
		return -1
	}
	x.byID[id] = len(x.all)
	x.all = append(x.all, &executor{
		id: dag.Clean(id), active: true, added: dag.NoInstant, removed: dag.NoInstant,
	})
	return len(x.all) - 1
}

// set records whether an executor is active, and else when and why it ended.
func (x *executors) set(e *executor, active bool, removed dag.Instant, reason string) {
	if e.active != active || e.removed != removed || e.reason != reason {
		x.changes++
	}
	e.active, e.removed, e.reason = active, removed, reason
}

// cores returns how many tasks the active executors can run at once.
func (x *executors) cores() int {
	n := 0
	for _, e := range x.all {
		if e.active && !e.excluded {
			n += e.cores
		}
	}
	return n
}

// activeAt returns how many executors were active at an instant.
func (x *executors) activeAt(t dag.Instant) int {
	return count(x.all, func(e *executor) bool { return e.added <= t && (e.active || e.removed > t) })
}

// firstAfter returns when the first executor after an instant was added, or NoInstant.
func (x *executors) firstAfter(t dag.Instant) dag.Instant {
	first := dag.NoInstant
	for _, e := range x.all {
		if e.id != "driver" && e.added > t {
			first = earliest(first, e.added)
		}
	}
	return first
}

// earliest returns the earlier one of two instants, or the known one.
func earliest(a, b dag.Instant) dag.Instant {
	if a.Known() && b.Known() {
		return min(a, b)
	}
	return max(a, b)
}

// peak returns the highest number of executors at any time.
func (x *executors) peak() int {
	changes := map[dag.Instant]int{}
	for _, e := range x.all {
		if changes[e.added]++; !e.active {
			changes[e.removed]--
		}
	}
	return events.Peak(changes)
}

// nodes returns the executors as nodes of a snapshot.
func (x *executors) nodes(now dag.Instant) []dag.NodeState {
	out := make([]dag.NodeState, len(x.all))
	for i, e := range x.all {
		n := &out[i]
		*n = dag.NodeState{Name: "executor " + e.id, Cores: e.cores, LostAt: dag.NoInstant, Draining: e.excluded}
		if e.added.Known() {
			n.Since = min(e.added, now)
		}
		if e.host != "" {
			n.Name += " on " + e.host
		}
		if e.active {
			continue
		}
		n.Lost, n.LostAt = true, min(dag.FirstKnown(e.removed, now), now)
		if e.killed() {
			n.Cause = dag.NodeDecommissioned
		}
	}
	return out
}

// A coreUse is the core of a task, and when the next task began on that core.
type coreUse struct {
	core int32 // -1 none
	next dag.Instant
}

var unused = coreUse{core: -1, next: dag.NoInstant}

// handover is the longest overlap of an ended task with the next one on its core. The driver launches the next task
// before it processes the result. Tasks that overlap for longer did not share a core.
const handover = time.Second

// until returns when the next task began on the task's core, if the task seems to have ended up to handover later.
// Otherwise it returns the largest instant.
func (k *task) until() dag.Instant {
	if k.core.next.Known() && k.End.Sub(k.core.next) <= handover {
		return k.core.next
	}
	return math.MaxInt64
}

// assignable reports whether the executor and the launch of a task are known.
func (k *task) assignable() bool { return k.Node >= 0 && k.Start.Known() }

// A core is a core that a task has run on.
type core struct {
	id   int32
	free dag.Instant // since when it is free
	last int         // index of its newest task
}

// better reports whether a task that begins at an instant takes c rather than o: of two free cores the one that became
// free last, else the one that becomes free first.
func (c *core) better(o *core, at dag.Instant) bool {
	if c.free <= at && o.free <= at {
		return c.free > o.free
	}
	return c.free < o.free
}

// assignCores finds the core that each task ran on, by the launch times. This matters because the first task on a core
// loads classes and takes longer. A task gets the free core that became free last, or a new one. If all are busy
// because two tasks overlap for a moment, it gets the core that becomes free first.
func (a *App) assignCores() {
	for _, s := range a.planner.order {
		a.launched, s.fresh = append(a.launched, s.fresh...), nil
	}
	slices.SortFunc(a.launched, byLaunch)
	uses, cores, n := make([]coreUse, len(a.launched)), make([][]core, len(a.all)), int32(0)
	for i, k := range a.launched {
		if uses[i] = unused; !k.assignable() {
			continue
		}
		var best *core
		list := cores[k.Node]
		for c := range list {
			if at := &list[c]; best == nil || at.better(best, k.Start) {
				best = at
			}
		}
		if best == nil || best.free > k.Start && len(list) < a.all[k.Node].cores {
			list = append(list, core{id: n, last: -1})
			cores[k.Node], best = list, &list[len(list)-1]
			n++
		}
		if best.last >= 0 && a.launched[best.last].State != dag.AttemptRunning {
			uses[best.last].next = k.Start
		}
		best.free, best.last, uses[i].core = k.End, i, best.id
		if k.State == dag.AttemptRunning {
			best.free = math.MaxInt64
		}
	}
	for i, k := range a.launched {
		if k.core != uses[i] {
			k.core = uses[i]
			k.change()
		}
	}
}

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
		tasks, since = tasks+t.tasks-t.complete, earliest(since, t.submitted)
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
