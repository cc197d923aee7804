package trainrun

import (
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/units"
)

// A Preview has the runs that would be made, and how long they would take.
type Preview struct {
	Steps   []Step
	command Template
	each    []Range // of the steps
	all     Range
	made    float64 // seconds of the runs in the file
}

// Preview returns what Go would do.
func (r *Runner) Preview() *Preview {
	p := &Preview{Steps: r.Todo(), command: r.Command}
	f := NewForecast(r.File.Rows)
	for _, s := range p.Steps {
		one := f.Row(s.Row)
		p.each, p.all = append(p.each, one), p.all.Plus(one)
	}
	for _, row := range r.File.Rows {
		p.made += row.Seconds
	}
	p.made = math.Round(p.made*1e6) / 1e6 // rounded as in the file
	return p
}

// Text writes the preview as a table.
func (p *Preview) Text(w io.Writer) error {
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	if len(p.Steps) > 0 {
		fmt.Fprintln(t, "RUN\tMACHINES\tSCALE\tTIME\tCOMMAND")
	}
	for i, s := range p.Steps {
		fmt.Fprintf(t, "%d/%d\t%d\t%.6g\t%v\t%s\n", s.Number, s.Of, s.Row.Machines, s.Row.Scale, p.each[i],
			view.Escape(p.command.Fill(s.Row)))
	}
	_ = t.Flush() // to a strings.Builder
	made := units.Seconds(p.made)
	switch {
	case len(p.Steps) == 0:
		fmt.Fprintf(&b, "nothing to run: all runs are in the file, %v of them\n", made)
	case p.made > 0:
		fmt.Fprintf(&b, "\n%v have been run; %v to come, %v in all\n", made, p.all,
			p.all.Plus(Range{p.made, p.made, p.made, false}))
	default:
		b.WriteString("\nhow long that takes can be told once a run has been made\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// A previewed is a run as JSON. Unknown is null.
type previewed struct {
	Number          int         `json:"number"`
	Of              int         `json:"of"`
	Machines        int         `json:"machines"`
	Scale           float64     `json:"scale"`
	Parts           *int        `json:"parts"`
	ExpectedSeconds units.Float `json:"expected_seconds"`
	LowSeconds      units.Float `json:"low_seconds"`
	HighSeconds     units.Float `json:"high_seconds"`
	Command         string      `json:"command"`
}

// JSON writes the preview as JSON.
func (p *Preview) JSON(w io.Writer) error {
	out := struct {
		MadeSeconds     float64     `json:"made_seconds"`
		ExpectedSeconds units.Float `json:"expected_seconds"` // of the runs to come
		LowSeconds      units.Float `json:"low_seconds"`
		HighSeconds     units.Float `json:"high_seconds"`
		Runs            []previewed `json:"runs"`
	}{p.made, units.Float(p.all.Seconds), units.Float(p.all.Low), units.Float(p.all.High), []previewed{}}
	for i, s := range p.Steps {
		one := previewed{
			s.Number, s.Of, s.Row.Machines, s.Row.Scale, nil,
			units.Float(p.each[i].Seconds), units.Float(p.each[i].Low), units.Float(p.each[i].High),
			p.command.Fill(s.Row),
		}
		if s.Row.Parts > 0 {
			one.Parts = &s.Row.Parts
		}
		out.Runs = append(out.Runs, one)
	}
	return view.JSON(w, out, " ")
}
