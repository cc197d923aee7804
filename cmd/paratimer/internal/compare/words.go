package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// meanings describes the effects.
var meanings = map[Effect]string{
	Data:     "more or fewer records",
	Cost:     "time for each record",
	Order:    "how tasks followed each other: rounds, another path",
	Skew:     "a task that was given more than the others",
	Shuffle:  "copying input to reduces",
	Startup:  "start-up of jobs and tasks",
	Waiting:  "waiting for containers, and between jobs",
	Failures: "work that was lost and done again (estimate)",
	Load:     "other applications held containers (estimate)",
	Cluster:  "another cluster, or other limits of the jobs on it (estimate)",
	Plan:     "jobs that only one of the runs has",
	Rest:     "unexplained",
}

// meaning describes an effect in the terms of the run's cluster.
func (c *Comparison) meaning(e Effect) string {
	if c.Runs[c.subject].Plan.Cluster.Policy == dag.Executors {
		return strings.ReplaceAll(meanings[e], "containers", "cores")
	}
	return meanings[e]
}

// saysDifference describes the difference, and its largest effects: at most three, of a second and a tenth of it.
func (c *Comparison) saysDifference() string {
	subject := c.Runs[c.subject]
	switch {
	case c.base < 0:
		return "Not compared: no earlier run succeeded"
	case math.IsNaN(c.Total) && subject.State.Ended():
		return "This run has " + subject.State.String() + ": how long it would have taken is unknown"
	case math.IsNaN(c.Total):
		return "This run was not seen to its end: how long it takes is unknown"
	}
	s := fromTo(c.Runs[c.base].Length, subject.Length)
	if len(c.Effects) == 0 {
		return s + ": its causes are unknown"
	}
	word := ": mostly "
	for i, e := range bySize(c.Difference.Effects) {
		if i < 3 && e.size() >= max(1, math.Abs(c.Total)/10000) {
			s += word + units.Signed(e.Seconds) + " " + e.Meaning
			word = "; "
		}
	}
	return s
}

func (e *Share) size() float64 { return math.Abs(float64(e.Seconds)) }

// bySize sorts effects, the largest first.
func bySize(effects []Share) []Share {
	larger := func(a, b Share) int { return cmp.Compare(b.size(), a.size()) }
	return slices.SortedStableFunc(slices.Values(effects), larger)
}

// fromTo formats a length before and now, in milliseconds: "1m40s to 2m5s, +25s (+25%)".
func fromTo(before, now float64) string {
	was, is := units.Seconds(before/1000), units.Seconds(now/1000)
	if was == is {
		return is + ", as before"
	}
	return fmt.Sprintf("%s to %s, %s (%s)", was, is, units.Signed((now-before)/1000), units.More(now/before))
}

// finding completes a finding about a stage of the compared run: its names, a sentence, and rounded figures.
func (c *Comparison) finding(f Finding, row int, k dag.StageIndex) Finding {
	run, j := c.Runs[c.subject], c.Jobs[row].index[c.subject]
	f.Job, f.Phase = c.Jobs[row].Node, run.Plan.StageName(j, k)
	tasks, name := f.Phase+"s", f.Job
	if !run.Plan.Jobs[j].IsMapReduce() {
		tasks = "stage " + f.Phase
	}
	if alias := c.Jobs[row].Name; alias != nil {
		name += " (" + *alias + ")"
	}
	f.Says = fmt.Sprintf("%s of %s: %s to %s a task, %s: time a %s %s", tasks, name, units.Seconds(f.Before/1000),
		units.Seconds(f.Now/1000), units.More(f.Now/f.Before), f.Unit, units.More(f.Ratio))
	if f.Low.Known() {
		f.Says += fmt.Sprintf(" [%s, %s]", units.More(f.Low), units.More(f.High))
	}
	if f.Amount.Known() && f.Unit != "task" {
		f.Says += fmt.Sprintf(", %ss %s", f.Unit, units.More(f.Amount))
	}
	if f.Doubtful {
		f.Says += fmt.Sprintf("; %s: may be chance", units.Count(f.Earlier, "earlier run"))
	} else {
		f.Says += fmt.Sprintf("; %d earlier runs differ by up to %s", f.Earlier, units.More(f.Chance))
	}
	f.Before, f.Now = seconds(float64(f.Before)), seconds(float64(f.Now))
	for _, v := range []*units.Float{&f.Ratio, &f.Low, &f.High, &f.Amount, &f.Chance} {
		*v = figure(float64(*v))
	}
	return f
}

func (p *Path) says() string {
	switch {
	case len(p.Now) == 0 && len(p.Before) == 0:
		return "The critical path is unknown"
	case len(p.Came) == 0 && len(p.Left) == 0:
		return "The critical path goes through the same jobs: " + strings.Join(p.Now, ", ")
	}
	s := "The critical path goes through " + strings.Join(p.Now, ", ")
	if len(p.Came) > 0 {
		s += "; new on it: " + strings.Join(p.Came, ", ")
	}
	if len(p.Left) > 0 {
		s += "; no longer on it: " + strings.Join(p.Left, ", ")
	}
	return s
}

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
		return fmt.Sprintf("%d MB; our queue may use %d", c.MemoryMB, c.QueueMB)
	}
	return fmt.Sprintf("%d MB", c.MemoryMB)
}
