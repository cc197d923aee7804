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
	Skew:     "a task with more input than the others",
	Shuffle:  "copying input to reduces",
	Startup:  "start-up of jobs and tasks",
	Waiting:  "waiting for containers, and between jobs",
	Failures: "lost work that ran again (estimate)",
	Load:     "containers used by other applications (estimate)",
	Cluster:  "another cluster, or other limits of the jobs on it (estimate)",
	Plan:     "jobs that only one of the runs has",
	Rest:     "unexplained",
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
	before, now := c.Runs[c.base].Length, subject.Length
	was, is := units.Seconds(before/1000), units.Seconds(now/1000)
	s := fmt.Sprintf("%s to %s, %s (%s)", was, is, units.Signed((now-before)/1000), units.More(now/before))
	if was == is {
		s = is + ", as before"
	}
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

// differences are texts, each listed once: the jobs of a script usually have the same limits.
type differences []string

// add adds a difference, if there is one: what is now, and what was.
func (d *differences) add(differ bool, now string, was any) {
	if text := fmt.Sprintf("%s (was %v)", now, was); differ && !slices.Contains(*d, text) {
		*d = append(*d, text)
	}
}

// otherwise lists how the run's circumstances, its jobs and their limits differ from the base's.
func (c *Comparison) otherwise() []string {
	said := differences{}
	if c.base < 0 {
		return said
	}
	before, now := c.Runs[c.base], c.Runs[c.subject]
	was, is := &before.Circumstances, &now.Circumstances
	said.add(is.Failed != was.Failed, units.Count(is.Failed, "failed attempt"), was.Failed)
	said.add(is.Repeated != was.Repeated && (is.Repeated != is.Failed || was.Repeated != was.Failed),
		units.Count(is.Repeated, "repeated attempt"), was.Repeated)
	said.add(is.Restarts != was.Restarts, units.Count(is.Restarts, "restarted master"), was.Restarts)
	said.add(is.Lost != was.Lost, units.Count(is.Lost, "lost node"), was.Lost)
	said.add(math.Abs(float64(is.Others-was.Others)) >= othersMatter, fmt.Sprintf(
		"other applications used %s of the cluster", units.Percent(is.Others)), units.Percent(was.Others))
	said.add(!sameCluster(&was.Cluster, &is.Cluster), "the cluster has "+room(&is.Cluster), room(&was.Cluster))
	for i := range c.Jobs {
		b, n := c.Jobs[i].index[c.base], c.Jobs[i].index[c.subject]
		switch {
		case b < 0 && n < 0:
		case b < 0:
			said = append(said, "job "+c.Jobs[i].Node+" was added")
		case n < 0:
			said = append(said, "job "+c.Jobs[i].Node+" was removed")
		default:
			said.job(&before.Plan.Jobs[b], &now.Plan.Jobs[n])
			for _, is := range now.Jobs[n].Phases { // the number of maps follows the data
				l := before.Jobs[b].Stage(is.Name)
				if l < 0 || !is.reads || is.Tasks == nil || before.Jobs[b].Phases[l].Tasks == nil {
					continue
				}
				was := *before.Jobs[b].Phases[l].Tasks
				said.add(*is.Tasks != was, fmt.Sprintf("stage %s of %s has %d tasks", cmp.Or(is.Title, is.Name),
					c.Jobs[i].Node, *is.Tasks), was)
			}
		}
	}
	return said
}

// job adds the differing limits of a job.
func (d *differences) job(then, job *dag.Job) {
	was, is := &then.MapReduce, &job.MapReduce
	limit := func(what string, was, is float64) {
		d.add(was != is && !sameLimits(then, job), fmt.Sprintf("%s %g", what, is), was)
	}
	limit("memory of a master", float64(then.MasterMB), float64(job.MasterMB))
	limit("memory of a map", float64(was.MapMB), float64(is.MapMB))
	limit("memory of a reduce", float64(was.ReduceMB), float64(is.ReduceMB))
	limit("slow start", was.SlowStart, is.SlowStart)
	limit("ramp-up limit", was.RampUp, is.RampUp)
	limit("maps at once", float64(was.MaxMaps), float64(is.MaxMaps))
	limit("reduces at once", float64(was.MaxReduces), float64(is.MaxReduces))
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
