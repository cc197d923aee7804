package explain

import (
	"fmt"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/schedule"
	"github.com/paratimer/paratimer/units"
)

// sameShape reports whether two snapshots have the same jobs at the same places.
func sameShape(a, b *dag.Snapshot) bool {
	return len(a.Jobs) == len(b.Jobs) && slices.EqualFunc(a.Plan.Jobs, b.Plan.Jobs, func(x, y dag.Job) bool {
		return x.Node == y.Node
	})
}

// sameStages reports whether the jobs of two snapshots of the same shape have the same number of stages.
func sameStages(a, b *dag.Snapshot) bool {
	return slices.EqualFunc(a.Plan.Jobs, b.Plan.Jobs, func(x, y dag.Job) bool { return len(x.Stages) == len(y.Stages) })
}

// asKnownLater predicts the remaining time of a task of s from a later snapshot. A running attempt ends when its
// newer reports predict, an attempt that has succeeded took its measured time, and tasks to come have their new
// costs.
func asKnownLater(s, later *dag.Snapshot, costs estimators.Costs) schedule.Left {
	passed := later.At.Sub(s.At)
	return func(t schedule.Task) schedule.Cost {
		if t.Running == nil {
			return costs.Left(t)
		}
		is := dag.FindAttempt(later.Attempts(t.Job, t.Stage), t.Running.Task, t.Running.Number)
		switch {
		case is == nil:
			t.Running = nil
			return costs.Left(t)
		case is.State == dag.AttemptRunning:
			t.Running = is
			c := costs.Left(t)
			c.Setup += passed
			return c
		case is.End.Known():
			return schedule.Cost{Work: max(0, is.End.Sub(s.At)), Same: 1}
		}
		return schedule.Cost{Work: passed, Same: 1}
	}
}

// slower names the unfinished stage with the greatest change of total cost in the direction in which the end has
// moved. If none changes by a percent in that direction, it names the running tasks. Reduces of the jobs in
// reported are left out.
func slower(w *estimators.ReplayContext, costs estimators.Costs, reported []int, moved time.Duration) string {
	var most float64
	subject := "tasks that run take " + worded(moved, "longer", "less time") + " than was thought"
	w.EachStage(func(job int, k dag.StageIndex, p *estimators.StageLeft) {
		if p.Unfinished() == 0 || k == dag.Reduce && slices.Contains(reported, job) {
			return
		}
		var was, is float64
		for i := range p.Tasks {
			was += taskcost.Bounded(w.Costs.Full(job, k, i))
			is += taskcost.Bounded(costs.Full(job, k, i))
		}
		diff := is - was
		if moved < 0 {
			diff = -diff
		}
		if was > 0 && diff >= was/100 && diff > most {
			most = diff
			subject = fmt.Sprintf("%s tasks%s %s", w.Now().Plan.StageName(job, k), w.Now().Plan.OfJob(job),
				wording(is/was, p.Worst))
		}
	})
	return subject
}

// wording formats a change of costs by a factor: "take 12% longer than was thought".
func wording(factor float64, before schedule.Origin) string {
	thought := "was thought"
	if before >= schedule.Assumed {
		thought = "was assumed"
	}
	switch {
	case factor >= 2:
		return fmt.Sprintf("take %.1f times as long as %s", factor, thought)
	case factor > 1:
		return fmt.Sprintf("take %s longer than %s", units.Percent(factor-1), thought)
	}
	return fmt.Sprintf("take %s less time than %s", units.Percent(1-factor), thought)
}

// changedModels returns the jobs with unfinished reduces that one of two cost models predicts from key groups and
// the other does not.
func changedModels(w *estimators.ReplayContext, costs estimators.Costs) []int {
	var out []int
	for j := range w.Now().Plan.Jobs {
		if w.Now().Plan.Jobs[j].IsMapReduce() && w.Stage(j, dag.Reduce).Unfinished() > 0 &&
			byGroups(w.Costs, j) != byGroups(costs, j) {
			out = append(out, j)
		}
	}
	return out
}

// byGroups reports whether costs predict a job's reduces by their key groups.
func byGroups(costs estimators.Costs, job int) bool {
	return costs.Groups.Used != nil && costs.Groups.Used(job)
}

// onlyOf predicts the reduces of some jobs with one function, all other tasks with another.
func onlyOf(jobs []int, these, others schedule.Left) schedule.Left {
	return func(t schedule.Task) schedule.Cost {
		if t.Stage == dag.Reduce && slices.Contains(jobs, t.Job) {
			return these(t)
		}
		return others(t)
	}
}

// describeModels describes how the reduces of the jobs are predicted now.
func describeModels(w *estimators.ReplayContext, costs estimators.Costs, jobs []int) string {
	var out []string
	for _, j := range jobs {
		now := " go by their key groups now"
		if !byGroups(costs, j) {
			now = " no longer go by their key groups"
		}
		out = append(out, "reduce tasks of job "+w.Now().Plan.Jobs[j].Node+now)
	}
	return list(out)
}
