package simulate

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/paratimer/paratimer/adapters/internal/input"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// A Source yields the snapshots of a simulated run: one at its start, one every Options.Every of virtual time, one at
// its end, then io.EOF. It never waits.
type Source struct {
	run   *simulation
	next  dag.Instant
	ended bool
}

// New prepares a run of the plan, which must have all sizes and costs. It returns an error about an option, one of
// dag.NewGraph, or a *schedule.StuckError for a plan that can never end.
func New(plan *dag.Plan, opt Options) (*Source, error) {
	if err := check(plan, &opt); err != nil {
		return nil, err
	}
	w := newSimulation(plan, &opt)
	if err := w.replay(); err != nil {
		return nil, err
	}
	return &Source{run: w, next: opt.Start}, nil
}

// Next returns the next snapshot, and io.EOF after the snapshot of the run's end.
func (s *Source) Next(ctx context.Context) (*dag.Snapshot, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if s.ended {
		return nil, io.EOF
	}
	if err := s.run.reach(s.next); err != nil {
		return nil, err
	}
	t := min(s.next, s.run.end)
	s.ended, s.next = t == s.run.end, t+dag.Instant(s.run.opt.Every.Milliseconds())
	return s.run.show(t), nil
}

// show returns the snapshot of t for the watcher. t must be in the current leg, and not before the newest snapshot.
func (w *simulation) show(t dag.Instant) *dag.Snapshot {
	s, ended := w.snapshot(t), dag.Succeeded
	for j := range s.Jobs {
		for k, st := range w.jobs[j].stages {
			s.Jobs[j].Stages[k].Attempts = w.showAttempts(st, t)
		}
		s.Jobs[j].Groups = w.showGroups(j, &s.Jobs[j], t)
		if s.Jobs[j].State == dag.Failed {
			ended = dag.Failed
		}
	}
	if t >= w.end {
		s.State = ended
	}
	nodes := w.nodeStates()
	for _, n := range nodes {
		if n.Lost {
			s.Warnings = append(s.Warnings, dag.Warning{Code: dag.WarnNodeLost, Text: n.Name + " is lost"})
		}
	}
	if w.plan.Cluster.Policy != dag.FIFO || len(s.Warnings) > 0 {
		s.Nodes = nodes
	}
	s.Plan = w.showPlan(s.Jobs)
	if w.opt.Know == Profile {
		s.Profiles = []*dag.Plan{w.given}
	}
	return s
}

// showAttempts returns the attempts of a stage that have started by t. Once all of them have ended, snapshots share
// them.
func (w *simulation) showAttempts(st *stage, t dag.Instant) []dag.Attempt {
	if len(st.attempts) == 0 || st.first > t {
		return nil
	}
	if st.last > st.shownAt {
		started := input.Only(st.attempts, func(a *attempt) bool { return a.start <= t })
		st.shown = units.Each(started, func(a *attempt) dag.Attempt { return a.show(t, w.opt.Know) })
		st.shownAt = t
	}
	return st.shown
}

// showPlan returns the plan for the watcher. It stays the same until new facts about it become known.
func (w *simulation) showPlan(jobs []dag.JobState) *dag.Plan {
	submitted := len(input.Only(jobs, func(j dag.JobState) bool { return j.Submitted.Known() && w.opt.Know != All }))
	if w.shownPlan == nil || w.shownSubmitted != submitted {
		plan := *w.plan
		plan.Jobs, plan.Cluster = slices.Clone(plan.Jobs), w.clusterLeft()
		if w.opt.Know != All {
			plan.Cluster.Setup, plan.Overheads = 0, dag.Overheads{}
			for j := range plan.Jobs {
				given := plan.Jobs[j].Stages
				plan.Jobs[j].Stages = dag.Bare(given)
				for k := range given {
					if jobs[j].Submitted.Known() { // its numbers of tasks are then known
						plan.Jobs[j].Stages[k].Tasks, plan.Jobs[j].Stages[k].Known = given[k].Tasks, true
					}
				}
			}
		}
		w.shownPlan, w.shownSubmitted = &plan, submitted
	}
	return w.shownPlan
}

// state returns the true state for the scheduler, without tasks that start at this instant.
func (w *simulation) state() *dag.Snapshot {
	s := w.snapshot(w.now)
	s.Plan = w.plan
	for j, job := range w.jobs {
		for k, st := range job.stages {
			s.Jobs[j].Stages[k].Attempts = w.trueAttempts(st)
		}
	}
	if w.plan.Cluster.Policy != dag.FIFO {
		s.Nodes = w.trueNodes()
		return s
	}
	plan := *w.plan
	plan.Cluster = w.clusterLeft()
	s.Plan = &plan
	for _, n := range w.open {
		s.Nodes = append(s.Nodes, dag.NodeState{Draining: w.nodes[n].dead})
	}
	return s
}

// snapshot returns the common part of what the scheduler and the watcher see at t: all but the attempts.
func (w *simulation) snapshot(t dag.Instant) *dag.Snapshot {
	s := &dag.Snapshot{
		At: t, ID: fmt.Sprintf("simulated-%d", w.opt.Seed), State: dag.Running, Stale: dag.NoInstant, User: w.opt.User,
		Queue: w.opt.Queue, Jobs: make([]dag.JobState, len(w.jobs)),
	}
	for j := range s.Jobs {
		s.Jobs[j] = w.jobState(j, t)
	}
	return s
}

// trueAttempts returns the started attempts of a stage, numbered by their place in the order of assignment. FIFO: a
// cluster has three nodes with two slots each, and has lost the second node. Slots 4 and 5 are then the scheduler's 2
// and 3.
func (w *simulation) trueAttempts(st *stage) []dag.Attempt {
	as := make([]dag.Attempt, 0, len(st.attempts))
	for _, a := range st.attempts {
		x := a.facts(w.now)
		if st.order != nil {
			x.Task = int32(slices.Index(st.order, int(a.task)))
		}
		if w.plan.Cluster.Policy == dag.FIFO {
			if x.Node = int32(slices.Index(w.open, a.node)); x.Node >= 0 {
				x.Slot = x.Node*w.perNode() + a.slot%w.perNode()
			} else {
				x.Slot = -1
			}
		}
		as = append(as, x)
	}
	slices.SortFunc(as, dag.ByTask)
	return as
}

// jobState returns a job's state at t without its attempts.
func (w *simulation) jobState(j int, t dag.Instant) dag.JobState {
	job, o := w.jobs[j], &w.plan.Overheads
	s := dag.BlockedJob(len(job.stages))
	if !job.submitted.Known() || job.submitted > t {
		return s
	}
	s.State, s.Submitted, s.Attempt = dag.Submitted, job.submitted, 1
	s.ID = fmt.Sprintf("job_%d_%04d", w.opt.Start, j+1)
	started := never
	if w.plan.Cluster.Policy != dag.FIFO && job.mastered.Known() {
		started = job.mastered.Add(o.Launch - o.AMStart)
	}
	for _, st := range job.stages {
		started = min(started, st.first)
	}
	if started <= t {
		s.State, s.Started = dag.Running, started
	}
	if job.finished.Known() && job.finished <= t {
		s.State, s.Finished, s.Diagnosis = dag.Succeeded, job.finished, job.why
		if job.failed {
			s.State = dag.Failed
		}
	}
	if w.plan.Cluster.Policy == dag.YARN {
		s.HeldMB = w.heldMB(j, &s, t)
	}
	return s
}

// heldMB returns the memory of a job's application: its tasks' containers, and its master's, which outlives the job.
func (w *simulation) heldMB(j int, s *dag.JobState, t dag.Instant) int {
	job, plan := w.jobs[j], &w.plan.Jobs[j]
	if !job.mastered.Known() || job.mastered > t || s.Finished.Known() && t >= s.Finished.Add(w.plan.Overheads.AMHold) {
		return 0
	}
	held := plan.MasterMB
	for _, st := range job.stages {
		for _, a := range st.attempts {
			lost := a.frozen && a.node >= 0 && w.nodes[a.node].lostAt.Known()
			if a.start <= t && a.end > t && !lost {
				held += plan.TaskMB(st.index)
			}
		}
	}
	return held
}

// trueNodes returns the nodes for the scheduler of containers or cores. A dead node that the cluster has not noticed
// only has room for the attempts that seem to run on it.
func (w *simulation) trueNodes() []dag.NodeState {
	nodes := w.nodeStates()
	hidden := func(n int32) bool { return n >= 0 && w.nodes[n].dead && !nodes[n].Lost }
	for n := range nodes {
		if hidden(int32(n)) {
			nodes[n].MemoryMB, nodes[n].Cores = 0, 0
		}
	}
	for _, a := range w.started() {
		if hidden(a.node) && a.end > w.now {
			nodes[a.node].MemoryMB += w.plan.Jobs[a.stage.job].TaskMB(a.stage.index)
			nodes[a.node].Cores += max(1, a.stage.Cores)
		}
	}
	return nodes
}

// nodeStates returns the nodes as the cluster reports them.
func (w *simulation) nodeStates() []dag.NodeState {
	nodes := make([]dag.NodeState, len(w.nodes))
	for n := range nodes {
		at := w.nodes[n].lostAt
		nodes[n] = dag.NodeState{Name: fmt.Sprintf("node-%d", n), Lost: at.Known(), LostAt: at}
		if w.plan.Cluster.Policy != dag.FIFO {
			of := &w.plan.Cluster.Nodes[n]
			nodes[n].Name, nodes[n].MemoryMB, nodes[n].Cores = of.Name, of.MemoryMB, of.Cores
		}
	}
	return nodes
}

// clusterLeft returns the cluster without its lost nodes and without the slowness of nodes. Slots keep their numbers,
// so the highest ones may exceed the cluster's size.
func (w *simulation) clusterLeft() dag.Cluster {
	c := &w.plan.Cluster
	left := *c
	left.Nodes = slices.Clone(c.Nodes)
	for n := range left.Nodes {
		left.Nodes[n].Slow = 0
	}
	per := int(w.perNode())
	for n := range w.nodes {
		switch {
		case !w.nodes[n].lostAt.Known():
		case c.Policy == dag.FIFO:
			left.MapSlots -= max(0, min(per, c.MapSlots-n*per))
			left.ReduceSlots -= max(0, min(per, c.ReduceSlots-n*per))
		default:
			left.Cores -= min(c.Nodes[n].Cores, left.Cores)
			left.MemoryMB -= min(c.Nodes[n].MemoryMB, left.MemoryMB)
		}
	}
	return left
}
