package screen

import (
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
		unit = p.scale.ticks(len("00:00"))
	}
	var labels []label
	if now := p.scale.now; now >= 0 {
		t[now] = cell{p.g.here, strong}
		words := " now "
		if known {
			words += p.clock(zero.Add(p.elapsed().Duration()), time.Second)
		}
		n := cells(words)
		for _, at := range []int{now + 1, now - n} {
			if len(labels) == 0 && t.free(at, at+n-1) {
				labels = append(labels, label{span{words, n, strong}, at})
				t.put(at, at+n, p.g.here, strong) // and a blank after it
			}
		}
	}
	first := zero.Truncate(unit)
	var ticks []label
	for n := range p.scale.cols {
		at := frame.SecondsOf(first.Add(time.Duration(n) * unit).Sub(zero))
		if at > p.scale.to {
			break
		}
		words := string(p.g.tick) + units.Short(at.Duration())
		if known {
			words = string(p.g.tick) + p.clock(first.Add(time.Duration(n)*unit), min(unit, time.Minute))
		}
		col, w := p.scale.col(at), cells(words)
		if at < 0 || !t.free(col, col+w) {
			continue
		}
		ticks = append(ticks, label{span{words, w, dim}, col})
		t.put(col, col+w, p.g.tick, dim)
	}
	for i := range t {
		if t[i].r != p.g.here || i != p.scale.now {
			t[i] = cell{' ', plain} // room taken by labels
		}
	}
	clocks := ""
	if known {
		clocks = "UTC"
	}
	return g.left(nil, text(dim, clocks), text(dim, counted("maps", "reduces")), p.tail).and(t.line(sorted(ticks, labels)...))
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
