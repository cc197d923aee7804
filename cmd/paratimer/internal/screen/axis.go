package screen

import (
	"strings"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/chart"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/units"
)

// axis returns the clock below the lanes, with the time of the newest observation.
func (l *lanes) axis() line {
	t := l.track()
	zero, hasClock := l.at(0)
	ticks := l.ticks(t, zero, hasClock)
	var now []label
	shown := false
	if l.now >= 0 {
		now, shown = l.nowLabel(t, zero, hasClock)
	}
	clear := l.track()
	if l.now >= 0 {
		clear[l.now] = cell{l.g.here, strong}
	}
	clocks := ""
	if hasClock {
		clocks = l.zone(l.f.At.Time())
		if l.now >= 0 && !shown { // without room on the axis, the current time is beside it
			is, zone := l.clock(zero.Add(l.elapsed().Duration()), time.Second), clocks
			for _, words := range []string{is, is + " " + zone} {
				if cells(words) <= l.name {
					clocks = words
				}
			}
		}
	}
	return l.beside(nil, text(dim, clocks), l.counted()).and(clear.line(merge(ticks, now)...))
}

// ticks returns the labels of the axis, at regular distances, and takes their room on the track. A label under the mark
// of now is reduced to its tick, and left out if the tick is there.
func (l *lanes) ticks(t track, zero time.Time, hasClock bool) []label {
	unit := l.step(len("00:00:00"))
	if unit >= time.Minute {
		unit = max(l.step(len("00:00")), time.Minute) // below a minute, labels have seconds
	}
	first := zero.Truncate(unit)
	var out []label
	for n := range l.cols {
		clock := first.Add(time.Duration(n) * unit)
		at := frame.SecondsOf(clock.Sub(zero))
		if at > l.to {
			break
		}
		words := units.Short(at.Duration())
		if hasClock {
			words = l.clock(clock, min(unit, time.Minute))
		}
		words = string(l.g.tick) + words
		col, w := l.col(at), cells(words)
		if at < 0 || col == l.now || col+w > len(t) || !t.free(col, min(col+w, len(t)-1)) {
			continue
		}
		if col < l.now && l.now < col+w {
			words, w = string(l.g.tick), 1
		}
		out = append(out, label{span{words, w, dim}, col})
		t.put(col, col+w-1, l.g.tick, dim)
	}
	return out
}

// step returns a distance between ticks that leaves room for labels of a width.
func (l *lanes) step(label int) time.Duration {
	const most = 10_000 * 24 * 3600
	need := float64(l.to) / float64(l.cols) * float64(label+3)
	return frame.Seconds(min(chart.TimeStep(max(1, need)), most)).Duration()
}

// nowLabel returns the current time, on either side of its mark, and whether there is room for the clock.
func (l *lanes) nowLabel(t track, zero time.Time, hasClock bool) (labels []label, clock bool) {
	all := []string{" now"}
	if hasClock {
		all = []string{" now " + l.clock(zero.Add(l.elapsed().Duration()), time.Second), " now"}
	}
	t[l.now] = cell{l.g.here, strong}
	for _, words := range all {
		n := cells(words)
		if t.free(l.now+1, l.now+n) {
			return []label{{span{words, n, strong}, l.now + 1}}, words != " now"
		}
		if at := l.now - n; t.free(at, l.now-1) && (at == 0 || t.free(at-1, at-1)) {
			return []label{{span{strings.TrimPrefix(words, " ") + " ", n, strong}, at}}, words != " now"
		}
	}
	return nil, false
}

// merge merges labels in the order of their columns.
func merge(ticks, now []label) []label {
	for i, l := range ticks {
		if len(now) > 0 && now[0].col < l.col {
			return append(append(ticks[:i:i], now...), ticks[i:]...)
		}
	}
	return append(ticks, now...)
}

// limit returns when a bound is broken, in seconds since the first job's submission; nil if unknown or a quiet
// default.
func (l *lanes) limit(a *frame.Alert) *frame.Seconds {
	zero, ok := l.at(0)
	if !ok || a.DeadlineAt == nil || a.Quiet && !a.State.Firing() {
		return nil
	}
	s := frame.SecondsOf(a.DeadlineAt.Time().Sub(zero))
	return &s
}

// limitCol returns the column of a bound; false if it is not on the lanes.
func (l *lanes) limitCol(a *frame.Alert) (int, bool) {
	d := l.limit(a)
	if d == nil || *d > l.to || *d < 0 {
		return 0, false
	}
	return l.col(*d), true
}

// ends draws the predicted end with its range, and the bounds, below the lanes. The first bound with room is named.
func (l *lanes) ends() []line {
	if l.now < 0 {
		return nil
	}
	t := l.track()
	words := "80 % range"
	if l.left() < 20 {
		words = "80 %"
	}
	h, now := l.f.Headline, l.elapsed()
	switch {
	case h.RemainingSeconds != nil || h.HighSeconds != nil:
		l.within(t, h)
	case h.LowSeconds != nil && *h.LowSeconds >= 1:
		words = "not before"
		a := l.col(now + *h.LowSeconds)
		t.put(a, len(t)-1, l.g.slack, plain)
		t.put(a, a, l.g.from, strong)
	default:
		words = "not known yet"
	}
	labels := l.limits(t)
	if t[l.now].r == ' ' {
		t[l.now] = cell{l.g.now, strong}
	}
	return []line{l.before(text(strong, "end ").and(text(dim, words))).and(t.line(labels...))}
}

// within draws a range, and the estimate in it if there is one.
func (l *lanes) within(t track, h frame.Headline) {
	now := l.elapsed()
	if h.LowSeconds != nil && h.HighSeconds != nil {
		a, b := l.col(now+*h.LowSeconds), l.col(now+*h.HighSeconds)
		t.put(a, b, l.g.waits, plain)
		t.put(a, a, l.g.from, plain)
		end := l.g.to
		if now+*h.HighSeconds > l.to {
			end = l.g.more
		}
		t.put(b, b, end, plain)
	}
	if h.RemainingSeconds != nil {
		c := l.col(now + *h.RemainingSeconds)
		t.put(c, c, l.g.mid, strong)
	}
}

// limits marks the bounds, and returns the name of the first one that has room.
func (l *lanes) limits(t track) []label {
	var labels []label
	for i := range l.f.Alerts {
		a := &l.f.Alerts[i]
		c, ok := l.limitCol(a)
		if !ok {
			continue
		}
		words := l.nameOf(a)
		n := cells(words)
		for _, at := range []int{c + 1, c - n} {
			if len(labels) == 0 && t.free(at, at+n-1) {
				labels = append(labels, label{span{words, n, warn}, at})
			}
		}
		if t[c].r != l.g.mid {
			t[c] = cell{l.g.limit, warn}
		}
	}
	return labels
}
