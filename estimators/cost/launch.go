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

// heldFor is the time from a DAG's submission in which no container can have been launched for it: an earlier DAG
// has left those in which tasks run by then.
const heldFor = time.Second

// A launch is what the start of a container takes that runs one task after the other (dag.AncestorsFirst), in
// milliseconds.
type launch struct {
	shown float64     // in this run; 0 before one was launched
	was   float64     // in the profile's run
	late  float64     // for how long the run has waited for its first one
	first dag.Instant // when the first task in a launched container ended; NoInstant before
	alone float64     // what one takes after that, as a part of what one of the first takes: these share a node's cores
	own   estimators.Factors
}

// observeLaunches finds what launches have shown. shown are the overheads that the run itself has.
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

// launchAt is what a launch takes at the posterior means.
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

// coldOf is the overhead of the first task of a core or container beyond that of others at the pace 1, of which it has
// spent some while it waited for its input.
func (m *Model) coldOf(start dag.Instant, waited float64) float64 {
	cold := m.cold
	if m.launch.apart(start) {
		cold *= m.launch.alone
	}
	return max(0, cold-waited)
}

// startup is what is left of the launch of a container for a task that waits. One that was asked for has not come yet.
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

// groups are launches as observations of the pace of overhead: those of this run, else for how long it waits.
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

// askedFor is since when containers may have been launched for the tasks of a stage that wait: since its edges let it
// start, and since one was lost.
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

// succeededAt is when such a part of a stage's n tasks had succeeded, or the last one that has.
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

// waited is for how many milliseconds a job has waited for its first launch; 0 if it does not wait for one.
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
		// Tasks that run did not need a launch. The cluster counts a container from the moment at which it is given.
		if !started || running > 0 && js.HeldMB > used {
			longest = max(longest, float64(s.At-js.Submitted)-taskcost.MS(s.Plan.Overheads.Launch))
		}
	}
	return longest
}
