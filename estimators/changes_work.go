package estimators

import (
	"fmt"
	"slices"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// newWork is the ingredient of work that nobody had announced: stages that the later plan has, and that s has not. The
// stages of s keep what was known of them. It is nil if the later plan lacks a stage of s: then the two are not plans
// of the same program that went on.
func newWork(s, later *dag.Snapshot) (*dag.Snapshot, string) {
	if !later.Plan.Open || !sameShape(s, later) {
		return nil, ""
	}
	c := clone(s)
	plan := *s.Plan
	plan.Jobs = slices.Clone(s.Plan.Jobs)
	c.Plan = &plan
	stages, tasks, name := 0, 0, ""
	for j := range plan.Jobs {
		was, is := &s.Plan.Jobs[j], later.Plan.Jobs[j].Stages
		grown := slices.Clone(is)
		kept := 0
		for k := range grown {
			i := slices.IndexFunc(was.Stages, func(o dag.Stage) bool { return o.Name == is[k].Name })
			if i < 0 {
				stages, tasks, name = stages+1, tasks+is[k].Count(), is[k].Name
				continue
			}
			kept++
			grown[k] = was.Stages[i]
			grown[k].After = is[k].After
		}
		if kept != len(was.Stages) {
			return nil, ""
		}
		plan.Jobs[j].Stages = grown
		if s.Jobs[j].NumStages() > 0 {
			c.Jobs[j].Stages = stagesAs(was, c.Jobs[j].Stages, &plan.Jobs[j])
		}
	}
	switch {
	case tasks == 0:
		return nil, ""
	case stages == 1:
		return c, fmt.Sprintf("%s of %s came", units.Count(tasks, "task"), name)
	}
	return c, fmt.Sprintf("%d stages with %s came", stages, units.Count(tasks, "task"))
}
