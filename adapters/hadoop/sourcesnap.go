package hadoop

import (
	"cmp"
	"maps"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// snapshot tells what is known now. Nothing of it is touched again.
func (s *Source) snapshot() *dag.Snapshot {
	g := graphOf(s.member)
	s.plan = s.planOf(g)
	first := s.apps[s.chosen]
	snap := &dag.Snapshot{
		Plan: s.plan, At: s.now, ID: cmp.Or(s.workflow, s.jobs[s.chosen].id),
		User: string(first.User), Queue: string(first.Queue), State: s.end(g),
		Jobs: make([]dag.JobState, len(g.nodes)), Nodes: s.world.nodes, Stale: dag.NoInstant,
	}
	ours := map[string]bool{}
	for i := range g.nodes {
		j := g.nodes[i].job
		if j == nil {
			snap.Jobs[i] = dag.JobState{State: dag.Blocked, Submitted: dag.NoInstant, Started: dag.NoInstant, Finished: dag.NoInstant}
			continue
		}
		ours[j.app] = true
		snap.Jobs[i] = j.shown(s.apps[j.app])
		snap.Jobs[i].Avoided = s.world.on(j.avoids.hosts)
	}
	snap.Load = s.load(g, ours)
	snap.Queues = s.queueStates(snap)
	s.remark(snap, g)
	if s.hub != nil {
		snap.Load = crowd(snap.Load)
	}
	snap.Warnings = s.warned
	return snap
}

// shown is the job's part of a snapshot.
func (j *job) shown(a *wireApp) dag.JobState {
	st := dag.JobState{
		ID: j.id, State: j.state, Submitted: j.submitted, Started: j.started, Finished: dag.NoInstant,
		Attempt: j.attempt, Diagnosis: j.diagnosis,
	}
	if j.state.Ended() {
		st.Finished = j.finished
	}
	if a != nil {
		st.HeldMB, st.Master = a.AllocatedMB.count(maxMB), string(a.Master)
	}
	st.Groups = j.groups() // before the attempts: they settle what has changed
	st.Map.Attempts, st.Reduce.Attempts = j.phases[dag.Map].attempts(), j.phases[dag.Reduce].attempts()
	return st
}

// attempts returns the phase's attempts by task and number, the same slice as before where nothing has changed.
func (p *phase) attempts() []dag.Attempt {
	if !p.dirty {
		return p.built
	}
	p.dirty, p.failed = false, 0
	p.built = make([]dag.Attempt, 0, len(p.tasks))
	for _, index := range slices.Sorted(maps.Keys(p.tasks)) {
		p.built = append(p.built, p.tasks[index].visible(index)...)
	}
	for i := range p.built {
		if p.built[i].State == dag.AttemptFailed {
			p.failed++
		}
	}
	return p.built
}

// load lists what other applications hold or wait for.
func (s *Source) load(g *graph, ours map[string]bool) []dag.Load {
	var firstOfOurs *wireApp
	for i := range g.nodes {
		if j := g.nodes[i].job; j != nil && !j.state.Ended() {
			if a := s.apps[j.app]; a != nil && (firstOfOurs == nil || older(a, firstOfOurs) < 0) {
				firstOfOurs = a
			}
		}
	}
	var out []dag.Load
	ourQueue := string(s.apps[s.chosen].Queue)
	apps, listed, need := s.apps, s.listed, s.needs.of
	if s.hub != nil {
		v := s.hub.view.Load()
		apps, listed, need = v.apps, v.runs, v.need
	}
	for _, id := range listed {
		a := apps[id]
		held := a.AllocatedMB.count(maxMB)
		if ours[id] || a.ended() && held == 0 {
			continue
		}
		pending, am := a.memory()
		out = append(out, dag.Load{
			ID: id, Name: JobTitle(string(a.Name)), User: string(a.User), Need: need(id), Before: firstOfOurs == nil || older(a, firstOfOurs) < 0, Submitted: a.Started.instant(),
			Queue: string(a.Queue), HeldMB: held, PendingMB: pending, AMMB: am, Progress: a.Progress.ratio(),
			ShareMB: s.world.shareMB(string(a.Queue), ourQueue), Until: dag.NoInstant,
		})
	}
	return out
}

// queueStates are our queue and those of the others, by name: the same slice as before where nothing has changed.
func (s *Source) queueStates(snap *dag.Snapshot) []dag.QueueState {
	names := []string{snap.Queue}
	for i := range snap.Load {
		names = append(names, snap.Load[i].Queue)
	}
	slices.Sort(names)
	var out []dag.QueueState
	for _, name := range slices.Compact(names) {
		if q := s.world.queues.find(name); q != nil {
			out = append(out, q.state(name, s.world.totalMB))
		}
	}
	if !slices.Equal(out, s.queues) {
		s.queues = out
	}
	return s.queues
}

// remark adds the warnings that follow from the snapshot itself.
func (s *Source) remark(snap *dag.Snapshot, g *graph) {
	if len(snap.Load) > 0 {
		mb := 0
		for _, l := range snap.Load {
			mb += l.HeldMB
		}
		s.warn(dag.WarnOtherLoad, "%d other applications hold %d MB", len(snap.Load), mb)
	}
	s.remarkLarge()
	if g.launches > 1 {
		s.warn(dag.WarnSecondLaunch, "the script has launched %d batches of jobs; a later one is unknown until it comes", g.launches)
	}
	if g.cyclic {
		s.warn(dag.WarnObservation, "the jobs' confs tell a graph with a cycle; it was cut")
	}
	for i := range snap.Jobs {
		if j := &snap.Jobs[i]; j.Attempt > 1 && !j.State.Ended() {
			s.warn(dag.WarnMasterRestarted, "%s runs in its application master's attempt %d; what the one before had not finished, or could not hand on, runs again", j.ID, j.Attempt)
		}
		s.remarkNodes(snap, i)
	}
}
