package planview

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/units"
)

// Text writes the view for people: totals, the critical path, a Gantt chart of path fragments. Names are escaped.
func (v *View) Text(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, v.heading())
	fmt.Fprintln(b)
	v.scenarios(b)
	for _, warning := range v.warnings() {
		fmt.Fprintf(b, "  warning: %s\n", view.Escape(warning.Text))
	}
	for i := range v.Skew {
		fmt.Fprintf(b, "  skew: %s\n", view.SkewSentence(&v.Skew[i]))
	}
	v.pathLines(b)
	v.gantt(b)
	return b.Flush()
}

// scenarios lists the totals; equal ones share a row.
func (v *View) scenarios(b io.Writer) {
	cases := make([]view.Case, len(v.Estimates))
	for i := range v.Estimates {
		cases[i] = view.Case{Scenario: v.Estimates[i].Scenario, Left: total(&v.Estimates[i])}
	}
	rows, wide := view.MergeCases(cases), 0
	for _, r := range rows {
		wide = max(wide, len(cases[r.Case].Scenario))
	}
	for _, r := range rows {
		e := &v.Estimates[r.Case]
		fmt.Fprintf(b, "  %-*s  %-13s  %s%s\n", wide, e.Scenario, cases[r.Case].Left, e.Meaning, v.likely(e))
		if len(r.Same) == 0 {
			continue
		}
		same := make([]string, len(r.Same))
		for i, s := range r.Same {
			same[i] = cases[s].Scenario + v.likely(&v.Estimates[s])
		}
		word := "the same"
		if r.Case == 0 {
			word = "no difference"
		}
		fmt.Fprintf(b, "  %*s  %-13s  %s: %s\n", wide, "", "", word, strings.Join(same, ", "))
	}
}

// likely returns the probability of the failures that a scenario assumes, if the plan gives a failure rate.
func (v *View) likely(e *estimators.Estimate) string {
	if e.Probability == nil || v.Plan.Cluster.FailRate == 0 {
		return ""
	}
	return " (" + units.Chance(*e.Probability) + ")"
}

// Head returns the heading and the totals as two lines, for a drawing.
func (v *View) Head() []string {
	_, heading, _ := strings.Cut(v.heading(), ": ")
	totals := make([]string, len(v.Estimates))
	for i := range v.Estimates {
		totals[i] = v.Estimates[i].Scenario + " " + total(&v.Estimates[i])
	}
	return []string{heading, strings.Join(totals, " · ")}
}

func (v *View) heading() string {
	name := "plan"
	if v.Plan.Name != "" {
		name = view.Escape(v.Plan.Name)
	}
	jobs := units.Count(len(v.Plan.Jobs), "job")
	if !v.Plan.OnlyMapReduce() {
		stages, tasks := 0, 0
		for i := range v.Plan.Jobs {
			stages, tasks = stages+len(v.Plan.Jobs[i].Stages), tasks+v.Plan.Jobs[i].Tasks()
		}
		return fmt.Sprintf("%s: %s, %s, %s on %s", name, jobs, units.Count(stages, "stage"), units.Count(tasks, "task"),
			v.where())
	}
	maps, reduces := 0, 0
	for i := range v.Plan.Jobs {
		maps, reduces = maps+v.Plan.Jobs[i].Stages[dag.Map].Count(), reduces+v.Plan.Jobs[i].Stages[dag.Reduce].Count()
	}
	return fmt.Sprintf("%s: %s, %s, %s on %s", name, jobs, units.Count(maps, "map"), units.Count(reduces, "reduce"),
		v.where())
}

// where describes the cluster that the tasks run on.
func (v *View) where() string {
	c := &v.Plan.Cluster
	switch {
	case c.Policy == dag.Executors && len(c.Nodes) > 0:
		return fmt.Sprintf("%s of %s", units.Count(c.Cores, "core"), units.Count(len(c.Nodes), "executor"))
	case c.Policy == dag.Executors:
		return units.Count(c.Cores, "core")
	case c.Policy == dag.YARN && c.QueueMB > 0 && c.QueueMB < c.MemoryMB:
		return fmt.Sprintf("%d of %d MB of containers", c.QueueMB, c.MemoryMB)
	case c.Policy == dag.YARN:
		return fmt.Sprintf("%d MB of containers", c.MemoryMB)
	}
	return fmt.Sprintf("%s and %s", units.Count(c.MapSlots, "map slot"), units.Count(c.ReduceSlots, "reduce slot"))
}

// assumedMost is the greatest share of a total that may be assumed. Above it the total is a lower bound, as in the
// headline of a watched run.
const assumedMost = 1.0 / 3

func total(e *estimators.Estimate) string {
	floor := e.Low
	switch {
	case e.Remaining != nil && e.AssumedRatio <= assumedMost:
		return units.Exact(*e.Remaining)
	case e.Remaining != nil && floor == nil:
		d := time.Duration(float64(*e.Remaining) * (1 - e.AssumedRatio))
		floor = &d
	}
	if floor != nil && *floor >= time.Second {
		return "at least " + units.Exact(*floor)
	}
	return "?"
}

// shownSegments bounds the lines of a path.
const shownSegments = 40

func (v *View) pathLines(w io.Writer) {
	path := v.Path.Critical
	if len(path) == 0 {
		return
	}
	fmt.Fprintf(w, "\ncritical path, %s:\n", units.Exact(v.Path.Length()))
	var rows [][4]string
	for i, s := range path {
		if i == shownSegments {
			rows = append(rows, [4]string{
				"", "", units.Exact(path[len(path)-1].End.Sub(s.Start)),
				fmt.Sprintf("%d more", len(path)-i),
			})
			break
		}
		f := &v.Path.Fragments[s.Fragment]
		what := v.Title(s.Fragment)
		if f.Width > 0 {
			what += fmt.Sprintf(", %d at once", f.Width)
		}
		if len(f.Rounds) > 1 {
			what += fmt.Sprintf(", %d rounds", len(f.Rounds))
		}
		if s.Extra {
			what += " (the rest of them)"
		}
		rows = append(rows, [4]string{v.clock(s.Start), v.clock(s.End), units.Exact(s.End.Sub(s.Start)), what})
	}
	for _, r := range rows {
		fmt.Fprintf(w, "  %8s  %8s  %8s   %s\n", r[0], r[1], r[2], r[3])
	}
}

func (v *View) clock(t dag.Instant) string { return units.Exact(t.Sub(v.Path.Schedule.Now)) }
