package screen

import (
	"strings"

	"github.com/paratimer/paratimer/dag"
)

// helpBeside is the width from which the signs are beside the keys.
const helpBeside = 76

// help lists the keys and the signs, scrolled to the user's position.
func (p *pen) help(rows int) []line {
	keys, signs := p.keyLines(), p.signLines()
	out := append(append(keys, nil), signs...)
	if p.s.Width >= helpBeside {
		out = columns(keys, signs)
	}
	for i := range out {
		out[i] = out[i].cut(p.s.Width, p.tail)
	}
	return first(rows, out[min(p.s.Choice.HelpScroll, max(0, len(out)-rows)):])
}

// columns puts two lists side by side.
func columns(left, right []line) []line {
	width := 0
	for _, l := range left {
		width = max(width, l.cells()+2)
	}
	out := make([]line, max(len(left), len(right)))
	for i := range out {
		if i < len(left) {
			out[i] = left[i]
		}
		if i < len(right) {
			out[i] = out[i].pad(width).and(right[i])
		}
	}
	return out
}

func (p *pen) keyLines() []line {
	width := 0
	for _, k := range Keys() {
		width = max(width, cells(p.own(k.Shown))+1)
	}
	var out []line
	for _, k := range Keys() {
		if !k.Replay || p.s.Play != nil {
			out = append(out, right(text(strong, p.own(k.Shown)), width).and(text(plain, "  "+p.own(k.Meaning))))
		}
	}
	return out
}

func (p *pen) signLines() []line {
	var out []line
	for _, s := range p.legend() {
		out = append(out, right(s.sign, 6).and(text(plain, "  "+s.words)))
	}
	out = append(out, nil)
	words := []string{
		"(40s – 2m): 8 of 10 such queries", "end within that time; rough: fewer", "than 9 earlier runs back that.",
	}
	if p.f != nil && p.f.At != nil {
		words = append(words, "Times are in "+p.zone(p.f.At.Time())+".")
	}
	for _, s := range words {
		out = append(out, text(dim, " "+p.own(s)))
	}
	return out
}

// A sign is an entry of the legend.
type sign struct {
	sign  line
	words string // the short legend has the part before a colon
	brief bool   // whether the short legend has it
}

func (p *pen) legend() []sign {
	g := p.g
	of := func(r role, s ...rune) line { return text(r, string(s)) }
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
func (p *pen) signs() []line {
	l := text(plain, " ")
	for _, s := range p.legend() {
		if !s.brief {
			continue
		}
		words, _, _ := strings.Cut(s.words, ":")
		next := s.sign.and(text(dim, " "+words+"   "))
		if l.cells()+next.cells() > p.s.Width {
			break
		}
		l = l.and(next)
	}
	return []line{l}
}
