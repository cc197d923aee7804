package screen

import (
	"strings"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/units"
)

// axis is the clock along the lanes, and the time that it is by the newest observation.
func (p *pen) axis(g gutter) line {
	t := p.track()
	zero, known := p.at(0)
	unit := p.scale.ticks(len("00:00:00"))
	if unit >= time.Minute {
		unit = max(p.scale.ticks(len("00:00")), time.Minute) // less than a minute has seconds in its labels
	}
	// Marks stand at regular distances, whatever else is written: a label is left out only where the time that it is
	// stands on it.
	first := zero.Truncate(unit)
	type mark struct {
		label
		words int // cells of its label
	}
	var marks []mark
	for n := range p.scale.cols {
		at := frame.SecondsOf(first.Add(time.Duration(n) * unit).Sub(zero))
		if at > p.scale.to {
			break
		}
		if at < 0 {
			continue
		}
		words := string(p.g.tick) + units.Short(at.Duration())
		if known {
			words = string(p.g.tick) + p.clock(first.Add(time.Duration(n)*unit), min(unit, time.Minute))
		}
		col, w := p.scale.col(at), cells(words)
		if col == p.scale.now || !t.free(col, min(col+w, len(t)-1)) || col+w > len(t) {
			continue
		}
		marks = append(marks, mark{label{span{words, w, dim}, col}, w})
		t.put(col, col+w-1, p.g.tick, dim)
	}
	var labels []label
	clocked := false
	if now := p.scale.now; now >= 0 {
		for i := range marks {
			if m := &marks[i]; m.col < now && now < m.col+m.words {
				for c := m.col + 1; c < m.col+m.words; c++ {
					t[c] = cell{' ', plain}
				}
				m.span = span{string(p.g.tick), 1, dim}
			}
		}
		t[now] = cell{p.g.here, strong}
		all := []string{" now"}
		if known {
			all = []string{" now " + p.clock(zero.Add(p.elapsed().Duration()), time.Second), " now"}
		}
		for _, words := range all {
			n := cells(words)
			for _, at := range []int{now + 1, now - n} {
				if len(labels) == 0 && t.free(at, at+n-1) && (at > now || at == 0 || t.free(at-1, at-1)) {
					if at < now {
						words = strings.TrimPrefix(words, " ") + " "
					}
					labels = append(labels, label{span{words, n, strong}, at})
					clocked = n > cells(" now ")
				}
			}
		}
	}
	ticks := make([]label, len(marks))
	for i := range marks {
		ticks[i] = marks[i].label
	}
	for i := range t {
		if t[i].r != p.g.here || i != p.scale.now {
			t[i] = cell{' ', plain} // room taken by labels
		}
	}
	clocks := ""
	if known {
		clocks = p.zone(p.f.At.Time())
		if p.scale.now >= 0 && !clocked { // the time that it is stands beside the axis when there is no room on it
			is, zone := p.clock(zero.Add(p.elapsed().Duration()), time.Second), clocks
			for _, words := range []string{is, is + " " + zone} {
				if cells(words) <= g.name {
					clocks = words
				}
			}
		}
	}
	return g.left(nil, text(dim, clocks), text(dim, p.counted()),
		p.tail).and(t.line(sorted(ticks, labels)...))
}

// sorted joins labels in the order of their columns.
func sorted(ticks, now []label) []label {
	for i, l := range ticks {
		if len(now) > 0 && now[0].col < l.col {
			return append(append(ticks[:i:i], now...), ticks[i:]...)
		}
	}
	return append(ticks, now...)
}
