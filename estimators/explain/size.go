package explain

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// knownSizes is the ingredient of sizes: the later plan's jobs, numbers of tasks and records, and the sizes that
// attempts have reported since.
func knownSizes(s, later *dag.Snapshot) (*dag.Snapshot, string) {
	subjects := plannedSizes(s, later)
	c := clone(s)
	plan := *later.Plan
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
					units.Tasks(shown, plan.Jobs[l].Stages[k].Name), plan.OfJob(l)))
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
				out = append(out, fmt.Sprintf("%s has %s", later.Plan.JobName(l), units.Tasks(b.Count(), b.Name)))
			} else if !sameSizes(a, b) {
				out = append(out, fmt.Sprintf("the input sizes of %s tasks%s became known", b.Name,
					later.Plan.OfJob(l)))
			}
		}
	}
	return out
}

// sameSizes compares the planned tuples and bytes of the tasks of two stages.
func sameSizes(a, b *dag.Stage) bool {
	if len(a.Pipelines) != len(b.Pipelines) || !sameSeries(a.Bytes, b.Bytes, a.Count()) {
		return false
	}
	for i := range a.Pipelines {
		if !sameSeries(a.Pipelines[i].Tuples, b.Pipelines[i].Tuples, a.Count()) {
			return false
		}
	}
	return true
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
		copied := b != nil && b.CopyEnd.Known() && !a.CopyEnd.Known()
		if b == nil || !copied && !newTotals(a, b) {
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

// newTotals reports whether b has a total that a lacks.
func newTotals(a, b *dag.Attempt) bool {
	for i := range a.Total {
		if math.IsNaN(a.Total[i]) && !math.IsNaN(b.Total[i]) {
			return true
		}
	}
	return false
}

// list joins the first subjects.
func list(subjects []string) string {
	const most = 3
	if len(subjects) > most {
		return fmt.Sprintf("%s, and %d more", strings.Join(subjects[:most], ", "), len(subjects)-most)
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
