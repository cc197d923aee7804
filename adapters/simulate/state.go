package simulate

import (
	"fmt"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// state returns the true state now for the scheduler, before anything starts at this instant.
func (w *simulationState) state() *dag.Snapshot {
	s := &dag.Snapshot{
		Plan: w.plan, At: w.now, State: dag.Running, Stale: dag.NoInstant, User: w.opt.User,
		Queue: w.opt.Queue, Queues: w.opt.Queues, Jobs: make([]dag.JobState, len(w.jobs)),
	}
	for j := range w.jobs {
		s.Jobs[j] = w.jobState(j, w.now)
		for k := range s.Jobs[j].NumStages() {
			s.Jobs[j].Stages[k].Attempts = w.trueAttempts(j, k)
		}
	}
	switch {
	case w.plan.Cluster.Policy != dag.FIFO:
		s.Nodes = w.nodes(s)
	case slices.Contains(w.dead, true):
		plan := *w.plan
		plan.Cluster = clusterLeft(&w.plan.Cluster, w.lostAt)
		s.Plan = &plan
		w.blockSlots(s, &plan)
	}
	return s
}

// trueAttempts returns the started attempts of a phase, numbered by their place in the order of assignment.
func (w *simulationState) trueAttempts(j int, k dag.StageIndex) []dag.Attempt {
	p := &w.jobs[j].phases[k]
	if len(p.tracks) == 0 {
		return nil
	}
	as := make([]dag.Attempt, 0, len(p.tracks))
	for i := range p.tracks {
		r := &p.tracks[i]
		a := dag.Attempt{
			Task: w.placeOf(j, k, r.task), Number: r.number, State: dag.AttemptRunning, Slot: w.slots.inner(r.slot),
			Node:  r.node,
			Start: r.start, End: dag.NoInstant, CopyEnd: dag.NoInstant, SortEnd: dag.NoInstant,
		}
		if w.plan.Cluster.Policy == dag.FIFO {
			a.Node = w.slots.innerNode(r.node)
		}
		if r.end <= w.now {
			a.State, a.End = r.how, r.end
		}
		if x := w.extentOf(attemptKey{j, k, r.task, r.number}, r); w.copies(j, k) && r.begun(w.now) &&
			r.position(w.now, x.work) >= x.ends[dag.Copy] {
			a.CopyEnd = r.reached(x.ends[dag.Copy])
		}
		as = append(as, a)
	}
	if w.order[j] != nil && w.copies(j, k) {
		slices.SortFunc(as, func(a, b dag.Attempt) int {
			return byTask(track{task: a.Task, number: a.Number}, track{task: b.Task, number: b.Number})
		})
	}
	return as
}

// jobState returns a job's state at t without its attempts.
func (w *simulationState) jobState(j int, t dag.Instant) dag.JobState {
	job, o := &w.jobs[j], &w.plan.Overheads
	s := dag.BlockedJob(len(job.phases))
	if job.state == dag.Killed {
		s.State = dag.Killed
		return s
	}
	if !job.submitted.Known() || job.submitted > t {
		return s
	}
	s.State, s.Submitted, s.Attempt = dag.Submitted, job.submitted, 1
	s.ID = w.jobID(j)
	first := never
	for k := range job.phases {
		first = min(first, job.phases[k].first)
	}
	started := first
	if w.plan.Cluster.Policy != dag.FIFO && job.mastered.Known() {
		started = min(first, job.mastered.Add(o.Launch-o.AMStart))
	}
	if started <= t {
		s.State, s.Started = dag.Running, started
	}
	if job.finished.Known() && job.finished <= t {
		s.State, s.Finished = dag.Succeeded, job.finished
		if job.state == dag.Failed {
			s.State, s.Diagnosis = dag.Failed, job.why
		}
	}
	if w.plan.Cluster.Policy == dag.YARN {
		s.HeldMB = w.heldMB(j, &s, t)
	}
	return s
}

// heldMB returns the memory of a job's application: its tasks' containers, and its master's, which outlives the job.
func (w *simulationState) heldMB(j int, s *dag.JobState, t dag.Instant) int {
	job := &w.jobs[j]
	if !job.mastered.Known() || job.mastered > t || s.Finished.Known() && t >= s.Finished.Add(w.plan.Overheads.AMHold) {
		return 0
	}
	held := w.plan.Jobs[j].MasterMB
	for k := range job.phases {
		for i := range job.phases[k].tracks {
			if r := &job.phases[k].tracks[i]; r.start <= t && r.end > t &&
				!(r.frozen && r.node >= 0 && w.lostAt[r.node].Known()) {
				held += w.plan.Jobs[j].TaskMB(dag.StageIndex(k)) //nolint:gosec // an index
			}
		}
	}
	return held
}

// nodes returns the nodes for the scheduler. A dead node that the cluster has not noticed only has room for the
// attempts that seem to run on it.
func (w *simulationState) nodes(s *dag.Snapshot) []dag.NodeState {
	nodes := w.nodeStates()
	hidden := func(n int) bool { return w.dead[n] && !nodes[n].Lost }
	for n := range nodes {
		if hidden(n) {
			nodes[n].MemoryMB, nodes[n].Cores = 0, 0
		}
	}
	for j := range s.Jobs {
		for k := range s.Jobs[j].NumStages() {
			for _, a := range s.Jobs[j].Stages[k].Attempts {
				if n := int(a.Node); a.State == dag.AttemptRunning && n >= 0 && hidden(n) {
					nodes[n].MemoryMB += w.plan.Jobs[j].TaskMB(k)
					nodes[n].Cores += max(1, w.plan.Jobs[j].Stages[k].Cores)
				}
			}
		}
	}
	return nodes
}

// nodeStates returns the nodes as the cluster reports them.
func (w *simulationState) nodeStates() []dag.NodeState {
	nodes := make([]dag.NodeState, len(w.lostAt))
	for n, at := range w.lostAt {
		nodes[n] = dag.NodeState{Name: fmt.Sprintf("node-%d", n), Lost: at.Known(), LostAt: at}
		if w.plan.Cluster.Policy != dag.FIFO {
			of := &w.plan.Cluster.Nodes[n]
			nodes[n].Name, nodes[n].MemoryMB, nodes[n].Cores = of.Name, of.MemoryMB, of.Cores
		}
	}
	return nodes
}

// blockSlots keeps the FIFO scheduler from using free slots of dead nodes that the cluster has not noticed. A
// stand-in job for each kind of slot occupies them forever.
func (w *simulationState) blockSlots(s *dag.Snapshot, plan *dag.Plan) {
	for k, n := range [...]int{plan.Cluster.MapSlots, plan.Cluster.ReduceSlots} {
		kind := dag.StageIndex(k)
		taken := map[int32]bool{}
		for j := range s.Jobs {
			for _, a := range s.Jobs[j].Stages[kind].Attempts {
				taken[a.Slot] = taken[a.Slot] || a.State == dag.AttemptRunning
			}
		}
		var as []dag.Attempt
		for slot := range int32(n) {
			if node := slot / w.slots.per; w.dead[w.slots.node(node)] && !taken[slot] {
				as = append(as, dag.Attempt{
					Task: int32(len(as)), State: dag.AttemptRunning, Slot: slot, Node: node,
					Start: w.opt.Start, End: dag.NoInstant,
				})
			}
		}
		job := dag.Job{
			Node:   "dead " + [...]string{"map", "reduce"}[kind] + " slots",
			Stages: dag.MapReduce(dag.Stage{Known: true}, dag.Stage{Known: true}),
		}
		state := dag.JobState{
			State: dag.Running, Submitted: w.opt.Start, Started: w.opt.Start, Finished: dag.NoInstant,
			Stages: make([]dag.StageState, dag.MapReduceStages),
		}
		job.Stages[kind].Tasks, state.Stages[kind].Attempts = len(as), as
		plan.Jobs = append(plan.Jobs[:len(plan.Jobs):len(plan.Jobs)], job)
		s.Jobs = append(s.Jobs, state)
	}
}
