package screen

import (
	"strings"

	"github.com/paratimer/paratimer/dag"
)

// help lists the keys and the signs, scrolled to the user's position. On a wide screen they are side by side.
func (p *pen) help(rows int) []string {
	keys, signs := p.keyLines(), p.signLines()
	out := append(append(keys, ""), signs...)
	if p.s.Width >= 76 {
		width := 0
		for _, l := range keys {
			width = max(width, cells(l)+2)
		}
		out = sideBySide(keys, signs, width, p.tail)
	}
	return first(rows, out[min(p.s.Choice.HelpScroll, max(0, len(out)-rows)):])
}

func (p *pen) keyLines() []string {
	width := 0
	for _, k := range Keys() {
		width = max(width, cells(p.own(k.Shown))+1)
	}
	var out []string
	for _, k := range Keys() {
		if !k.Replay || p.s.Play != nil {
			out = append(out, right(text(strong, p.own(k.Shown)), width)+"  "+p.own(k.Meaning))
		}
	}
	return out
}

func (p *pen) signLines() []string {
	var out []string
	for _, s := range p.legend() {
		out = append(out, right(s.sign, 6)+"  "+s.words)
	}
	words := "(40s – 2m): 8 of 10 such queries\n end within that time; rough: fewer\n than 9 earlier runs back that."
	if p.f != nil && p.f.At != nil {
		words += "\n Times are in " + p.zone(p.f.At.Time()) + "."
	}
	out = append(out, "")
	for l := range strings.SplitSeq(" "+p.own(words), "\n") {
		out = append(out, text(dim, l))
	}
	return out
}

// A sign is an entry of the legend.
type sign struct {
	sign  string
	words string // the short legend has the part before a colon
	brief bool   // whether the short legend has it
}

func (p *pen) legend() []sign {
	g := p.g
	of := func(r role, s ...rune) string { return text(r, string(s)) }
	stages := []sign{
		{of(lane, g.seen[1], g.seen[1]), "maps", true},
		{of(lane, g.seen[2], g.seen[2]), "reduces", true},
		{of(lane, g.seen[3], g.seen[3]), "both", false},
	}
	if !p.mapReduce() {
		stages = []sign{
			{of(lane, g.seen[1], g.seen[2]), "stages: every second one is below", true},
			{of(lane, g.seen[3], g.seen[3]), "overlapping stages", false},
		}
	}
	return append(stages, []sign{
		{of(lane, g.expected(1), g.expected(2)), "expected", true},
		{of(path, g.critical, ' ', g.expected(5), g.expected(10), g.holds), "critical: holds up the end", true},
		{of(dim, g.slack, g.slack), "slack: can slip this much", true},
		{of(bad, g.failed), "failed", true},
		{of(dim, g.waits, g.waits), "waits: no running task", true},
		{of(warn, g.limit), "a bound", false},
		{of(good, g.states[dag.Succeeded]), "done", false},
		{of(lane, g.states[dag.Running]), "runs", false},
		{of(dim, g.states[dag.Submitted]), "submitted", false},
		{of(dim, g.states[dag.Blocked]), "to come", false},
	}...)
}

// signs returns the short legend on one line.
func (p *pen) signs() []string {
	var all []string
	for _, s := range p.legend() {
		if words, _, _ := strings.Cut(s.words, ":"); s.brief {
			all = append(all, s.sign+text(dim, " "+words))
		}
	}
	return []string{p.fitting(all)}
}
