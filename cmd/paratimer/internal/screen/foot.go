package screen

import (
	"fmt"
	"strings"

	"github.com/paratimer/paratimer/units"
)

// foot returns the most important keys, or the text that is being typed.
func (p *pen) foot() []line {
	if p.s.Choice.Finding {
		return []line{text(plain, " find job: ").and(text(pick, p.foreign(p.s.Choice.Find)+"_")).cut(p.s.Width, p.tail)}
	}
	keys := [][2]string{
		{"?", "help"},
		{"q", "quit"},
		{"space", "pause"},
		{"↑↓", "job"},
		{"enter", "tasks"},
		{"s", "scenario"},
		{"/", "find"},
	}
	if p.s.Choice.Paused {
		keys[2][1] = "go on"
	}
	if p.s.Play != nil {
		keys = append(keys[:3:3], append([][2]string{{"←→", "seek"}, {"+-", "speed"}}, keys[3:]...)...)
	}
	switch {
	case p.s.Choice.Help:
		keys = [][2]string{{"↑↓", "scroll"}, {"esc", "close"}, {"q", "quit"}}
	case p.s.Choice.Tasks:
		keys = [][2]string{{"↑↓", "scroll"}, {"esc", "back"}, {"?", "help"}, {"q", "quit"}}
	}
	l := text(plain, " ")
	for i, k := range keys {
		name := k[0]
		if p.s.Style.ASCII {
			name = map[string]string{"↑↓": "up/down", "←→": "left/right"}[name]
			if name == "" {
				name = k[0]
			}
		}
		next := text(strong, name).and(text(dim, " "+k[1]))
		if i > 0 {
			next = text(plain, "   ").and(next)
		}
		if l.cells()+next.cells() > p.s.Width {
			break
		}
		l = l.and(next)
	}
	return []line{l}
}

// playing returns the position in the recording, as a bar.
func (p *pen) playing() []line {
	b := p.s.Play
	if b == nil {
		return nil
	}
	speed := "as fast as it goes"
	if b.Speed > 0 {
		speed = fmt.Sprintf("%g%s", b.Speed, p.own("×"))
	}
	if p.s.Choice.Paused {
		speed = "paused"
	}
	at := units.Short(b.At.Duration())
	left := text(plain, " "+p.own("replay ")+speed+"  "+at)
	if b.Length == nil || *b.Length <= 0 {
		return []line{left.cut(p.s.Width, p.tail)}
	}
	right := text(plain, " "+units.Short(b.Length.Duration())+" ")
	if room := p.s.Width - left.cells() - right.cells() - 2; room >= 6 {
		n := int(min(max(float64(b.At / *b.Length), 0), 1) * float64(room-1))
		left = left.and(text(plain, " "), text(lane, strings.Repeat(string(p.g.full), n)),
			text(strong, string(p.g.mid)), text(dim, strings.Repeat(string(p.g.empty), room-1-n)))
	}
	return []line{left.and(right).cut(p.s.Width, p.tail)}
}
