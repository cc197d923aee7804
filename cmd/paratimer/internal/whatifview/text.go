package whatifview

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/estimators/whatif"
	"github.com/paratimer/paratimer/units"
)

// Text writes the view for people. Names are escaped.
func (v *View) Text(out io.Writer) error {
	b := bufio.NewWriter(out)
	fmt.Fprintln(b, v.heading())
	fmt.Fprintln(b)
	var table strings.Builder
	t := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	verb := "TAKES"
	if v.Elapsed > 0 {
		verb = "LEFT"
	}
	fmt.Fprintf(t, "  CHANGE\t%s\tSAVES\t8 OF 10 RUNS\tBY\t\n", verb)
	base := v.Report.Base
	v.row(t, "as it is", &base)
	for i := range v.Report.Alone {
		v.row(t, v.Report.Alone[i].Change.String(), &v.Report.Alone[i])
	}
	if r := v.Report.Together; r != nil {
		v.row(t, "all together", r)
	}
	v.group(t, "limits", v.Report.Limits)
	v.group(t, "what slots are worth", v.Report.Marginal)
	_ = t.Flush() // a strings.Builder never fails
	for line := range strings.Lines(table.String()) {
		fmt.Fprintln(b, strings.TrimRight(line, " \n"))
	}
	v.curve(b)
	v.warnings(b)
	return b.Flush()
}

func (v *View) group(t io.Writer, title string, rows []whatif.Row) {
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(t, "\t\t\t\t\t\n%s\t\t\t\t\t\n", title)
	for i := range rows {
		name := rows[i].Name
		if what, ok := limits[name]; ok {
			name = what
		} else {
			name = "slots " + name
		}
		v.row(t, name, &rows[i])
	}
}

// limits are the texts for the names of limits.
var limits = map[string]string{
	whatif.LimitSlots:    "a slot for every task",
	whatif.LimitSkew:     "no skew",
	whatif.LimitFailures: "no failures",
	whatif.LimitIdeal:    "ideal: no start-ups and pauses either",
}

// row writes a line for each model with an answer.
func (v *View) row(t io.Writer, name string, r *whatif.Row) {
	if len(r.Answers) == 0 {
		fmt.Fprintf(t, "  %s\t?\t\t\tno model\t\n", view.Escape(name))
	}
	for i := range r.Answers {
		a := &r.Answers[i]
		note := a.Model
		if a.Note != "" {
			note += ": " + a.Note
		}
		fmt.Fprintf(t, "  %s\t%s\t%s\t%s\t%s\t\n", view.Escape(name), took(a), v.saves(a), spread(a), view.Escape(note))
		name = ""
	}
}

// saves returns how much sooner the query ends, compared with the same model's base.
func (v *View) saves(a *whatif.Answer) string {
	base := v.baseOf(a.Model)
	if a.Change.None() || base == nil || a.Remaining == nil || base.Remaining == nil || a.AssumedRatio > assumedMost {
		return ""
	}
	d := *base.Remaining - *a.Remaining
	if d.Abs() < 10*time.Millisecond || *base.Remaining == 0 {
		return "nothing"
	}
	return fmt.Sprintf("%s (%s)", units.Exact(d), units.Percent(float64(d)/float64(*base.Remaining)))
}

// baseOf returns a model's answer for the base, nil if it has none.
func (v *View) baseOf(model string) *whatif.Answer {
	for i := range v.Report.Base.Answers {
		if a := &v.Report.Base.Answers[i]; a.Model == model {
			return a
		}
	}
	return nil
}

func spread(a *whatif.Answer) string {
	if a.Low == nil || a.High == nil {
		return ""
	}
	return units.Exact(*a.Low) + " to " + units.Exact(*a.High)
}

// curveWidth is the width of the longest bar.
const curveWidth = 48

// doubt marks a curve with a base that is mostly assumed: the curve's points are shown in full.
func (v *View) doubt() string {
	if a := v.Report.Base.Answers; len(a) > 0 && a[0].AssumedRatio > assumedMost {
		return ", most of it assumed"
	}
	return ""
}

// curve draws a bar for each point.
func (v *View) curve(b io.Writer) {
	c := v.Report.Curve
	if c == nil || len(c.Points) == 0 {
		return
	}
	if c.Flat() {
		fmt.Fprintf(b, "\n%s\n", nothingLeft)
		return
	}
	var most time.Duration
	for _, p := range c.Points {
		most = max(most, p.Remaining)
	}
	fmt.Fprintf(b, "\ntime against slots%s:\n", v.doubt())
	for i, p := range c.Points {
		mark := ""
		if p.Base {
			mark = "  now"
		}
		if i == c.Knee {
			mark += "  knee: from here on a doubling saves less than " + units.Percent(whatif.KneeGain)
		}
		bar := strings.Repeat("#", int(curveWidth*float64(p.Remaining)/float64(most)+0.5))
		fmt.Fprintln(b, strings.TrimRight(fmt.Sprintf("  %6d  %8s  %s%s", p.Room.Total(), units.Exact(p.Remaining), bar,
			mark), " "))
	}
	if why := v.steps(); why != "" {
		fmt.Fprintf(b, "  %s\n", why)
	}
}

// warnings writes each warning once.
func (v *View) warnings(b io.Writer) {
	seen := make(map[string]bool)
	say := func(text string) {
		if !seen[text] {
			seen[text] = true
			fmt.Fprintf(b, "warning: %s\n", view.Escape(text))
		}
	}
	if len(v.allWarnings()) > 0 {
		fmt.Fprintln(b)
	}
	for _, w := range v.allWarnings() {
		say(w)
	}
}

// allWarnings returns the warnings of the report and of its rows, with their changes if the code needs them.
func (v *View) allWarnings() (all []string) {
	for _, w := range v.Report.Warnings {
		all = append(all, w.Text)
	}
	rows := []*whatif.Row{&v.Report.Base}
	for i := range v.Report.Alone {
		rows = append(rows, &v.Report.Alone[i])
	}
	if v.Report.Together != nil {
		rows = append(rows, v.Report.Together)
	}
	for i := range v.Report.Limits {
		for _, w := range v.Report.Limits[i].Warnings {
			if w.Code == whatif.WarnFailures {
				all = append(all, w.Text)
			}
		}
	}
	for _, r := range rows {
		for _, w := range r.Warnings {
			text := w.Text
			if w.Code == whatif.WarnDisagree || w.Code == whatif.WarnUnsupported {
				if name := r.Change.String(); name != "" {
					text = name + ": " + text
				}
			}
			all = append(all, text)
		}
	}
	return all
}
