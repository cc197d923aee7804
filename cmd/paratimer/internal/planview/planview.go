// Package planview shows the prediction for a plan before it runs, or from any snapshot on: totals under each
// scenario, the schedule, its rounds and path fragments, and the critical path; as text and as JSON.
package planview

import (
	"fmt"
	"slices"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/skewness"
	"github.com/paratimer/paratimer/pathfrag"
)

// A View is what is shown. Times of all three formats count from Path.Schedule.Now.
type View struct {
	Plan      *dag.Plan
	Path      *pathfrag.Path // with its Schedule
	Estimates []estimators.Estimate
	// Skew is the reduces that delay the plan; nil if unknown. Its times count from now.
	Skew []frame.Skew
	// Full is how long a whole task takes, in milliseconds (estimators.Costs.Full).
	Full func(job int, k dag.StageIndex, task int) float64
}

// Of returns the view of a plan that has not started, under the scenarios. profiles are earlier runs for the cost
// model.
func Of(
	plan *dag.Plan, profiles []*dag.Plan, model estimators.Model, opt estimators.Options,
	scenarios []estimators.Scenario,
) (*View, error) {
	w := estimators.NewReplayContext(dag.Run{}.Append(Before(plan, profiles)), model, opt)
	path, err := w.Path()
	if err != nil {
		return nil, fmt.Errorf("planning %q: %w", plan.Name, err)
	}
	v := &View{Plan: w.Now().Plan, Path: path, Full: w.Costs.Full}
	for _, scenario := range scenarios {
		e, err := scenario.Of(w)
		if err != nil {
			return nil, err
		}
		if !e.Moot {
			v.Estimates = append(v.Estimates, e)
		}
	}
	skew, err := skewness.Of(w, false)
	if err != nil {
		return nil, fmt.Errorf("planning %q: %w", plan.Name, err)
	}
	remaining := path.Schedule.Remaining()
	v.Skew = frame.SkewOf(w.Run.Now(), skew, &remaining)
	return v, nil
}

// Before returns the snapshot of a plan that has not started, at instant 0.
func Before(plan *dag.Plan, profiles []*dag.Plan) *dag.Snapshot {
	return &dag.Snapshot{
		Plan: plan, Profiles: profiles, State: dag.Running, Stale: dag.NoInstant, Jobs: plan.BlockedJobs(),
	}
}

// warnings returns the warnings of all estimates, each once, in the order of the estimates.
func (v *View) warnings() (all []dag.Warning) {
	for _, e := range v.Estimates {
		for _, w := range e.Warnings {
			if !slices.Contains(all, w) {
				all = append(all, w)
			}
		}
	}
	return all
}
