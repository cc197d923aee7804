package estimators

import (
	"slices"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/schedule"
)

// changedModels are the jobs with reduces left that go by their key groups in one of two cost models and not in the
// other.
func changedModels(w *ReplayContext, costs Costs) []int {
	var out []int
	for j := range w.Now().Plan.Jobs {
		if w.Now().Plan.Jobs[j].IsMapReduce() && w.phase(j, dag.Reduce).left() > 0 &&
			w.Costs.Groups.used(j) != costs.Groups.used(j) {
			out = append(out, j)
		}
	}
	return out
}

// onlyOf predicts the reduces of some jobs in one way, all other tasks in another.
func onlyOf(jobs []int, these, others schedule.Left) schedule.Left {
	return func(t schedule.Task) schedule.Cost {
		if t.Stage == dag.Reduce && slices.Contains(jobs, t.Job) {
			return these(t)
		}
		return others(t)
	}
}

// describeModels says by what the reduces of the jobs go now.
func describeModels(w *ReplayContext, costs Costs, jobs []int) string {
	var out []string
	for _, j := range jobs {
		now := " go by their key groups now"
		if !costs.Groups.used(j) {
			now = " no longer go by their key groups"
		}
		out = append(out, "reduce tasks of job "+w.Now().Plan.Jobs[j].Node+now)
	}
	return list(out)
}
