package trainrun

import (
	"cmp"
	"fmt"
	"strings"

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
		outcomeText(out), rest)
}

func outcomeText(out Outcome) string {
	took := units.Exact(out.Took)
	if out.Err == nil {
		return took
	}
	text := fmt.Sprintf("failed, %s, after %s", view.Escape(out.Err.Error()), took)
	if out.Output != "" {
		text += ": " + view.Escape(out.Output[strings.LastIndexByte(out.Output, '\n')+1:])
	}
	return text
}

// Preview describes the runs that Go would make, a line for each.
func (r *Runner) Preview() string {
	var b strings.Builder
	for _, s := range r.Todo() {
		fmt.Fprintf(&b, "%d/%d  %s: %s\n", s.Number, s.Of, name(s.Row), view.Escape(r.Command.Fill(s.Row)))
	}
	return cmp.Or(b.String(), "nothing to run: all runs are in the file\n")
}
