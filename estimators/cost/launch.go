package cost

import (
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/schedule"
)

// heldFor is the time after a DAG's submission in which no container can have been launched for it. Tasks that start
// by then run in containers that an earlier DAG has left.
const heldFor = time.Second

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

// observeLaunches computes what this run has shown of launches. shown are the overheads of the run's own plan.
func (m *Model) observeLaunches(shown *dag.Overheads) {
	m.launch = launch{first: dag.NoInstant, alone: 1}
	if !m.s.Plan.ReusesContainers() {
		return
	}
	l := &m.launch
	l.own = estimators.NewFactors(nil, m.numbers.Launch)
	l.shown, l.was = taskcost.MS(shown.SetupMin), taskcost.MS(m.s.Plan.Overheads.SetupMin)
	if was := m.profile.Overheads(); was != nil && was.SetupMin > 0 {
		l.was = taskcost.MS(was.SetupMin)
	}
	if l.shown == 0 {
		l.late = m.waited()
	}
	var cold []*dag.Attempt
	for j := range m.s.Jobs {
		for k := range m.s.Jobs[j].Stages {
			all := m.s.Jobs[j].Stages[k].Attempts
			for i := range all {
				if a := &all[i]; isFirst(m.cores.firsts, a) {
					cold = append(cold, a)
					if a.End.Known() && (!l.first.Known() || a.End < l.first) {
						l.first = a.End
					}
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
	l.alone = math.Pow(max(1, together/math.Max(1, float64(len(nodes)))), -m.numbers.Alone)
}

// apart reports whether a launch comes after the first ones.
func (l *launch) apart(at dag.Instant) bool { return l.first.Known() && at >= l.first }

// launchAt returns the milliseconds of a launch at the posterior means.
func (m *Model) launchAt(at dag.Instant) float64 {
	l := &m.launch
	took := l.shown
	if took == 0 {
		took = l.was * m.pace.loaded
	}
	if l.apart(at) {
		took *= l.alone
	}
	return took
}

// coldOf returns the extra overhead of the first task on a core or container at pace 1, in milliseconds. It is less
// by the time that the task has waited there for its input.
func (m *Model) coldOf(start dag.Instant, waited float64) float64 {
	cold := m.cold
	if m.launch.apart(start) {
		cold *= m.launch.alone
	}
	return max(0, cold-waited)
}

// startup returns the remaining launch time of the container of a waiting task, in milliseconds. If the container was
// requested earlier, the time since then counts as a part of the launch.
func (m *Model) startup(st *stage, t schedule.Task) estimators.Rest {
	if !t.Cold || m.s.Plan.Jobs[t.Job].Rules != dag.AncestorsFirst {
		return estimators.Rest{}
	}
	whole, waited := m.launchAt(m.s.At), 0.0
	if asked := st.asked; t.Start <= m.s.At && asked.Known() {
		whole, waited = m.launchAt(asked), max(0, float64(m.s.At-asked))
	}
	return estimators.NewRest(whole, waited, m.launch.own, 1)
}

// groups returns the launches as an observation of the pace of overhead. Before the first launch, the wait for it is
// a censored observation.
func (l *launch) groups() []group {
	g := group{over: l.was, n: 1, head: true, launch: true, took: l.shown, running: l.shown == 0}
	if g.running {
		g.took = l.late
	}
	if !(g.took > 0) {
		return nil
	}
	return []group{g}
}

// askedFor returns from when on containers may have been launched for the waiting tasks of a stage: since its edges
// let it start, and since an attempt of the job was lost.
func (m *Model) askedFor(j int, k dag.StageIndex) dag.Instant {
	job, js := &m.s.Plan.Jobs[j], &m.s.Jobs[j]
	since := js.Submitted
	if !since.Known() {
		return since
	}
	since = since.Add(m.s.Plan.Overheads.Launch)
	for _, e := range job.Stages[k].After {
		if e.Kind == dag.SlowStart || e.Kind == dag.Barrier {
			since = max(since, succeededAt(&js.Stages[e.From], max(e.Ratio, e.Full), job.Stages[e.From].Count()))
		}
	}
	for k := range js.Stages {
		for i := range js.Stages[k].Attempts {
			if a := &js.Stages[k].Attempts[i]; (a.State == dag.AttemptFailed || a.State == dag.AttemptKilled) &&
				a.End.Known() && !js.Stages[k].Overtaken(i) {
				since = max(since, a.End)
			}
		}
	}
	return since
}

// succeededAt returns when the given ratio of a stage's n tasks had succeeded. If fewer have, it returns the last
// success; NoInstant if there is none.
func succeededAt(s *dag.StageState, ratio float64, n int) dag.Instant {
	var ends []dag.Instant
	for i := range s.Attempts {
		if a := &s.Attempts[i]; a.State == dag.AttemptSucceeded && a.End.Known() {
			ends = append(ends, a.End)
		}
	}
	if len(ends) == 0 {
		return dag.NoInstant
	}
	slices.Sort(ends)
	need := n
	if ratio > 0 && ratio < 1 {
		need = int(math.Ceil(ratio * float64(n)))
	}
	return ends[min(max(need, 1), len(ends))-1]
}

// waited returns the longest time that a job has waited for its first launch, in milliseconds; 0 if none waits.
func (m *Model) waited() float64 {
	s, longest := m.s, 0.0
	for j := range s.Jobs {
		js := &s.Jobs[j]
		if js.State.Ended() || !js.Submitted.Known() {
			continue
		}
		running, used, started := 0, s.Plan.Jobs[j].MasterMB, false
		for k := range js.Stages {
			n := js.Stages[k].Running()
			running, used = running+n, used+n*s.Plan.Jobs[j].Stages[k].MemoryMB
			started = started || len(js.Stages[k].Attempts) > 0
		}
		// A running task of a reused container did not need a launch. The cluster counts a container as soon as it is
		// allocated, so memory beyond the running tasks shows a launch.
		if !started || running > 0 && js.HeldMB > used {
			longest = max(longest, float64(s.At-js.Submitted)-taskcost.MS(s.Plan.Overheads.Launch))
		}
	}
	return longest
}
