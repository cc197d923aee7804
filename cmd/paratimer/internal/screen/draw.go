package screen

// draw returns the lines of the screen.
func (p *pen) draw() []line {
	if p.f == nil {
		return p.nothing()
	}
	g := p.gutterOf()
	p.wide(max(1, p.s.Width-g.cells()-1))
	if !p.s.Choice.Help && (!p.s.Choice.Tasks || p.job < 0) {
		return p.whole(g)
	}
	// A list gets the room between the parts that are always visible.
	foot := append(p.playing(), p.foot()...)
	out := p.head()
	room := func(least int) int { return max(least, p.s.Height-len(out)-len(foot)) }
	if p.s.Choice.Help {
		out = append(out, nil)
		out = append(out, p.help(room(1))...)
	} else {
		out = append(append(out, first(1, p.waiting())...), first(1, p.bounds())...)
		out = append(out, nil, p.axis(g), p.rowOf(g, p.job), nil)
		out = first(p.s.Height-len(foot)-4, out)
		out = append(out, p.tasks(room(0))...)
	}
	out = first(p.s.Height-len(foot), out)
	return append(p.down(out, len(foot)), foot...)
}

// down adds blank lines, so that the foot, which has foot lines, is at the bottom.
func (p *pen) down(out []line, foot int) []line {
	for len(out) < p.s.Height-foot {
		out = append(out, nil)
	}
	return out
}

// first returns at most n lines.
func first(n int, lines []line) []line { return lines[:min(max(n, 0), len(lines))] }

// nothing returns the screen before the first observation.
func (p *pen) nothing() []line {
	words := "Waiting for the first observation"
	if p.s.Subject != "" {
		words += " of " + p.foreign(p.s.Subject)
	}
	out := []line{text(strong, " "+words).cut(p.s.Width, p.tail)}
	out = append(out, p.log()...)
	if p.s.Choice.Help {
		out = append(out, nil)
		out = append(out, p.help(max(1, p.s.Height-len(out)-1))...)
	}
	return append(first(p.s.Height-1, out), first(p.s.Height, p.foot())...)
}

// log returns the newest log line.
func (p *pen) log() []line {
	if p.s.Log == "" {
		return nil
	}
	return []line{text(dim, " "+p.foreign(p.s.Log)).cut(p.s.Width, p.tail)}
}
