package compareview

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/compare"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// meanings describes the effects.
var meanings = map[compare.Effect]string{
	compare.Data:     "more or fewer records",
	compare.Cost:     "time for each record",
	compare.Order:    "how tasks followed each other: rounds, another path",
	compare.Skew:     "a task that was given more than the others",
	compare.Shuffle:  "copying input to reduces",
	compare.Startup:  "start-up of jobs and tasks",
	compare.Waiting:  "waiting for containers, and between jobs",
	compare.Failures: "work that was lost and done again (estimate)",
	compare.Load:     "other applications held containers (estimate)",
	compare.Cluster:  "another cluster, or other limits of the jobs on it (estimate)",
	compare.Plan:     "jobs that only one of the runs has",
	compare.Rest:     "unexplained",
}

// meaning describes an effect in the terms of the run's cluster.
func meaning(c *compare.Comparison, e compare.Effect) string {
	if c.Runs[c.Subject].Plan.Cluster.Policy == dag.Executors {
		return strings.ReplaceAll(meanings[e], "containers", "cores")
	}
	return meanings[e]
}

// saysDifference describes the difference, and its largest effects: at most three, of a second and a tenth of it.
func saysDifference(c *compare.Comparison, effects []Effect) string {
	subject := c.Runs[c.Subject]
	switch {
	case c.Base < 0:
		return "Not compared: no earlier run succeeded"
	case math.IsNaN(c.Total) && subject.State.Ended():
		return "This run has " + subject.State.String() + ": how long it would have taken is unknown"
	case math.IsNaN(c.Total):
		return "This run was not seen to its end: how long it takes is unknown"
	}
	s := change(c.Runs[c.Base].Length, subject.Length)
	if len(c.Effects) == 0 {
		return s + ": its causes are unknown"
	}
	word := ": mostly "
	for i, e := range bySize(effects) {
		if i < 3 && size(e) >= max(1, math.Abs(c.Total)/10000) {
			s += word + units.Signed(e.Seconds) + " " + e.Meaning
			word = "; "
		}
	}
	return s
}

func size(e Effect) float64 { return math.Abs(float64(e.Seconds)) }

// bySize sorts effects, the largest first.
func bySize(effects []Effect) []Effect {
	larger := func(a, b Effect) int { return cmp.Compare(size(b), size(a)) }
	return slices.SortedStableFunc(slices.Values(effects), larger)
}

// change formats a length before and now, in milliseconds: "1m40s to 2m5s, +25s (+25 %)".
func change(before, now float64) string {
	was, is := units.Seconds(before/1000), units.Seconds(now/1000)
	if was == is {
		return is + ", as before"
	}
	return fmt.Sprintf("%s to %s, %s (%s)", was, is, units.Signed((now-before)/1000), units.More(now/before))
}

func saysFinding(c *compare.Comparison, f *compare.Finding) string {
	var b strings.Builder
	run, j := c.Runs[c.Subject], c.Rows[f.Row].Index[c.Subject]
	tasks := run.Plan.StageName(j, f.Phase) + "s"
	if !run.Plan.Jobs[j].IsMapReduce() {
		tasks = "stage " + run.Plan.StageName(j, f.Phase)
	}
	name := c.Rows[f.Row].Node
	if alias := c.Rows[f.Row].Name; alias != "" {
		name += " (" + alias + ")"
	}
	fmt.Fprintf(&b, "%s of %s: %s to %s a task, %s: time a %s %s", tasks, name,
		units.Seconds(f.Before/1000), units.Seconds(f.Now/1000), units.More(f.Now/f.Before), f.Unit, units.More(
			f.Ratio))
	if !math.IsNaN(f.Low) {
		fmt.Fprintf(&b, " [%s, %s]", units.More(f.Low), units.More(f.High))
	}
	if !math.IsNaN(f.Amount) && f.Unit != "task" {
		fmt.Fprintf(&b, ", %ss %s", f.Unit, units.More(f.Amount))
	}
	if f.Doubtful {
		fmt.Fprintf(&b, "; %s: may be chance", units.Count(f.Earlier, "earlier run"))
	} else {
		fmt.Fprintf(&b, "; %d earlier runs differ by up to %s", f.Earlier, units.More(f.Chance))
	}
	return b.String()
}

func saysPath(p *compare.PathChange) string {
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
