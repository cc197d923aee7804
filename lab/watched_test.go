package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/paratimer/paratimer/adapters/simulate"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/cost"
	"github.com/paratimer/paratimer/estimators/profiles"
)

// keptRuns is the number of runs that are kept per workflow.
const keptRuns = 50

// ticks is the approximate number of observations of a run.
const ticks = 150

// A memory has a workflow's earlier runs, oldest first, in the form that attach stores.
type memory struct{ profiles []*dag.Plan }

// profile returns the merged profile for the next run; nil before the first.
func (m *memory) profile() (*dag.Plan, error) {
	if len(m.profiles) == 0 {
		return nil, nil
	}
	merged, ok := profiles.Merge(m.profiles, profiles.Weights(len(m.profiles)))
	if !ok {
		return nil, errors.New("the runs of one workflow do not match")
	}
	return merged, nil
}

func (m *memory) add(profile *dag.Plan, residuals []dag.Residual) {
	profile.Residuals = residuals
	m.profiles = append(m.profiles, profile)
	m.profiles = m.profiles[max(0, len(m.profiles)-keptRuns):]
}

// A watched run has one prediction for each of ratios.
type watched struct {
	total       time.Duration
	succeeded   bool
	predictions []saying
}

// A saying is the prediction at one tick.
type saying struct {
	elapsed time.Duration
	runs    int // earlier runs used by the correction
	left    estimators.Distribution
	raw     estimators.Distribution
}

// watchAll simulates at most n of a workflow's runs, one after another. Each is watched with the memory of the runs
// before it.
func (w *workflow) watchAll(ctx context.Context, n int, estimator estimators.Estimator) ([]watched, error) {
	var past memory
	every := time.Duration(0)
	var out []watched
	for i := range min(n, w.runs) {
		profile, err := past.profile()
		if err != nil {
			return nil, fmt.Errorf("workflow %d: %w", w.number, err)
		}
		plan, opt := w.run(i)
		opt.Every = every
		run, err := observe(ctx, plan, opt, profile)
		if err != nil {
			return nil, fmt.Errorf("workflow %d, run %d: %w", w.number, i, err)
		}
		got, learnt, residuals, err := watchOne(run, runID(w.number, i), estimator)
		if err != nil {
			return nil, fmt.Errorf("workflow %d, run %d: %w", w.number, i, err)
		}
		every = max(time.Second, (got.total / ticks).Truncate(time.Millisecond))
		if out = append(out, got); got.succeeded {
			past.add(learnt, residuals)
		}
	}
	return out, nil
}

func runID(workflow, run int) string { return fmt.Sprintf("calibrate_%d_%d", workflow, run) }

// observe simulates a run and returns its snapshots, with the profile attached.
func observe(ctx context.Context, plan *dag.Plan, opt simulate.Options, profile *dag.Plan) ([]*dag.Snapshot, error) {
	src, err := simulate.New(plan, opt)
	if err != nil {
		return nil, err
	}
	var attached []*dag.Plan
	if profile != nil {
		attached = []*dag.Plan{profile}
	}
	var out []*dag.Snapshot
	for {
		s, err := src.Next(ctx)
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		out = append(out, profiles.Attach(s, attached))
	}
}

// watchOne computes the range at ratios and where residuals are taken, and returns the run's profile and residuals.
func watchOne(run []*dag.Snapshot, id string, estimator estimators.Estimator) (w watched, profile *dag.Plan,
	residuals []dag.Residual, err error,
) {
	last := run[len(run)-1]
	origin, end := last.Origin(), dag.NoInstant
	for j := range last.Jobs {
		end = max(end, last.Jobs[j].Finished)
	}
	w = watched{
		total: end.Sub(origin), succeeded: last.State == dag.Succeeded,
		predictions: make([]saying, len(coverageRatios)),
	}
	if !w.succeeded {
		return w, nil, nil, nil
	}
	sampledAt := map[int]bool{}
	at := func(ratio float64) int { return nearestTick(run, origin, ratio*float64(w.total)) }
	for _, r := range append(coverageRatios[:], estimators.Bins[:]...) {
		sampledAt[at(r)] = true
	}
	var seen dag.Run
	var ranges []estimators.RangeTick
	for i, s := range run {
		if seen = seen.Append(s); !sampledAt[i] {
			continue
		}
		e, err := estimator.Estimate(seen)
		if err != nil {
			return w, nil, nil, err
		}
		elapsed := s.At.Sub(origin)
		if e.Tick != nil {
			ranges = append(ranges, *e.Tick)
		}
		for r := range coverageRatios {
			if at(coverageRatios[r]) == i {
				w.predictions[r] = saying{elapsed, e.Runs, e.Distribution, e.Raw}
			}
		}
	}
	return w, cost.Learn(seen), estimators.Residuals(id, ranges, w.total), nil
}

// nearestTick returns the index of the tick nearest to an elapsed time.
func nearestTick(run []*dag.Snapshot, origin dag.Instant, elapsed float64) int {
	best, least := 0, math.Inf(1)
	for i, s := range run {
		if off := math.Abs(float64(s.At.Sub(origin)) - elapsed); off < least {
			best, least = i, off
		}
	}
	return best
}
