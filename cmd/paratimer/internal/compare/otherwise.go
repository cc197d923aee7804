package compare

import (
	"fmt"
	"math"
	"slices"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// otherwise lists how the run's circumstances, its jobs and their limits differ from the base's.
func (c *Comparison) otherwise() []string {
	said := []string{}
	if c.base < 0 {
		return said
	}
	before, now := c.Runs[c.base], c.Runs[c.subject]
	was, is := &before.Circumstances, &now.Circumstances
	for _, x := range []struct {
		what    string
		was, is int
	}{
		{"failed attempt", was.Failed, is.Failed},
		{"repeated attempt", was.Repeated, is.Repeated},
		{"restarted master", was.Restarts, is.Restarts},
		{"lost node", was.Lost, is.Lost},
	} {
		same := x.what == "repeated attempt" && x.was == was.Failed && x.is == is.Failed
		if x.was+x.is > 0 && !same {
			said = append(said, fmt.Sprintf("%s (was %d)", units.Count(x.is, x.what), x.was))
		}
	}
	if math.Abs(float64(is.Others-was.Others)) >= 0.02 {
		said = append(said, fmt.Sprintf("other applications held %s of the cluster (was %s)", units.Percent(is.Others),
			units.Percent(was.Others)))
	}
	if !sameCluster(&was.Cluster, &is.Cluster) {
		said = append(said, fmt.Sprintf("the cluster has %s (was %s)", room(&is.Cluster), room(&was.Cluster)))
	}
	for i := range c.Jobs {
		b, n := c.Jobs[i].index[c.base], c.Jobs[i].index[c.subject]
		node := c.Jobs[i].Node
		switch {
		case b < 0 && n < 0:
		case b < 0:
			said = append(said, "job "+node+" was added")
		case n < 0:
			said = append(said, "job "+node+" was removed")
		default:
			said = append(said, limits(&before.Plan.Jobs[b], &now.Plan.Jobs[n])...)
			said = append(said, otherTasks(node, &now.Plan.Jobs[n], &before.Jobs[b], &now.Jobs[n])...)
		}
	}
	return unique(said)
}

// unique drops repeated texts: the jobs of a script usually have the same limits.
func unique(texts []string) []string {
	out := []string{}
	for _, t := range texts {
		if !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}

// otherTasks describes the stages with another number of tasks. Only stages that read other stages count (such as
// reduces): the number of maps follows the data.
func otherTasks(node string, plan *dag.Job, before, now *Job) (said []string) {
	for k := range now.Phases {
		is, l := &now.Phases[k], before.Stage(now.Phases[k].Name)
		if l >= 0 && len(plan.Stages[k].After) > 0 && is.Tasks >= 0 && before.Phases[l].Tasks >= 0 &&
			is.Tasks != before.Phases[l].Tasks {
			said = append(said, fmt.Sprintf("stage %s of %s has %d tasks (was %d)", is.Name, node, is.Tasks,
				before.Phases[l].Tasks))
		}
	}
	return said
}

// limits describes differing limits of a job.
func limits(then, job *dag.Job) (said []string) {
	if sameLimits(then, job) {
		return nil
	}
	was, is := &then.MapReduce, &job.MapReduce
	for _, l := range []struct {
		what    string
		was, is float64
	}{
		{"memory of a master", float64(then.MasterMB), float64(job.MasterMB)},
		{"memory of a map", float64(was.MapMB), float64(is.MapMB)},
		{"memory of a reduce", float64(was.ReduceMB), float64(is.ReduceMB)},
		{"slow start", was.SlowStart, is.SlowStart},
		{"ramp-up limit", was.RampUp, is.RampUp},
		{"maps at once", float64(was.MaxMaps), float64(is.MaxMaps)},
		{"reduces at once", float64(was.MaxReduces), float64(is.MaxReduces)},
	} {
		if l.was != l.is {
			said = append(said, fmt.Sprintf("%s %g (was %g)", l.what, l.is, l.was))
		}
	}
	return said
}

func room(c *dag.Cluster) string {
	switch {
	case c.Policy == dag.FIFO:
		return fmt.Sprintf("%d map and %d reduce slots", c.MapSlots, c.ReduceSlots)
	case c.Policy == dag.Executors:
		return units.Count(c.Cores, "core")
	case c.QueueMB > 0 && c.QueueMB != c.MemoryMB:
		return fmt.Sprintf("%d MB, of which our queue may use %d", c.MemoryMB, c.QueueMB)
	}
	return fmt.Sprintf("%d MB", c.MemoryMB)
}
