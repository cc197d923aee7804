// Package planview shows the prediction for a plan before it runs, or from any snapshot on: totals under each
// scenario, the schedule, its rounds and path fragments, and the critical path; as text and as JSON. It also shows the
// results of queueing models and of Ernest.
package planview

import (
	"fmt"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/chart"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/explain"
	"github.com/paratimer/paratimer/pathfrag"
	"github.com/paratimer/paratimer/units"
)

// A View is a predicted schedule as text, JSON and a drawing show it. Their times count from Path.Schedule.Now.
type View struct {
	Plan      *dag.Plan
	Path      *pathfrag.Path // with its Schedule
	Estimates []estimators.Estimate
	// Skew lists the reduces that delay the plan; nil if unknown. Its times count from now.
	Skew []frame.Skew
	// Full returns the length of a whole task in milliseconds (estimators.Costs.Full).
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
	skew, err := explain.SkewOf(w, false)
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
	v.Skew = frame.SkewOf(w.Run.Now(), skew, new(path.Schedule.Remaining()))
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
		all = append(all, e.Warnings...)
	}
	return frame.Once(all)
}

// cut makes a name safe to print and short.
func cut(name string) string { return chart.Cut(view.Escape(name), 24) }

// Title describes a fragment: "j1, j2 maps", "launch of j1", "pause between waves".
func (v *View) Title(fragment int) string {
	f := &v.Path.Fragments[fragment]
	jobs := frame.JobsOf(v.Path, f)
	names := units.Each(jobs, func(j int32) string { return cut(v.Plan.Jobs[j].Node) })
	if len(names) > 4 {
		names = view.Some(names, 3)
	}
	list := strings.Join(names, ", ")
	if v.Plan.IsWhole() {
		list = "the " + cut(v.Plan.Whole.Name)
	}
	switch {
	case f.Pause == dag.Finish && v.Plan.Cluster.Policy == dag.Executors:
		return "the driver after the last job"
	case f.Pause != dag.NoPause && v.Plan.Cluster.Policy == dag.Executors && v.started(jobs, f.Start):
		return "the driver between jobs"
	case f.Pause == dag.Wave:
		return "pause between waves"
	case f.Pause == dag.Launch && v.started(jobs, f.Start):
		return "wait for " + list
	case f.Pause == dag.Launch:
		return "launch of " + list
	case f.Pause == dag.Finish:
		return "end of " + list
	case f.Width == 0:
		return "failed attempt of " + list
	case v.Plan.IsWhole():
		return cut(v.Plan.StageName(v.Path.JobOf(f), f.Stage))
	}
	return list + " " + units.Stage(cut(v.Plan.StageName(v.Path.JobOf(f), f.Stage)))
}

// started reports whether a task of one of the jobs starts before an instant. Spans are sorted by start.
func (v *View) started(jobs []int32, before dag.Instant) bool {
	for i := range v.Path.Schedule.Spans {
		s := &v.Path.Schedule.Spans[i]
		if s.Start >= before {
			return false
		}
		if s.Count > 0 && slices.Contains(jobs, s.Job) {
			return true
		}
	}
	return false
}
