package estimators

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/dag"
)

// knownSizes is the ingredient of sizes: the later plan's jobs, numbers of tasks and records, and the sizes that
// attempts have shown since.
func knownSizes(s, later *dag.Snapshot) (*dag.Snapshot, string) {
	subjects := plannedSizes(s, later)
	c := clone(s)
	plan := *later.Plan
	plan.Cluster, plan.Overheads, plan.Profiles = s.Plan.Cluster, s.Plan.Overheads, s.Plan.Profiles
	c.Plan = &plan
	c.Jobs = make([]dag.JobState, len(later.Jobs))
	for l := range c.Jobs {
		j := sameJob(later, s, l)
		if j < 0 {
			c.Jobs[l] = dag.JobState{Submitted: dag.NoInstant, Started: dag.NoInstant, Finished: dag.NoInstant}
			continue
		}
		c.Jobs[l] = s.Jobs[j]
		for _, k := range []dag.Kind{dag.Map, dag.Reduce} {
			p := c.Jobs[l].Phase(k)
			list, shown := shownSizes(p.Attempts, later.Jobs[l].Phase(k).Attempts, s.At)
			if shown > 0 {
				p.Attempts = list
				subjects = append(subjects, fmt.Sprintf("the sizes of %d %s tasks of job %s", shown, k, plan.Jobs[l].Node))
			}
		}
	}
	if len(subjects) == 0 && sameShape(s, later) {
		return nil, ""
	}
	return c, list(subjects)
}

// plannedSizes names the phases of which the later plan knows more or something else.
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
		for _, k := range []dag.Kind{dag.Map, dag.Reduce} {
			a, b := was.Phase(k), is.Phase(k)
			if a.Known != b.Known || a.Count() != b.Count() {
				out = append(out, fmt.Sprintf("job %s has %d %s tasks", is.Node, b.Count(), k))
			} else if !sameSizes(a, b) {
				out = append(out, fmt.Sprintf("the records of %s tasks of job %s", k, is.Node))
			}
		}
	}
	return out
}

// sameSizes compares what two phases say of the tuples and bytes of their tasks.
func sameSizes(a, b *dag.Phase) bool {
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

// shownSizes gives attempts the totals that the same attempts show later, and a reduce its shuffled bytes once its copy
// has ended. It returns the new list, and how many attempts have shown something new.
func shownSizes(list, later []dag.Attempt, at dag.Instant) ([]dag.Attempt, int) {
	shown := 0
	out := list
	for i := range list {
		a := &list[i]
		if a.State != dag.AttemptRunning {
			continue
		}
		b := find(later, a.Task, a.Number)
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

// newTotals says whether b knows a total that a does not.
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
