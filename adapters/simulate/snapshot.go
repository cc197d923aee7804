package simulate

import (
	"fmt"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// A camera makes snapshots of a simulation state. It caches the parts that no longer change.
type camera struct {
	reporter
	views [][]view // by job and stage
	plans planner

	groupViews []groupView // by job
}

// A view is the previous snapshot's view of a phase.
type view struct {
	at       dag.Instant
	leg      dag.Instant
	attempts []dag.Attempt
}

func newViews(p *dag.Plan) [][]view {
	all := make([][]view, len(p.Jobs))
	for j := range all {
		all[j] = slices.Repeat([]view{{at: dag.NoInstant}}, len(p.Jobs[j].Stages))
	}
	return all
}

// take makes the snapshot of t, which must be in the simulation's current leg.
func (c *camera) take(t dag.Instant) *dag.Snapshot {
	c.t = t
	s := &dag.Snapshot{
		At: t, ID: fmt.Sprintf("simulated-%d", c.opt.Seed), State: dag.Running, Stale: dag.NoInstant, User: c.opt.User,
		Queue: c.opt.Queue, Queues: c.opt.Queues, Jobs: make([]dag.JobState, c.ours),
	}
	for j := range s.Jobs {
		state := c.jobState(j, t)
		if state.State == dag.Killed {
			state.State = dag.Blocked // it was never submitted
		}
		for k := range state.NumStages() {
			state.Stages[k].Attempts = c.phase(j, k)
		}
		state.Groups = c.groups(j, &state)
		s.Jobs[j] = state
	}
	if t >= c.end {
		s.State = dag.Succeeded
		if slices.ContainsFunc(s.Jobs, func(j dag.JobState) bool { return j.State == dag.Failed }) {
			s.State = dag.Failed
		}
	}
	if c.plan.Cluster.Policy != dag.FIFO || slices.ContainsFunc(c.lostAt, dag.Instant.Known) {
		s.Nodes = c.nodeStates()
	}
	for _, n := range s.Nodes {
		if n.Lost {
			s.Warnings = append(s.Warnings, dag.Warning{Code: dag.WarnNodeLost, Text: n.Name + " is lost"})
		}
	}
	s.Load = c.loads(s)
	s.Plan = c.plans.plan(c.simulationState, s)
	if c.know == Profile {
		s.Profiles = []*dag.Plan{c.plans.given}
	}
	return s
}

// phase returns the attempts of a phase that have started. Attempts that had ended by the last snapshot are copied.
func (c *camera) phase(j int, k dag.StageIndex) []dag.Attempt {
	p, v := &c.jobs[j].phases[k], &c.views[j][k]
	if len(p.tracks) == 0 || p.first > c.t {
		return nil
	}
	if v.leg != c.now {
		*v = view{at: dag.NoInstant, leg: c.now} // a new leg may revise the past
	}
	if v.at.Known() && p.last <= v.at {
		return v.attempts
	}
	old := v.attempts
	as := make([]dag.Attempt, 0, min(len(p.tracks), len(old)+len(old)/8+64))
	for i := range p.tracks {
		r := &p.tracks[i]
		if r.start > c.t {
			continue
		}
		shown := v.at.Known() && r.start <= v.at
		if shown && r.end <= v.at {
			as = append(as, old[0])
		} else {
			as = append(as, c.attempt(j, k, r))
		}
		if shown {
			old = old[1:]
		}
	}
	v.at, v.attempts = c.t, as
	return as
}

func (w *simulationState) jobID(j int) string { return fmt.Sprintf("job_%d_%04d", w.opt.Start, j+1) }
