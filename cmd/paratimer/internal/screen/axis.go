package screen

import (
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/chart"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// axis returns the clock above the lanes: labels at regular distances, and the mark of now. Before them is the time of
// the newest observation, or its zone alone.
func (l *lanes) axis() string {
	t := l.track()
	t.put(l.now, l.now, signHere, strong)
	zero, hasClock := l.at(0)
	unit := l.step(len("00:00:00"))
	if unit >= time.Minute {
		unit = max(l.step(len("00:00")), time.Minute) // below a minute, labels have seconds
	}
	for n, first := 0, zero.Truncate(unit); n < l.cols; n++ {
		clock := first.Add(time.Duration(n) * unit)
		at := frame.SecondsOf(clock.Sub(zero))
		if at < 0 || at > l.to {
			continue
		}
		words := units.Short(at.Duration())
		if hasClock {
			words = l.clock(clock, min(unit, time.Minute))
		}
		// A label that covers the mark of now is reduced to its tick.
		if c := l.col(at); !t.write(c, dim, signTick+words) && c < l.now {
			t.write(c, dim, signTick)
		}
	}
	now := ""
	if hasClock {
		now = l.Style.in(l.f.At.Time()).Format("MST")
	}
	if l.now >= 0 {
		_ = t.write(l.now+1, strong, " now") || t.write(l.now-4, strong, "now ")
		is := l.clock(zero.Add(l.elapsed().Duration()), time.Second)
		if cells(is+" "+now) <= l.name {
			is += " " + now
		}
		now = is
	}
	return l.beside("", text(dim, now), l.counted()) + t.String()
}

// step returns a distance between ticks that leaves room for labels of a width.
func (l *lanes) step(label int) time.Duration {
	const most = 10_000 * 24 * 3600
	need := float64(l.to) / float64(l.cols) * float64(label+3)
	return frame.Seconds(min(chart.TimeStep(max(1, need)), most)).Duration()
}

// limit returns when a bound is broken, in seconds since the first job's submission; false if unknown.
func (l *lanes) limit(a *frame.Alert) (frame.Seconds, bool) {
	zero, ok := l.at(0)
	if !ok || a.DeadlineAt == nil {
		return 0, false
	}
	return frame.SecondsOf(a.DeadlineAt.Time().Sub(zero)), true
}

// limitCol returns the column of a bound; false if it is not on the lanes.
func (l *lanes) limitCol(a *frame.Alert) (int, bool) {
	d, ok := l.limit(a)
	return l.col(d), ok && d >= 0 && d <= l.to
}

// ends draws the predicted end with its range, and the bounds, below the lanes. The first bound with room is named.
func (l *lanes) ends() []string {
	if l.now < 0 {
		return nil
	}
	t := l.track()
	words := "80% range"
	if l.left < 20 {
		words = "80%"
	}
	h := l.f.Headline
	end := func(s *frame.Seconds) int { return l.col(l.elapsed() + *s) }
	switch {
	case h.RemainingSeconds != nil || h.HighSeconds != nil:
		if h.LowSeconds != nil && h.HighSeconds != nil {
			a, b := end(h.LowSeconds), end(h.HighSeconds)
			t.put(a, b, signWaits, plain)
			t.put(a, a, signFrom, plain)
			t.put(b, b, signTo, plain)
			if l.elapsed()+*h.HighSeconds > l.to {
				t.put(b, b, signMore, plain)
			}
		}
		if h.RemainingSeconds != nil {
			t.put(end(h.RemainingSeconds), end(h.RemainingSeconds), signMid, strong)
		}
	case h.LowSeconds != nil && *h.LowSeconds >= 1:
		words = "not before"
		t.put(end(h.LowSeconds), len(t)-1, signSlack, plain)
		t.put(end(h.LowSeconds), end(h.LowSeconds), signFrom, strong)
	default:
		words = "not known yet"
	}
	named := false
	for _, a := range l.f.Alerts {
		if c, ok := l.limitCol(&a); ok {
			name := l.foreign(a.Bound)
			named = named || t.write(c+1, warn, name) || t.write(c-cells(name), warn, name)
			if t[c].s != signMid {
				t.put(c, c, signLimit, warn)
			}
		}
	}
	if t[l.now].s == " " {
		t.put(l.now, l.now, signNow, strong)
	}
	return []string{l.before(text(strong, "end ")+text(dim, words)) + t.String()}
}

// chartRows is the height of the chart on a screen with room for it.
const chartRows = 4

// predictedAt returns a frame's prediction of the total length, in seconds; NaN if unknown. A query that has succeeded
// is as long as it was.
func predictedAt(f *frame.Frame) float64 {
	switch left := f.Headline.RemainingSeconds; {
	case f.Workflow.State == dag.Succeeded:
		return float64(*f.ElapsedSeconds)
	case left != nil && !f.Workflow.State.Ended():
		return float64(*f.ElapsedSeconds + *left)
	}
	return math.NaN()
}

// predictions returns the newest prediction of each column of the lanes up to the frame; it is valid until the next
// one. lo and hi are the values at the chart's edges, with lo >= hi if there is none.
func (l *lanes) predictions() (all []float64, lo, hi float64) {
	all = slices.Repeat([]float64{math.NaN()}, l.cols)
	last := -1
	lo, hi = math.Inf(1), math.Inf(-1)
	for f := range l.past() {
		c := l.col(*f.ElapsedSeconds)
		for i := last + 1; last >= 0 && i < c; i++ {
			all[i] = all[last]
		}
		last = c
		if total := predictedAt(f); !math.IsNaN(total) {
			all[c], lo, hi = total, min(lo, total), max(hi, total)
		}
	}
	if pad := hi * 0.05; hi-lo < 2*pad {
		lo, hi = lo-pad, hi+pad
	}
	return all, max(0, lo), hi
}

// chart draws the predicted length along the run, below the lanes.
func (l *lanes) chart(rows int) []string {
	all, lo, hi := l.predictions()
	if rows < 1 || !(hi > lo) {
		return nil
	}
	tracks := make([]track, rows)
	for r := range rows {
		tracks[r] = l.track()
	}
	parts := len(signCurve)
	for c, total := range all {
		if !math.IsNaN(total) {
			at := min(int((hi-total)/(hi-lo)*float64(rows*parts)), rows*parts-1) // in parts of a cell, from the top
			sign := signCurve[at%parts]
			if l.Style.ASCII {
				sign = "="
			}
			tracks[at/parts].put(c, c, sign, strong)
		}
	}
	short := func(seconds float64) string { return units.Short(frame.Seconds(seconds).Duration()) }
	words, values := map[int]string{0: "predicted", 1: "length"}, map[int]string{0: short(hi), rows - 1: short(lo)}
	room := l.left - 1 - marks
	out := make([]string, rows)
	for r, t := range tracks {
		// If both do not fit beside each other, the words are left out.
		if cells(words[r])+1+cells(values[r]) > room {
			words[r] = ""
		}
		out[r] = l.before(text(dim, words[r])+right(text(dim, values[r]), room-cells(words[r]))) + t.String()
	}
	return out
}
