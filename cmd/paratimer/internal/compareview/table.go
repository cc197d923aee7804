package compareview

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/units"
)

// A table has rows of text. Text from outside the program must be escaped.
type table struct {
	Title, Caption string
	Head           []string
	Rows           [][]string
}

// text writes the table with aligned columns, without spaces at the ends of lines.
func (t *table) text(out io.Writer) {
	var aligned strings.Builder
	w := tabwriter.NewWriter(&aligned, 0, 0, 2, ' ', 0)
	for _, row := range append([][]string{t.Head}, t.Rows...) {
		for _, cell := range row {
			fmt.Fprintf(w, "%s\t", cell)
		}
		fmt.Fprintln(w)
	}
	_ = w.Flush() // a strings.Builder never fails
	for line := range strings.Lines(aligned.String()) {
		fmt.Fprintln(out, strings.TrimRight(line, " \n"))
	}
}

// bySize returns the effects, the largest first.
func (d *Difference) bySize() []Effect {
	return slices.SortedStableFunc(slices.Values(d.Effects), func(a, b Effect) int {
		return cmp.Compare(math.Abs(float64(b.Seconds)), math.Abs(float64(a.Seconds)))
	})
}

// jobs returns a table of each job in the base and in the run.
func (d *Document) jobs() table {
	t := table{
		Title: "Jobs", Caption: "The base and the run; once where they are alike. ~: too short to tell work from start-up.",
		Head: []string{
			"job", "took", "on the path", "phase", "tasks", "median task", "records", "time a record",
			"failed",
		},
	}
	for i := range d.Jobs {
		t.Rows = append(t.Rows, d.job(&d.Jobs[i])...)
	}
	return t
}

// job returns a row for each phase. The table has columns for two runs, so a job of other runs only has no row.
func (d *Document) job(j *Job) (rows [][]string) {
	if j.Status == "other" {
		return nil
	}
	before, now := &JobRun{}, &JobRun{}
	if r := j.Runs[d.Run-1]; r != nil {
		now = r
	}
	if d.BaseRun != nil && j.Runs[*d.BaseRun-1] != nil {
		before = j.Runs[*d.BaseRun-1]
	}
	name := view.Escape(j.Node)
	if j.Status != "both" {
		name += ", " + j.Status
	}
	add := func(stage string, was, is *Phase) {
		if was == nil && is == nil {
			return
		}
		row := []string{"", "", "", stage}
		if len(rows) == 0 {
			row = []string{
				name, lengths(before.LengthSeconds, now.LengthSeconds),
				lengths(j.BeforeSeconds, j.OnPathSeconds), stage,
			}
		}
		rows = append(rows, append(row, phases(orNone(was), orNone(is))...))
	}
	add("maps", before.Map, now.Map)
	add("reduces", before.Reduce, now.Reduce)
	for i := range now.Stages {
		add(view.Escape(now.Stages[i].Name), before.stage(now.Stages[i].Name), &now.Stages[i].Phase)
	}
	for i := range before.Stages {
		if s := &before.Stages[i]; now.stage(s.Name) == nil {
			add(view.Escape(s.Name), &s.Phase, nil)
		}
	}
	return rows
}

// stage returns the stage with a name; nil if the job has none.
func (r *JobRun) stage(name string) *Phase {
	for i := range r.Stages {
		if r.Stages[i].Name == name {
			return &r.Stages[i].Phase
		}
	}
	return nil
}

func orNone(p *Phase) *Phase {
	if p == nil {
		nan := units.Float(math.NaN())
		return &Phase{InputRecords: nan, SecondsPerRecord: nan}
	}
	return p
}

func phases(before, now *Phase) []string {
	lost := ""
	if before.FailedAttempts+now.FailedAttempts > 0 {
		lost = counts(&before.FailedAttempts, &now.FailedAttempts)
	}
	cost := grown(before.SecondsPerRecord, now.SecondsPerRecord)
	if before.Short || now.Short {
		cost = "~"
	}
	return []string{
		counts(before.Tasks, now.Tasks), lengths(before.MedianSeconds, now.MedianSeconds),
		grown(before.InputRecords, now.InputRecords), cost, lost,
	}
}

// runs returns the list of runs.
func (d *Document) runs() table {
	t := table{Title: "Runs", Caption: "In the order of their starts.", Head: []string{
		"run", "started", "took",
		"state", "from", "",
	}}
	for i, r := range d.Runs {
		note := ""
		switch {
		case i+1 == d.Run:
			note = "the run"
		case d.BaseRun != nil && i+1 == *d.BaseRun:
			note = "the base"
		}
		if r.Excluded != nil {
			note = "left out: " + *r.Excluded
		}
		t.Rows = append(t.Rows, []string{
			fmt.Sprint(i + 1),
			units.Known(r.StartAt, d.day),
			units.Known(r.TotalSeconds, units.Seconds), r.State.String(), view.Escape(r.From), note,
		})
	}
	return t
}

// day formats an instant in the display's time zone.
func (d *Document) day(t frame.Time) string { return units.Day(t.Time().In(cmp.Or(d.zone, time.UTC))) }
