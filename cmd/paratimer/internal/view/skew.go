package view

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// SkewText writes a report of skew for people: the sentence and, for each job, a table of its reduces, one of the
// keys of its longest reduce, and what another partitioning would gain. For other stages it has their tasks.
func SkewText(w io.Writer, r frame.SkewReport) error {
	var b strings.Builder
	b.WriteString(skewTitle(r) + "\n")
	switch {
	case r.Skew == nil && r.Workflow.State.Ended():
		fmt.Fprintf(&b, "it has %s: how it would have gone on is not known\n", r.Workflow.State)
	case r.Skew == nil:
		fmt.Fprintf(&b, "too early to say: nothing has shown what its %ss cost\n", reader(r))
	case len(r.Skew) == 0:
		fmt.Fprintf(&b, "no %s is skewed\n", reader(r))
	}
	for i := range r.Skew {
		if s := &r.Skew[i]; len(skewedOnes(s)) > 0 {
			b.WriteString(SkewSentence(s) + "\n")
		} else {
			fmt.Fprintf(&b, "%s: %s, none is skewed: the longest works %s, the median one %s\n", skewedStage(s),
				units.Count(s.Reduces, skewedTask(s)), longestWork(s), units.About(s.MedianSeconds.Duration()))
		}
	}
	for i := range r.Skew {
		if s := &r.Skew[i]; len(skewedOnes(s)) > 0 {
			b.WriteString("\n")
			skewTables(&b, s)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// reader returns the word for a task that reads other tasks' output: MapReduce has reduces.
func reader(r frame.SkewReport) string {
	if r.Workflow.Engine == "" {
		return "reduce"
	}
	return "task"
}

// skewTitle returns the query's name, its elapsed time and the time left.
func skewTitle(r frame.SkewReport) string {
	name := Escape(cmp.Or(r.Workflow.Label(), "query"))
	switch {
	case r.Workflow.State == dag.Blocked:
		name += ", before it runs"
	case r.ElapsedSeconds != nil && r.Workflow.State == dag.Succeeded:
		name += " took " + units.Elapsed(r.ElapsedSeconds.Duration())
	case r.ElapsedSeconds != nil:
		name += " after " + units.Elapsed(r.ElapsedSeconds.Duration())
	}
	if r.RemainingSeconds != nil {
		name += ": ~" + units.About(r.RemainingSeconds.Duration()) + " left"
	}
	return name
}

// longestWork returns how long the longest task of a stage works.
func longestWork(s *frame.Skew) string {
	if len(s.Worst) == 0 {
		return "?"
	}
	return units.About(s.Worst[0].WorkSeconds.Duration())
}

// skewTables writes the tasks of a stage, each with its longest keys and their times.
func skewTables(b *strings.Builder, s *frame.Skew) {
	fmt.Fprintf(b, "%s: %s, the median one works %s\n", skewedStage(s), units.Count(s.Reduces, skewedTask(s)),
		units.About(s.MedianSeconds.Duration()))
	rows := [][]string{{skewedTask(s), "given", "share", "works", "ends after", "holds back", "of it, keys"}}
	for i := range s.Worst {
		one := &s.Worst[i]
		ends := "done"
		if !one.Done && one.EndSeconds != nil {
			ends = units.Elapsed(one.EndSeconds.Duration())
		}
		var keys []string
		for k := range one.Keys[:min(len(one.Keys), mostKeys)] {
			key := &one.Keys[k]
			keys = append(keys, units.Known(key.Key, shortKey)+" "+units.About(key.PredictedSeconds.Duration()))
		}
		rows = append(rows, []string{
			fmt.Sprint(one.Task), given(one), units.Known(one.ShareRatio, units.Percent),
			units.About(one.WorkSeconds.Duration()), ends, alone(s, one), cmp.Or(strings.Join(keys, ", "), "-"),
		})
	}
	_ = Table(b, tabwriter.AlignRight, rows) // a strings.Builder never fails
	if gains := skewGains(s); gains != "" {
		fmt.Fprintf(b, "  %s (parts only if the job can merge them)\n", gains)
	}
	if s.Stage == "" && s.KeysFrom == dag.GroupsNone {
		b.WriteString("  its keys are not known: run it with paratimer-tap and `paratimer attach --collect`, which tell them\n")
	}
}

// mostKeys is the greatest number of keys of a task in the table.
const mostKeys = 3

// given returns the input of a task.
func given(r *frame.SkewedTask) string {
	if r.SizeBytes == nil && r.SizeRecords != nil {
		return units.Size(*r.SizeRecords, "") + " records"
	}
	return units.Known(r.SizeBytes, units.Bytes)
}

// alone returns how long a task alone delays the query. A task that delays it only together with others is marked so.
func alone(s *frame.Skew, one *frame.SkewedTask) string {
	if one.DelaySeconds != nil && *one.DelaySeconds < 1 && s.DelaySeconds >= 1 {
		return "with others"
	}
	return back(one.DelaySeconds)
}

func back(s *frame.Seconds) string {
	switch {
	case s == nil:
		return "-"
	case *s < 1:
		return "0s"
	}
	return units.About(s.Duration())
}
