package screen

import (
	"strings"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/units"
)

// axis returns the clock below the lanes, with the time of the newest observation.
func (p *pen) axis(g gutter) line {
	t := p.track()
	zero, known := p.at(0)
	ticks := p.ticks(t, zero, known)
	var labels []label
	clocked := false
	if p.scale.now >= 0 {
		p.cutShort(t, ticks)
		labels, clocked = p.nowLabel(t, zero, known)
	}
	for i := range t {
		if t[i].r != p.g.here || i != p.scale.now {
			t[i] = cell{' ', plain} // room taken by labels
		}
	}
	clocks := ""
	if known {
		clocks = p.zone(p.f.At.Time())
		if p.scale.now >= 0 && !clocked { // the current time is beside the axis if there is no room on it
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

// ticks returns the labels of the axis and takes their room on the track. They are at regular distances. A label is
// left out only if the mark of now is on it.
func (p *pen) ticks(t track, zero time.Time, known bool) []label {
	unit := p.scale.ticks(len("00:00:00"))
	if unit >= time.Minute {
		unit = max(p.scale.ticks(len("00:00")), time.Minute) // below a minute, labels have seconds
	}
	first := zero.Truncate(unit)
	var ticks []label
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
		ticks = append(ticks, label{span{words, w, dim}, col})
		t.put(col, col+w-1, p.g.tick, dim)
	}
	return ticks
}

// cutShort reduces a label under the mark of now to its tick.
func (p *pen) cutShort(t track, ticks []label) {
	for i := range ticks {
		if m := &ticks[i]; m.col < p.scale.now && p.scale.now < m.col+m.cells {
			for c := m.col + 1; c < m.col+m.cells; c++ {
				t[c] = cell{' ', plain}
			}
			m.span = span{string(p.g.tick), 1, dim}
		}
	}
}

// nowLabel returns the current time, on either side of its mark. clocked is false if there is no room for the clock.
func (p *pen) nowLabel(t track, zero time.Time, known bool) (labels []label, clocked bool) {
	now := p.scale.now
	t[now] = cell{p.g.here, strong}
	all := []string{" now"}
	if known {
		all = []string{" now " + p.clock(zero.Add(p.elapsed().Duration()), time.Second), " now"}
	}
	for _, words := range all {
		n := cells(words)
		for _, at := range []int{now + 1, now - n} {
			if !t.free(at, at+n-1) || at < now && at > 0 && !t.free(at-1, at-1) {
				continue
			}
			if at < now {
				words = strings.TrimPrefix(words, " ") + " "
			}
			return []label{{span{words, n, strong}, at}}, n > cells(" now ")
		}
	}
	return nil, false
}

// sorted merges labels in the order of their columns.
func sorted(ticks, now []label) []label {
	for i, l := range ticks {
		if len(now) > 0 && now[0].col < l.col {
			return append(append(ticks[:i:i], now...), ticks[i:]...)
		}
	}
	return append(ticks, now...)
}
