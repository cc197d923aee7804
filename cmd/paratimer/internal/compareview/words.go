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

// saysDifference describes the difference and its largest effects in a sentence.
func saysDifference(c *compare.Comparison) string {
	subject := c.Runs[c.Subject]
	switch {
	case c.Base < 0:
		return "Not compared: no earlier run succeeded"
	case math.IsNaN(c.Total):
		return "This run " + ended(subject) + ": how long it would have taken is unknown"
	}
	s := change(c.Runs[c.Base].Length, subject.Length)
	if len(c.Effects) == 0 {
		return s + ": its causes are unknown"
	}
	if most := largest(c); len(most) > 0 {
		s += ": mostly " + strings.Join(most, "; ")
	}
	return s
}

// largest describes the effects that matter, at most three, the largest first.
func largest(c *compare.Comparison) (most []string) {
	effects := slices.Clone(compare.Effects)
	slices.SortStableFunc(effects, func(a, b compare.Effect) int {
		return cmp.Compare(math.Abs(c.Effects[b]),
			math.Abs(c.Effects[a]))
	})
	for _, e := range effects {
		ms := c.Effects[e]
		if math.Abs(ms) < 0.1*math.Abs(c.Total) || math.Abs(ms) < 1000 || len(most) == 3 {
			break
		}
		most = append(most, units.Signed(ms/1000)+" "+meaning(c, e))
	}
	return most
}

func ended(r *compare.Run) string {
	if r.State.Ended() {
		return "has " + r.State.String()
	}
	return "was not seen to its end"
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
	fmt.Fprintf(&b, "%s of %s: %s to %s a task, %s: time a %s %s", tasks, title(&c.Rows[f.Row]),
		units.Seconds(f.Before/1000), units.Seconds(f.Now/1000), units.More(f.Now/f.Before), f.Unit, units.More(
			f.Ratio))
	if !math.IsNaN(f.Low) {
		fmt.Fprintf(&b, " [%s, %s]", units.More(f.Low), units.More(f.High))
	}
	if !math.IsNaN(f.Amount) && f.Unit != "task" {
		fmt.Fprintf(&b, ", %ss %s", f.Unit, units.More(f.Amount))
	}
	switch {
	case f.Earlier == 1:
		b.WriteString("; one earlier run: may be chance")
	case f.Doubtful:
		fmt.Fprintf(&b, "; %d earlier runs: may be chance", f.Earlier)
	default:
		fmt.Fprintf(&b, "; %d earlier runs differ by up to %s", f.Earlier, units.More(f.Chance))
	}
	return b.String()
}

func title(row *compare.Row) string {
	if row.Name == "" {
		return row.Node
	}
	return row.Node + " (" + row.Name + ")"
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
