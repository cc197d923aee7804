package simulate

import (
	"context"
	"io"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// A Source yields the snapshots of a simulated run: one at its start, one each Options.Every of virtual time, one at
// its end, then io.EOF. It never waits.
type Source struct {
	run   *simulation
	next  dag.Instant
	ended bool
}

// New prepares a run of the plan, which must have all sizes and costs. It returns an *OptionError, an error of
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
		if s.Jobs[j].State == dag.Failed && w.isOurs(j) {
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
		as := make([]dag.Attempt, 0, len(st.shown))
		for _, a := range st.attempts {
			if a.start <= t {
				as = append(as, a.show(t, w.opt.Know))
			}
		}
		st.shown, st.shownAt = as, t
	}
	return st.shown
}

// showPlan returns the plan for the watcher. It stays the same until new facts about it become known.
func (w *simulation) showPlan(jobs []dag.JobState) *dag.Plan {
	submitted := 0
	for j := range jobs {
		if jobs[j].Submitted.Known() && w.opt.Know != All {
			submitted++
		}
	}
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
