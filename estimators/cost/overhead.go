package cost

import (
	"cmp"
	"math"
	"slices"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/estimators/profiles"
	"github.com/paratimer/paratimer/schedule"
)

// overheads predict the parts of tasks that do not grow with their records: starts of containers, and the extra time
// of first tasks. Times are milliseconds.
type overheads struct {
	observations
	pace   pace
	cold   float64 // expected extra overhead of the first task on a core or container
	launch launch
	lost   bool // the work of the profile's tasks is lost in costs that do not grow
}

// A launch describes the start of a container that runs one task after another (dag.AncestorsFirst). Times are
// milliseconds.
type launch struct {
	shown float64     // measured in this run; 0 before one was launched
	was   float64     // in the profile's run
	late  float64     // wait of the run for its first launch
	first dag.Instant // end of the first task in a launched container; NoInstant before
	alone float64     // factor of later launches against the first ones, which share the cores of a node
	own   estimators.Factors
}

// launchesOf returns what the run has shown of launches. shown are the overheads of the run's own plan.
func (o *observations) launchesOf(shown *dag.Overheads) launch {
	l := launch{first: dag.NoInstant, alone: 1}
	if !o.s.Plan.ReusesContainers() {
		return l
	}
	l.own = estimators.NewFactors(nil, o.numbers.Launch)
	l.shown, l.was = taskcost.MS(shown.SetupMin), taskcost.MS(o.s.Plan.Overheads.SetupMin)
	if was := o.profile.Overheads().SetupMin; was > 0 {
		l.was = taskcost.MS(was)
	}
	if l.shown == 0 {
		l.late = o.launchWait()
	}
	var cold []*dag.Attempt
	for j := range o.s.Jobs {
		for _, a := range o.s.Jobs[j].All() {
			if isFirst(o.cores.firsts, a) {
				if cold = append(cold, a); a.End.Known() {
					l.first = l.first.Earlier(a.End)
				}
			}
		}
	}
	nodes, together := map[int32]bool{}, 0.0
	for _, a := range cold {
		if !l.apart(a.Start) {
			nodes[a.Node] = true
			together++
		}
	}
	l.alone = math.Pow(max(1, together/math.Max(1, float64(len(nodes)))), -o.numbers.Alone)
	return l
}

// launchWait returns the longest time that a job has waited for its first launch, in milliseconds; 0 if none waits.
func (o *observations) launchWait() float64 {
	s, longest := o.s, 0.0
	for j := range s.Jobs {
		js := &s.Jobs[j]
		if js.State.Ended() || !js.Submitted.Known() {
			continue
		}
		running, used, started := 0, s.Plan.Jobs[j].MasterMB, false
		for k, a := range js.All() {
			if started = true; a.State == dag.AttemptRunning {
				running, used = running+1, used+s.Plan.Jobs[j].Stages[k].MemoryMB
			}
		}
		// A running task of a reused container did not need a launch. The cluster counts a container as soon as it is
		// allocated, so memory beyond the running tasks shows a launch.
		if !started || running > 0 && js.HeldMB > used {
			longest = max(longest, float64(s.At-js.Submitted)-taskcost.MS(s.Plan.Overheads.Launch))
		}
	}
	return longest
}

// apart reports whether a launch comes after the first ones.
func (l *launch) apart(at dag.Instant) bool { return l.first.Known() && at >= l.first }

// group returns the launches as an observation of the pace of overhead. Before the first launch, the wait for it is
// a censored observation.
func (l *launch) group() group {
	g := group{over: l.was, n: 1, head: true, launch: true, took: l.shown, running: l.shown == 0}
	if g.running {
		g.took = l.late
	}
	return g
}

// launchAt returns the milliseconds of a launch at the posterior means.
func (o *overheads) launchAt(at dag.Instant) float64 {
	took := cmp.Or(o.launch.shown, o.launch.was*o.pace.loaded)
	if o.launch.apart(at) {
		took *= o.launch.alone
	}
	return took
}

// startup returns the remaining launch time of the container of a waiting task, in milliseconds. If the container was
// requested earlier, the time since then counts as a part of the launch.
func (o *overheads) startup(st *stage, t schedule.Task) estimators.Rest {
	if !t.Cold || st.job.Rules != dag.AncestorsFirst {
		return estimators.Rest{}
	}
	whole, waited := o.launchAt(o.s.At), 0.0
	if since := st.requested; t.Start <= o.s.At && since.Known() {
		whole, waited = o.launchAt(since), max(0, float64(o.s.At-since))
	}
	return estimators.NewRest(whole, waited, o.launch.own, 1)
}

// coldOf returns the extra overhead of the first task on a core or container at pace 1, in milliseconds. It is less
// by the time that the task has waited there for its input.
func (o *overheads) coldOf(start dag.Instant, waited float64) float64 {
	cold := o.cold
	if o.launch.apart(start) {
		cold *= o.launch.alone
	}
	return max(0, cold-waited)
}

// overOf returns the extra overhead of an attempt at pace 1, in milliseconds; see more.
func (o *overheads) overOf(st *stage, e *observation) float64 {
	switch {
	case st.single:
		return e.over
	case e.cold && o.cold > 0:
		return o.coldOf(e.attempt.Start, e.waited)
	case e.kind() == 1:
		return st.head
	}
	return 0
}

// more returns the extra overhead of a waiting task, in milliseconds: as the first on its core or in its container,
// or as the first of its stage there. For a task of a MapReduce job it is the start of its container.
func (o *overheads) more(st *stage, t schedule.Task) float64 {
	if st.single {
		up := o.starts.at(t.Together, t.Cold) * o.pace.overhead(st)
		if st.bytes && !o.given {
			up += taskcost.LeastMS // its copy, if no map is left to wait for
		}
		return up
	}
	head := st.head * o.pace.overhead(st)
	if t.Cold && o.cold > 0 {
		return o.coldOf(t.Start, 0) * o.pace.loaded
	}
	if !o.executors {
		if !t.Cold {
			head = 0
		}
		return head + taskcost.MS(o.s.Plan.Cluster.Setup)
	}
	if t.Index >= st.heads {
		return 0
	}
	if st.opens.Known() && t.Start <= o.s.At && o.cores.quiet.Known() {
		return max(0, head-float64(o.s.At-max(st.opens, o.cores.quiet)))
	}
	return head
}

// endedOf sums the ended tasks of a stage, the heads last. weights has the weight of each; nil: 1.
func (o *overheads) endedOf(st *stage, weights []float64) (out [2]group) {
	out[0].st, out[1].st, out[1].head = st, st, true
	for i, e := range st.ended {
		over := st.every
		if !(e.up >= 0) {
			over += o.overOf(st, e)
		}
		out[e.kind()].add(profiles.Weight(weights, i), e.worked(), st.work[e.task], over)
	}
	return out
}

// runningOf sums the running tasks of a stage, the heads last, without those that reports have shown in part.
func (o *overheads) runningOf(st *stage) (out [2]group) {
	out[0] = group{st: st, running: true}
	out[1] = group{st: st, running: true, head: true}
	for _, r := range st.running {
		if r.took > 0 && !(r.part > 0) {
			out[r.kind()].add(1, r.took, st.work[r.task], st.every+o.overOf(st, r))
		}
	}
	return out
}

// learnPace computes the posterior of the paces from launches, from pauses between jobs, from starts, and from the
// tasks of stages that the profile has.
func (o *overheads) learnPace(pauses []group) {
	all := append([]group{o.launch.group()}, pauses...)
	for _, st := range o.ordered {
		if all = append(all, st.startsShown(nil)); st.prior.N > 0 {
			ended, running := o.endedOf(st, nil), o.runningOf(st)
			all = append(all, ended[1], running[1], ended[0], running[0], st.partsShown())
		}
	}
	o.pace.learn(o.numbers, o.boot(), shown(all))
}

// boot returns the prior of the logarithm of the pace of overhead. It follows from the start of the first executor
// against that of the profile's run, if both are known.
func (o *overheads) boot() normal {
	is, was := o.s.Plan.Overheads.Boot, o.profile.Overheads().Boot
	if was <= 0 || is <= 0 {
		return normal{0, o.numbers.Load}
	}
	return normal{o.numbers.Boot * math.Log(float64(is)/float64(was)), o.numbers.LoadBoot}
}

// A task of a MapReduce job includes the start of its own container. Starts of JVMs are work for the cores of their
// node, so each of n tasks that start together there takes alone + each·n (facts/measured.md 4). Starts of the
// first batch of a run take cold more. These are expected times; the run's pace of overhead scales them.

// starts are the expected milliseconds of a task's start, and how many tasks started together in this run.
type starts struct {
	alone, each, cold float64
	first             dag.Instant          // end of the first batch of starts; NoInstant before any
	together          map[*dag.Attempt]int // number of starts at about the same time, its own included
}

// startWindow is the longest time between starts that slow each other down, in milliseconds.
var startWindow = dag.Instant(schedule.StartsTogether.Milliseconds())

// startsOf counts the starts together with each attempt: up to a startWindow before it and half of one after it,
// which fits real starts best.
func (o *observations) startsOf() starts {
	plan := o.s.Plan
	l := starts{alone: taskcost.MS(plan.Cluster.Setup), first: dag.NoInstant}
	if plan.Cluster.Policy != dag.FIFO || o.given {
		l.alone = taskcost.MS(plan.Cluster.Setup + plan.Overheads.SetupMin)
		l.each, l.cold = taskcost.MS(plan.Overheads.SetupPer), taskcost.MS(plan.Overheads.Cold)
	} else if was := o.profile; l.alone == 0 && was != nil { // on the paper's slots all set-ups are alike
		l.alone = taskcost.MS(was.Plan.Cluster.Setup)
	}
	var all []*dag.Attempt
	for j := range o.s.Jobs {
		if !plan.Jobs[j].IsMapReduce() {
			continue
		}
		for _, a := range o.s.Jobs[j].All() {
			if a.Start.Known() && a.State != dag.AttemptWaiting {
				all, l.first = append(all, a), l.first.Earlier(a.Start+startWindow)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b *dag.Attempt) int {
		if a.Node != b.Node {
			return int(a.Node) - int(b.Node)
		}
		return int(a.Start - b.Start)
	})
	l.together = make(map[*dag.Attempt]int, len(all))
	from, to := 0, 0
	for i, a := range all {
		for from < i && (all[from].Node != a.Node || all[from].Start < a.Start-startWindow) {
			from++
		}
		for to = max(to, i); to < len(all) && all[to].Node == a.Node && all[to].Start <= a.Start+startWindow/2; to++ {
			continue
		}
		l.together[a] = to - from
	}
	return l
}

// at returns the milliseconds of a start at pace 1, for n tasks that start together.
func (l *starts) at(n int, cold bool) float64 {
	took := l.alone + l.each*float64(max(n, 1))
	if cold {
		took += l.cold
	}
	return took
}

// of returns the same for an attempt that has started.
func (l *starts) of(a *dag.Attempt) float64 {
	return l.at(l.together[a], l.isCold(a))
}

// isCold reports whether an attempt belongs to the first batch.
func (l *starts) isCold(a *dag.Attempt) bool { return l.first.Known() && a.Start <= l.first }

// coldOf returns the extra milliseconds of the start of an attempt in the first batch; 0 for other attempts.
func (l *starts) coldOf(a *dag.Attempt) float64 {
	if l.isCold(a) {
		return l.cold
	}
	return 0
}

// learnStarts fits the line of starts (alone + each·n) to what this run has shown. In containers the expected line is
// the prior. The observations are the start-ups in reports. In jobs without such reports they are the lengths of
// tasks of different sizes.
func (l *learner) learnStarts() {
	if l.s.Plan.Cluster.Setup > 0 || l.given {
		return
	}
	fifo, fit, shortest := l.s.Plan.Cluster.Policy == dag.FIFO, taskcost.Line{}, math.Inf(1)
	if !fifo {
		for _, n := range []float64{1, 5, 9} {
			fit.Add(1, n, l.starts.alone+l.starts.each*n)
		}
	}
	for _, st := range l.ordered {
		reported := false
		for _, e := range st.ended {
			shortest = min(shortest, e.took)
		}
		for a := range st.state.All() {
			if up := l.startOf(st, a); up >= 0 && a.State != dag.AttemptWaiting {
				fit.Add(1, float64(l.starts.together[a]), max(0, up-l.starts.coldOf(a)))
				reported = true
			}
		}
		if st.maps && !reported || !st.maps && fifo {
			fit.AddRated(l.starts.lengths(st))
		}
	}
	if l.starts.alone, l.starts.each = fit.Fit(); fifo {
		l.starts.alone = min(l.starts.alone, shortest)
	}
	l.pace.loaded = 1
	for _, st := range l.ordered {
		for _, e := range st.ended {
			if e.over > 0 || fifo {
				e.over = l.starts.of(e.attempt)
			}
		}
	}
}

// lengths returns the whole lengths of the finished tasks of a stage, with their units and the starts at the same
// time.
func (l *starts) lengths(st *stage) []taskcost.Rated {
	var out []taskcost.Rated
	for _, e := range st.ended {
		length := float64(e.attempt.End-e.attempt.Start) - l.coldOf(e.attempt)
		if st.records && e.units > 0 && length > 0 {
			out = append(out, taskcost.Rated{Weight: 1, Units: e.units, X: float64(l.together[e.attempt]), Y: length})
		}
	}
	return out
}
