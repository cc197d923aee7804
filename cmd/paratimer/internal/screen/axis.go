package screen

import (
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/chart"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/units"
)

// axis returns the clock below the lanes: labels at regular distances, and the mark of now. Before them is the time of
// the newest observation, or its zone alone.
func (l *lanes) axis() string {
	t := l.track()
	if l.now >= 0 {
		t[l.now] = cell{string(l.g.here), strong}
	}
	zero, hasClock := l.at(0)
	unit := l.step(len("00:00:00"))
	if unit >= time.Minute {
		unit = max(l.step(len("00:00")), time.Minute) // below a minute, labels have seconds
	}
	for n, first := 0, zero.Truncate(unit); n < l.cols; n++ {
		clock := first.Add(time.Duration(n) * unit)
		at := frame.SecondsOf(clock.Sub(zero))
		words := units.Short(at.Duration())
		if hasClock {
			words = l.clock(clock, min(unit, time.Minute))
		}
		words = string(l.g.tick) + words
		if at < 0 || at > l.to {
			continue
		}
		// A label that covers the mark of now is reduced to its tick.
		if c := l.col(at); !t.write(c, dim, words) && c < l.now {
			t.write(c, dim, string(l.g.tick))
		}
	}
	now := ""
	if hasClock {
		now = l.zone(l.f.At.Time())
	}
	if l.now >= 0 {
		_ = t.write(l.now+1, strong, " now") || t.write(l.now-4, strong, "now ")
		is := l.clock(zero.Add(l.elapsed().Duration()), time.Second)
		switch {
		case !hasClock:
		case cells(is+" "+now) <= l.name:
			now = is + " " + now
		default:
			now = is
		}
	}
	return l.beside("", text(dim, now), l.counted()) + t.String()
}

// step returns a distance between ticks that leaves room for labels of a width.
func (l *lanes) step(label int) time.Duration {
	const most = 10_000 * 24 * 3600
	need := float64(l.to) / float64(l.cols) * float64(label+3)
	return frame.Seconds(min(chart.TimeStep(max(1, need)), most)).Duration()
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
func (l *lanes) ends() []string {
	if l.now < 0 {
		return nil
	}
	t := l.track()
	words := "80% range"
	if l.left() < 20 {
		words = "80%"
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
	named := false
	for i := range l.f.Alerts {
		a := &l.f.Alerts[i]
		if c, ok := l.limitCol(a); ok {
			name := l.nameOf(a)
			named = named || t.write(c+1, warn, name) || t.write(c-cells(name), warn, name)
			if t[c].s != string(l.g.mid) {
				t.put(c, c, l.g.limit, warn)
			}
		}
	}
	if t[l.now].s == " " {
		t.put(l.now, l.now, l.g.now, strong)
	}
	return []string{l.before(text(strong, "end ")+text(dim, words)) + t.String()}
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
