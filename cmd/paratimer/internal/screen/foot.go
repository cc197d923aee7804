package screen

import (
	"fmt"

	"github.com/paratimer/paratimer/units"
)

// foot returns the most important keys.
func (p *pen) foot() []string {
	keys := [][2]string{
		{"?", "help"},
		{"q", "quit"},
		{"space", "pause"},
		{"↑↓", "job"},
		{"enter", "tasks"},
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
	var all []string
	for _, k := range keys {
		all = append(all, text(strong, p.own(k[0]))+text(dim, " "+k[1]))
	}
	return []string{p.fitting(all)}
}

// fitting joins the first texts that fit on a line.
func (p *pen) fitting(all []string) string {
	s := ""
	for i, next := range all {
		if i > 0 {
			next = "  " + next
		}
		if cells(s)+cells(next)+1 > p.s.Width {
			break
		}
		s += " " + next
	}
	return s
}

// playing returns the position in the recording, as a bar.
func (p *pen) playing() []string {
	b := p.s.Play
	if b == nil {
		return nil
	}
	speed := "as fast as it goes"
	switch {
	case p.s.Choice.Paused:
		speed = "paused"
	case b.Speed > 0:
		speed = fmt.Sprintf("%g%s", b.Speed, p.own("×"))
	}
	s := " replay " + speed + "  " + units.Short(b.At.Duration())
	if b.Length == nil || *b.Length <= 0 {
		return []string{s}
	}
	length := " " + units.Short(b.Length.Duration())
	if room := p.s.Width - cells(s) - cells(length) - 3; room >= 6 {
		s += "  " + p.bar(float64(b.At / *b.Length), room)
	}
	return []string{s + length}
}
