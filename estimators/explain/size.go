package explain

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/schedule"
	"github.com/paratimer/paratimer/units"
)

// knownSizes is the ingredient of sizes: the later plan's jobs, numbers of tasks and records, and the sizes that
// attempts have reported since.
func knownSizes(s, later *dag.Snapshot) (*dag.Snapshot, string) {
	subjects := plannedSizes(s, later)
	c, plan := s.Clone(), *later.Plan
	plan.Cluster, plan.Overheads = s.Plan.Cluster, s.Plan.Overheads
	c.Plan = &plan
	was := c.Jobs
	c.Jobs = make([]dag.JobState, len(later.Jobs))
	for l := range c.Jobs {
		j := sameJob(later, s, l)
		if j < 0 {
			c.Jobs[l] = dag.BlockedJob(len(later.Plan.Jobs[l].Stages))
			continue
		}
		c.Jobs[l] = was[j]
		c.Jobs[l].Stages = stagesAs(&s.Plan.Jobs[j], was[j].Stages, &later.Plan.Jobs[l])
		for k := range min(c.Jobs[l].NumStages(), later.Jobs[l].NumStages()) {
			p := &c.Jobs[l].Stages[k]
			list, shown := shownSizes(p.Attempts, later.Jobs[l].Stages[k].Attempts, s.At)
			if shown > 0 {
				p.Attempts = list
				subjects = append(subjects, fmt.Sprintf("the sizes of %s%s became known",
					units.Tasks(shown, plan.StageName(l, k)), plan.OfJob(l)))
			}
		}
	}
	if len(subjects) == 0 && sameShape(s, later) {
		return nil, ""
	}
	return c, list(subjects)
}

// stagesAs returns the states of a job's stages in the order of a later plan, which may have more stages.
func stagesAs(job *dag.Job, states []dag.StageState, later *dag.Job) []dag.StageState {
	out := make([]dag.StageState, len(later.Stages))
	for k := range out {
		is := func(s dag.Stage) bool { return s.Name == later.Stages[k].Name }
		if i := slices.IndexFunc(job.Stages, is); i >= 0 && i < len(states) {
			out[k] = states[i]
		}
	}
	return out
}

// plannedSizes names the stages with other numbers of tasks or sizes in the later plan.
func plannedSizes(s, later *dag.Snapshot) []string {
	var out []string
	for l := range later.Plan.Jobs {
		is := &later.Plan.Jobs[l]
		j := slices.IndexFunc(s.Plan.Jobs, func(o dag.Job) bool { return o.Node == is.Node })
		if j < 0 {
			out = append(out, "job "+is.Node+" is new")
			continue
		}
		was := &s.Plan.Jobs[j]
		for k := range min(was.NumStages(), is.NumStages()) {
			a, b := &was.Stages[k], &is.Stages[k]
			if a.Known != b.Known || a.Count() != b.Count() {
				out = append(out, fmt.Sprintf("%s has %s", later.Plan.JobName(l), units.Tasks(b.Count(), b.Label())))
			} else if !sameSizes(a, b) {
				out = append(out, fmt.Sprintf("the input sizes of %s tasks%s became known", b.Label(),
					later.Plan.OfJob(l)))
			}
		}
	}
	return out
}

// sameSizes compares the planned tuples and bytes of the tasks of two stages.
func sameSizes(a, b *dag.Stage) bool {
	return sameSeries(a.Bytes, b.Bytes, a.Count()) &&
		slices.EqualFunc(a.Pipelines, b.Pipelines, func(x, y dag.Pipeline) bool {
			return sameSeries(x.Tuples, y.Tuples, a.Count())
		})
}

func sameSeries(a, b dag.Series, n int) bool {
	if a.Known() != b.Known() || a.IsUniform() && b.IsUniform() {
		return a.Known() == b.Known() && same(a.At(0), b.At(0))
	}
	for i := range n {
		if !same(a.At(i), b.At(i)) {
			return false
		}
	}
	return true
}

func same(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }

// shownSizes gives running attempts the totals that the same attempts have later, and a reduce its shuffled bytes
// once its copy has ended. It returns the new list, and the number of attempts that have new sizes.
func shownSizes(list, later []dag.Attempt, at dag.Instant) ([]dag.Attempt, int) {
	shown := 0
	out := list
	for i := range list {
		a := &list[i]
		if a.State != dag.AttemptRunning {
			continue
		}
		b := dag.FindAttempt(later, a.Task, a.Number)
		if b == nil {
			continue
		}
		copied, more := b.CopyEnd.Known() && !a.CopyEnd.Known(), false // more: b has a total that a lacks
		for p := range a.Total {
			more = more || math.IsNaN(a.Total[p]) && !math.IsNaN(b.Total[p])
		}
		if !copied && !more {
			continue
		}
		if shown == 0 {
			out = slices.Clone(list)
		}
		shown++
		out[i].Total = b.Total
		if copied {
			out[i].CopyEnd, out[i].Bytes = min(b.CopyEnd, at), b.Bytes
		}
	}
	return out, shown
}

// list joins the first subjects.
func list(subjects []string) string {
	if more := len(subjects) - taskcost.Named; more > 0 {
		return fmt.Sprintf("%s, and %d more", strings.Join(subjects[:taskcost.Named], ", "), more)
	}
	return strings.Join(subjects, ", ")
}

// newWork is the ingredient of work that was not announced. The plan of s gets the stages of the later plan; its own
// stages keep what was known about them. It returns nil if the later plan lacks a stage of s: then the later plan does
// not continue that of s.
func newWork(s, later *dag.Snapshot) (*dag.Snapshot, string) {
	if !later.Plan.Open || !sameShape(s, later) {
		return nil, ""
	}
	c := s.Clone()
	plan := c.Plan
	stages, tasks, name := 0, 0, ""
	for j := range plan.Jobs {
		was, is := &s.Plan.Jobs[j], later.Plan.Jobs[j].Stages
		grown := slices.Clone(is)
		kept := 0
		for k := range grown {
			i := slices.IndexFunc(was.Stages, func(o dag.Stage) bool { return o.Name == is[k].Name })
			if i < 0 {
				stages, tasks, name = stages+1, tasks+is[k].Count(), is[k].Label()
				continue
			}
			kept++
			grown[k] = was.Stages[i]
			grown[k].After = is[k].After
		}
		if kept < len(was.Stages) {
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
// reported are left out. The names are those of the later plan, which has the number of a stage of Spark.
func slower(
	w *estimators.ReplayContext, later *dag.Plan, costs estimators.Costs, reported []int, moved time.Duration,
) string {
	var most float64
	subject := "running tasks take " + worded(moved, "longer", "less time") + " than predicted"
	w.EachStage(func(job int, k dag.StageIndex, p *estimators.StageLeft) {
		if p.Unfinished() == 0 || k == dag.Reduce && slices.Contains(reported, job) {
			return
		}
		var was, is float64
		for i := range p.Tasks {
			was += taskcost.Finite(w.Costs.Full(job, k, i))
			is += taskcost.Finite(costs.Full(job, k, i))
		}
		diff := is - was
		if moved < 0 {
			diff = -diff
		}
		if was > 0 && diff >= was/100 && diff > most {
			most = diff
			subject = fmt.Sprintf("%s tasks%s %s", later.StageName(job, k), later.OfJob(job),
				wording(is/was, p.Worst))
		}
	})
	return subject
}

// wording formats a change of costs by a factor: "take 12% longer than predicted".
func wording(factor float64, before schedule.Origin) string {
	than := "predicted"
	if before >= schedule.Assumed {
		than = "assumed"
	}
	switch {
	case factor >= 2:
		return fmt.Sprintf("take %.1f times as long as %s", factor, than)
	case factor > 1:
		return fmt.Sprintf("take %s longer than %s", units.Percent(factor-1), than)
	}
	return fmt.Sprintf("take %s less time than %s", units.Percent(1-factor), than)
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
