package screen

import (
	"strings"

	"github.com/paratimer/paratimer/dag"
)

// help lists the keys and the signs.
func (p *pen) help() []line {
	var keys, signs []line
	for _, k := range Keys() {
		if k.Replay && p.s.Play == nil {
			continue
		}
		shown := p.own(k.Shown)
		keys = append(keys, text(plain, " ").and(right(text(strong, shown), 11), text(plain, "  "+p.own(k.Meaning))))
	}
	for _, s := range p.legend() {
		signs = append(signs, text(plain, " ").and(right(s.sign, 6), text(plain, "  "+s.words)))
	}
	signs = append(signs, nil,
		text(dim, " (10m - 14m): 8 of 10 queries like this"),
		text(dim, " end within that time. rough: fewer than"),
		text(dim, " 9 earlier runs back it. Clocks are UTC."))
	var out []line
	if w := 58; p.s.Width >= w+50 {
		for i := range max(len(keys), len(signs)) {
			var l, r line
			if i < len(keys) {
				l = keys[i].cut(w, p.tail)
			}
			if i < len(signs) {
				r = signs[i]
			}
			out = append(out, l.pad(w).and(r))
		}
	} else {
		out = append(append(keys, nil), signs...)
	}
	out = append([]line{text(strong, " Keys"), nil}, out...)
	for i := range out {
		out[i] = out[i].cut(p.s.Width, p.tail)
	}
	return out
}

// A sign is an entry of the legend.
type sign struct {
	sign  line
	words string
	brief bool // stands in the short legend too
}

func (p *pen) legend() []sign {
	g := p.g
	of := func(r role, s ...rune) line { return text(r, string(s)) }
	return []sign{
		{of(lane, g.seen[1], g.seen[1]), "maps", true},
		{of(lane, g.seen[2], g.seen[2]), "reduces", true},
		{of(lane, g.expected(1), g.expected(2)), "expected", true},
		{of(path, g.critical, ' ', g.expected(5), g.expected(10), g.holds), "critical: what the end waits for", true},
		{of(dim, g.slack, g.slack), "slack: so much later it may end", true},
		{of(bad, g.failed), "failed", true},
		{of(dim, g.waits, g.waits), "waits: submitted, no task runs", true},
		{of(warn, g.limit), "a bound", false},
		{of(good, g.states[dag.Succeeded]), "done", false},
		{of(lane, g.states[dag.Running]), "runs", false},
		{of(dim, g.states[dag.Submitted]), "submitted", false},
		{of(dim, g.states[dag.Blocked]), "to come", false},
	}
}

// signs is the legend on one line.
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
