package planview

import (
	"bufio"
	"fmt"
	"io"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
)

// Text writes the view for people: totals, the critical path, a Gantt chart of path fragments. Names are escaped.
func (v *View) Text(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, v.heading())
	fmt.Fprintln(b)
	wide := 0
	for _, e := range v.Estimates {
		wide = max(wide, len(e.Scenario))
	}
	for _, e := range v.Estimates {
		fmt.Fprintf(b, "  %-*s  %-13s  %s%s\n", wide, e.Scenario, total(&e), e.Meaning, v.likely(&e))
	}
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

// likely says how likely the failures are that a scenario supposes, where the plan gives the rate of failures.
func (v *View) likely(e *estimators.Estimate) string {
	if e.Probability == nil || v.Plan.Cluster.FailRate == 0 {
		return ""
	}
	return fmt.Sprintf(" (%.0f %%)", 100**e.Probability)
}

func (v *View) heading() string {
	name := "plan"
	if v.Plan.Name != "" {
		name = view.Escape(v.Plan.Name)
	}
	maps, reduces := 0, 0
	for i := range v.Plan.Jobs {
		maps, reduces = maps+v.Plan.Jobs[i].Map.Count(), reduces+v.Plan.Jobs[i].Reduce.Count()
	}
	c := &v.Plan.Cluster
	where := fmt.Sprintf("%s and %s", count(c.MapSlots, "map slot"), count(c.ReduceSlots, "reduce slot"))
	if c.Policy == dag.YARN {
		where = fmt.Sprintf("%d MB of containers", c.MemoryMB)
		if c.QueueMB > 0 && c.QueueMB < c.MemoryMB {
			where = fmt.Sprintf("%d of %d MB of containers", c.QueueMB, c.MemoryMB)
		}
	}
	return fmt.Sprintf("%s: %s, %s, %s on %s", name, count(len(v.Plan.Jobs), "job"), count(maps, "map"), count(reduces, "reduce"), where)
}

// assumedMost is the share of a total that may rest on assumed costs. Above it the total is given as a floor, as in
// the headline of a run that is watched.
const assumedMost = 1.0 / 3

func total(e *estimators.Estimate) string {
	floor := e.Low
	switch {
	case e.Remaining != nil && e.AssumedRatio <= assumedMost:
		return view.Exact(*e.Remaining)
	case e.Remaining != nil && floor == nil:
		d := time.Duration(float64(*e.Remaining) * (1 - e.AssumedRatio))
		floor = &d
	}
	if floor != nil && *floor >= time.Second {
		return "at least " + view.Exact(*floor)
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
	fmt.Fprintf(w, "\ncritical path, %s:\n", view.Exact(v.Path.Length()))
	var rows [][4]string
	for i, s := range path {
		if i == shownSegments {
			rows = append(rows, [4]string{"", "", view.Exact(path[len(path)-1].End.Sub(s.Start)), fmt.Sprintf("%d more", len(path)-i)})
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
		rows = append(rows, [4]string{v.clock(s.Start), v.clock(s.End), view.Exact(s.End.Sub(s.Start)), what})
	}
	for _, r := range rows {
		fmt.Fprintf(w, "  %8s  %8s  %8s   %s\n", r[0], r[1], r[2], r[3])
	}
}

func (v *View) clock(t dag.Instant) string { return view.Exact(t.Sub(v.Path.Schedule.Now)) }
