package screen

import (
	"strings"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/units"
)

// headed puts words before the first line of a list, and indents the others as far.
func headed(words string, list []string) []string {
	const heading = 10
	for i := range list {
		before := ""
		if i == 0 {
			before = text(strong, " "+words)
		}
		list[i] = pad(before, heading) + list[i]
	}
	return list
}

// changes returns the newest moves of the predicted end with their causes, newest first, without those below a
// second.
func (p *pen) changes() []string {
	var out []string
	for f := range p.past() {
		for _, m := range f.Moves {
			look := good
			switch {
			case m.DeltaSeconds > -1 && m.DeltaSeconds < 1:
				continue
			case m.DeltaSeconds > 0:
				look = warn
			}
			ago := units.Ago((p.elapsed() - *f.ElapsedSeconds).Duration())
			line := right(text(look, units.Moved(m.DeltaSeconds.Duration())), 6) + " " + right(text(dim, ago), 10)
			out = append([]string{line + "  " + p.foreign(shortened(m.Why()))}, first(MostMoves-1, out)...)
		}
	}
	if rest := p.f.Replans.Text(); rest != "" && len(out) < MostMoves {
		out = append(out, text(dim, "        "+p.own(rest)))
	}
	return headed("changed", out)
}

// scenarios lists the time left under each scenario; equal ones share a row. If the headline has no number they are
// lower bounds, and not listed.
func (p *pen) scenarios() []string {
	if p.f.Workflow.State.Ended() || p.f.Headline.RemainingSeconds == nil {
		return nil
	}
	cases := view.Cases(p.f.Estimates, p.f.Headline)
	var out []string
	none := ""
	for _, r := range view.MergeCases(cases) {
		names := make([]string, len(r.Same))
		for i, s := range r.Same {
			names[i] = strings.ReplaceAll(cases[s].Scenario, "_", " ")
		}
		same, also := p.foreign(strings.Join(names, ", ")), ""
		switch {
		case r.Case == 0:
			none = same
		case same != "":
			also = "; the same: " + same
		}
		e := &p.f.Estimates[cases[r.Case].Estimate]
		if e.Probability != nil {
			also = " (" + units.Chance(*e.Probability) + ")" + also
		}
		left := text(strong, cases[r.Case].Left)
		out = append(out, right(left, 8)+"  "+p.foreign(e.Meaning)+text(dim, also))
	}
	if none != "" {
		out = append(out, text(dim, "    same  no difference: "+none))
	}
	return headed("left if", out)
}
