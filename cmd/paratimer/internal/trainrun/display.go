package trainrun

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/units"
)

// line describes a run that has ended. left is the number of runs to come.
func line(s Step, out Outcome, left int) string {
	rest := "that was all"
	if left > 0 {
		rest = units.Count(left, "run") + " left"
	}
	return fmt.Sprintf("%*d/%d  %s: %s; %s\n", len(fmt.Sprint(s.Of)), s.Number, s.Of, name(s.Row),
		outcomeText(out, s.Attempt), rest)
}

func outcomeText(out Outcome, attempt int) string {
	took := units.Exact(out.Took)
	if out.Err == nil {
		return took
	}
	text := fmt.Sprintf("failed, %s, after %s", view.Escape(out.Err.Error()), took)
	if attempt > 1 {
		text += fmt.Sprintf(", at attempt %d", attempt)
	}
	if out.Output != "" {
		text += ": " + view.Escape(out.Output[strings.LastIndexByte(out.Output, '\n')+1:])
	}
	return text
}

// A Preview has the runs that would be made.
type Preview struct {
	Runs []Planned `json:"runs"`
}

// A Planned is a run that would be made.
type Planned struct {
	Number   int     `json:"number"`
	Of       int     `json:"of"`
	Machines int     `json:"machines"`
	Scale    float64 `json:"scale"`
	Parts    int     `json:"parts,omitempty"`
	Command  string  `json:"command"`
}

// Preview returns what Go would do.
func (r *Runner) Preview() *Preview {
	p := &Preview{Runs: []Planned{}}
	for _, s := range r.Todo() {
		p.Runs = append(p.Runs, Planned{
			s.Number, s.Of, s.Row.Machines, s.Row.Scale, s.Row.Parts, r.Command.Fill(s.Row),
		})
	}
	return p
}

// Text writes the preview as a table.
func (p *Preview) Text(w io.Writer) error {
	if len(p.Runs) == 0 {
		_, err := io.WriteString(w, "nothing to run: all runs are in the file\n")
		return err
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "RUN\tMACHINES\tSCALE\tCOMMAND")
	for _, r := range p.Runs {
		fmt.Fprintf(t, "%d/%d\t%d\t%.6g\t%s\n", r.Number, r.Of, r.Machines, r.Scale, view.Escape(r.Command))
	}
	return t.Flush()
}

// JSON writes the preview as JSON.
func (p *Preview) JSON(w io.Writer) error { return view.JSON(w, p, " ") }
