package simulate

import (
	"context"
	"io"

	"github.com/paratimer/paratimer/dag"
)

// A Source yields the snapshots of a simulated run: one at its start, one each Options.Every of virtual time, one at
// its end, then io.EOF. It never waits.
type Source struct {
	camera camera
	next   dag.Instant
	over   bool
}

// New prepares a run of the plan, which must have all sizes and costs. It returns an *OptionError, an error of
// dag.NewGraph, or a *schedule.StuckError for a plan that can never end.
func New(plan *dag.Plan, opt Options) (*Source, error) {
	if err := checkPlan(plan); err != nil {
		return nil, err
	}
	if err := checkGroups(plan); err != nil {
		return nil, err
	}
	if err := opt.check(plan); err != nil {
		return nil, err
	}
	if opt.Every == 0 {
		opt.Every = DefaultEvery
	}
	return start(plan, newTruth(plan, &opt))
}

func start(plan *dag.Plan, t *truth) (*Source, error) {
	w := newSimulationState(t)
	if err := w.replay(); err != nil {
		return nil, err
	}
	return &Source{next: t.opt.Start, camera: camera{
		reporter: reporter{simulationState: w, every: dag.Instant(t.opt.Every.Milliseconds()), know: t.opt.Know},
		views:    newViews(plan),
		plans:    planner{given: plan, know: t.opt.Know},

		groupViews: make([]groupView, len(plan.Jobs)),
	}}, nil
}

// Next returns the next snapshot, and io.EOF after the snapshot of the run's end.
func (s *Source) Next(ctx context.Context) (*dag.Snapshot, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if s.over {
		return nil, io.EOF
	}
	c := &s.camera
	if err := c.reach(s.next); err != nil {
		return nil, err
	}
	t := min(s.next, c.end)
	s.over = t == c.end
	s.next = t + c.every
	return c.take(t), nil
}
