// Package simulate runs a plan in virtual time: it is a source of snapshots without a cluster.
//
// A simulated run is a schedule.Replay with true costs: the cost of each task times its own noise, on nodes with
// their own speed. Between two events the whole schedule is known, and snapshots are taken from it. An event that the
// scheduler does not plan, such as a lost node, ends a leg. It changes the state at that instant, and the replay
// continues from there. The same plan, options and seed give the same snapshots.
//
// Snapshots show only facts that a watcher could observe: counters in whole tuples at the instant of a report, and only
// those sizes and costs that Options.Know permits.
//
// # Stability
//
// Young: names may change in a minor version. The changelog then lists the change (CONTRIBUTING.md).
package simulate

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/paratimer/paratimer/adapters/internal/input"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/schedule"
)

// A simulation is a run: the true costs of its plan, its state, and the schedule from the start of the current leg on.
type simulation struct {
	given *dag.Plan // the user's plan
	plan  *dag.Plan // with sizes by task
	opt   Options
	pace  float64 // factor of the whole run
	jobs  []*job
	nodes []node
	open  []int32 // FIFO: the nodes that are not lost; the scheduler numbers only their slots

	now        dag.Instant // when the leg began
	end        dag.Instant // when the last job ends
	events     []event     // that end legs, in order
	unplanned  event       // the next failure of a job or attempt that the scheduler does not plan
	attempts   map[attemptKey]*attempt
	firstStart dag.Instant // YARN: of a task; NoInstant before

	shownPlan      *dag.Plan // for the watcher; nil if a node has been lost since
	shownSubmitted int       // the number of submitted jobs with sizes that it shows
}

type node struct {
	slow   float64
	dead   bool        // it has stopped working
	lostAt dag.Instant // when the cluster noticed; NoInstant before
}

type job struct {
	submitted, finished dag.Instant
	mastered            dag.Instant // YARN: when its master got a container
	failed              bool
	why                 string // it failed
	stages              []*stage
}

// A stage is a stage of the plan with its attempts.
type stage struct {
	*dag.Stage
	job   int
	index dag.StageIndex
	isMap bool   // maps of a MapReduce job
	sorts bool   // maps that sort their output for reduces
	keyed *keyed // nil if it is not simulated by key group
	order []int  // the tasks in the order in which they are assigned; nil: by index

	attempts    []*attempt  // by task, then number
	first, last dag.Instant // the first start and the last end
	shown       []dag.Attempt
	shownAt     dag.Instant // the snapshot that shown is for; NoInstant in a new leg, which may revise the past
}

// An event changes the state at an instant.
type event struct {
	at dag.Instant
	do func()
}

func newSimulation(p *dag.Plan, o *Options) *simulation {
	w := &simulation{
		given: p, plan: p, opt: *o, now: o.Start, firstStart: dag.NoInstant,
		pace: Family(Gamma).factor(random(o.Seed, drawSpeed, 0, 0, 0, 0), o.Speed),
	}
	w.opt.Every, w.opt.MaxAttempts = cmp.Or(o.Every, DefaultEvery), cmp.Or(o.MaxAttempts, defaultAttempts)
	if o.Skew > 0 {
		w.plan = skewed(w.plan, o.Skew)
	}
	for n := range nodeCount(p) {
		slow := 1.0
		if p.Cluster.Policy != dag.FIFO && p.Cluster.Nodes[n].Slow > 0 {
			slow = p.Cluster.Nodes[n].Slow
		}
		w.nodes, w.open = append(w.nodes, node{slow: slow, lostAt: dag.NoInstant}), append(w.open, int32(n))
	}
	for _, s := range o.Slow {
		w.nodes[s.Node].slow *= s.Factor
	}
	for j := range w.plan.Jobs {
		w.jobs = append(w.jobs, w.newJob(j))
	}
	for _, l := range o.Lose {
		at := w.now.Add(l.At)
		w.schedule(event{at, func() { w.die(l.Node) }})
		w.schedule(event{at.Add(l.Detect), func() { w.notice(l.Node) }})
	}
	return w
}

func (w *simulation) newJob(j int) *job {
	of := &w.plan.Jobs[j]
	out := &job{submitted: dag.NoInstant, finished: dag.NoInstant, mastered: dag.NoInstant}
	for k := range of.NumStages() {
		out.stages = append(out.stages, &stage{Stage: &of.Stages[k], job: j, index: k})
	}
	if of.IsMapReduce() {
		maps, reduces := out.stages[dag.Map], out.stages[dag.Reduce]
		maps.isMap, maps.sorts, reduces.keyed = true, reduces.Count() > 0, keyedJob(of)
		if w.opt.Shuffle {
			reduces.order = random(w.opt.Seed, drawOrder, j, dag.Reduce, 0, 0).Perm(reduces.Count())
		}
	}
	return out
}

// keyOf returns the key of the attempt that has this place in the order of assignment.
func (w *simulation) keyOf(job int, k dag.StageIndex, place, number int32) attemptKey {
	st := w.jobs[job].stages[k]
	if st.order != nil {
		place = int32(st.order[place])
	}
	return attemptKey{st, place, number}
}

func (w *simulation) perNode() int32 { return int32(max(1, w.plan.Cluster.SlotsPerNode)) }

// started returns the attempts that have started before now.
func (w *simulation) started() (out []*attempt) {
	for _, job := range w.jobs {
		for _, st := range job.stages {
			out = append(out, input.Only(st.attempts, func(a *attempt) bool { return a.start < w.now })...)
		}
	}
	return out
}

// schedule adds an event, after earlier ones of the same instant.
func (w *simulation) schedule(e event) {
	w.events = append(w.events, e)
	slices.SortStableFunc(w.events, func(a, b event) int { return cmp.Compare(a.at, b.at) })
}

// reach simulates legs until t is in the current one. Events at t are included.
func (w *simulation) reach(t dag.Instant) error {
	for {
		next := w.unplanned.at
		if len(w.events) > 0 {
			next = min(next, w.events[0].at)
		}
		if next > min(t, w.end) {
			return nil
		}
		if w.now = next; w.unplanned.at == next {
			w.unplanned.do()
		}
		for len(w.events) > 0 && w.events[0].at == next {
			e := w.events[0]
			w.events = w.events[1:]
			e.do()
		}
		if err := w.replay(); err != nil {
			return err
		}
	}
}

// replay plans the leg that begins now. It discards the previous plan from now on.
func (w *simulation) replay() error {
	w.attempts, w.unplanned = map[attemptKey]*attempt{}, event{at: never}
	for _, job := range w.jobs {
		for _, t := range []*dag.Instant{&job.submitted, &job.finished, &job.mastered} {
			if *t >= w.now && !job.failed {
				*t = dag.NoInstant
			}
		}
		for _, st := range job.stages {
			st.shownAt = dag.NoInstant
			st.attempts = slices.DeleteFunc(st.attempts, func(a *attempt) bool { return a.start >= w.now })
			for _, a := range st.attempts {
				a.unfailed = dag.NoInstant
				w.attempts[a.attemptKey] = a
			}
		}
	}
	sch, err := schedule.Replay(w.state(), w.left, schedule.Options{FutureOnly: true, Fault: w.fault})
	if err != nil {
		return err
	}
	for i := range sch.Spans {
		if sp := &sch.Spans[i]; sp.Pause == dag.NoPause {
			for c := range sp.Count {
				w.planAttempt(sp, c)
			}
		}
	}
	w.end = w.now
	for j, job := range w.jobs {
		w.planJob(j, job, sch)
	}
	return nil
}

// planAttempt applies task c of a span: a new attempt, or a running one with an end that may have changed.
func (w *simulation) planAttempt(sp *schedule.Span, c int32) {
	a := w.attempts[w.keyOf(int(sp.Job), sp.Stage, sp.First+c, sp.Attempt)]
	if a.start >= w.now {
		a.stage.attempts = append(a.stage.attempts, a)
	}
	if a.frozen {
		return
	}
	end := sp.End
	a.end, a.state, a.why = sp.End, dag.AttemptSucceeded, ""
	switch {
	case sp.Outcome != schedule.Fails:
		if a.start < w.now {
			w.planFailure(a)
		}
	case a.unfailed.Known():
		end, a.state, a.why = a.unfailed, dag.AttemptFailed, failedWhy
	default: // the scheduler has preempted its container
		end, a.state, a.why = never, dag.AttemptKilled, "preempted"
	}
	a.plan(end, w.now)
}

// planJob applies a schedule to a job.
func (w *simulation) planJob(j int, job *job, sch *schedule.Schedule) {
	if !job.failed {
		job.submitted, job.finished = sch.Submitted[j], sch.Finished[j]
		if j < len(sch.Mastered) && sch.Mastered[j].Known() {
			job.mastered = sch.Mastered[j]
		}
	}
	w.end = max(w.end, job.finished)
	for _, st := range job.stages {
		slices.SortFunc(st.attempts, func(a, b *attempt) int {
			return cmp.Or(cmp.Compare(a.task, b.task), cmp.Compare(a.number, b.number))
		})
		st.first, st.last = never, dag.NoInstant
		for _, a := range st.attempts {
			st.first, st.last = min(st.first, a.start), max(st.last, a.end)
		}
	}
	if !job.failed {
		w.planJobFailure(j, job)
	}
}

const (
	failedWhy = "simulated failure"
	lostWhy   = "its node was lost"
)

// die stops a node. The cluster notices later.
func (w *simulation) die(node int) {
	if w.nodes[node].dead {
		return
	}
	w.nodes[node].dead = true
	for _, a := range w.started() {
		if int(a.node) == node && a.end > w.now {
			a.freeze(w.now)
		}
	}
}

// notice marks a node as lost in the cluster. The node gets no more work, and the output of its finished maps is
// lost. Its attempts are killed. On YARN the masters notice later.
func (w *simulation) notice(node int) {
	if w.nodes[node].lostAt.Known() {
		return
	}
	w.nodes[node].lostAt, w.shownPlan = w.now, nil
	for _, a := range w.started() {
		if int(a.node) == node && a.stage.isMap && a.state == dag.AttemptSucceeded && a.end <= w.now &&
			w.needsMaps(w.jobs[a.stage.job]) {
			a.kill(w.now, lostWhy)
		}
	}
	if w.plan.Cluster.Policy == dag.YARN {
		w.schedule(event{w.now.Add(w.plan.Overheads.Abandon), func() { w.abandon(node) }})
		return
	}
	w.open = slices.DeleteFunc(w.open, func(n int32) bool { return int(n) == node })
	w.abandon(node)
}

// abandon kills the attempts that seem to run on a lost node.
func (w *simulation) abandon(node int) {
	for _, a := range w.started() {
		if int(a.node) == node && a.frozen {
			a.kill(w.now, lostWhy)
		}
	}
}

// needsMaps reports whether a reduce of a MapReduce job has not copied all map outputs yet.
func (w *simulation) needsMaps(j *job) bool {
	reduces := j.stages[dag.Reduce]
	copied := input.Only(reduces.attempts, func(a *attempt) bool {
		alive := !a.frozen && (a.end > w.now || a.state == dag.AttemptSucceeded)
		return a.start < w.now && alive && a.position(w.now) >= a.ends[dag.Copy]
	})
	return !j.failed && len(copied) < reduces.Count()
}

// planJobFailure finds the first task of a job that reaches the limit of failures.
func (w *simulation) planJobFailure(j int, job *job) {
	for k, st := range job.stages {
		failures, task := 0, int32(-1)
		for _, a := range st.attempts {
			if a.task != task {
				failures, task = 0, a.task
			}
			if a.state != dag.AttemptFailed || a.end >= never {
				continue
			}
			if failures++; failures == w.opt.MaxAttempts && a.end < w.unplanned.at {
				why := fmt.Sprintf("%v task %d failed %d times", w.plan.StageName(j, dag.StageIndex(k)), task, failures)
				w.unplanned = event{a.end, func() { w.fail(job, why) }}
			}
		}
	}
}

// planFailure plans the failure of an attempt that succeeds in the schedule. The scheduler does not call fault for
// attempts that wait for map outputs to be made again.
func (w *simulation) planFailure(a *attempt) {
	at, fails := w.failure(a, a.start, a.end)
	if !fails || at < w.now || at >= w.unplanned.at {
		return
	}
	w.unplanned = event{at, func() {
		if a.end > w.now {
			a.end, a.state, a.why = w.now, dag.AttemptFailed, failedWhy
		}
	}}
}

// fail ends a job. The driver never submits the jobs that depend on it.
func (w *simulation) fail(j *job, why string) {
	j.failed, j.finished, j.why = true, w.now, why
	for _, a := range w.started() {
		if w.jobs[a.stage.job] == j && a.end > w.now {
			a.kill(w.now, "its job failed")
		}
	}
}
