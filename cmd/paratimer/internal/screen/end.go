package screen

import "github.com/paratimer/paratimer/cmd/paratimer/internal/frame"

// limitCol returns the column of a bound; false if it is not on the lanes.
func (p *pen) limitCol(a *frame.Alert) (int, bool) {
	d := p.limit(a)
	if d == nil || *d > p.scale.to || *d < 0 {
		return 0, false
	}
	return p.scale.col(*d), true
}

// ends draws the predicted end with its range, and the bounds by name, below the lanes.
func (p *pen) ends(g gutter) []line {
	if p.f.Workflow.State.Ended() || p.scale.now < 0 {
		return nil
	}
	t := p.track()
	words := "80 % range"
	if g.cells() < 20 {
		words = "80 %"
	}
	if h := p.f.Headline; h.RemainingSeconds != nil || h.HighSeconds != nil {
		p.within(t, h)
	} else {
		words = "not known yet"
		if h.LowSeconds != nil && *h.LowSeconds >= 1 {
			words = "not before"
			a, b := p.scale.col(p.elapsed()+*h.LowSeconds), len(t)-1
			t.put(a, b, p.g.slack, plain)
			t.put(a, a, p.g.from, strong)
		}
	}
	labels := p.limits(t)
	if p.scale.now >= 0 && t[p.scale.now].r == ' ' {
		t[p.scale.now] = cell{p.g.now, strong}
	}
	return []line{g.whole(text(strong, "end ").and(text(dim, words)), p.tail).and(t.line(labels...))}
}

// within draws a range, and the estimate in it if there is one.
func (p *pen) within(t track, h frame.Headline) {
	now := p.elapsed()
	if h.LowSeconds != nil && h.HighSeconds != nil {
		a, b := p.scale.col(now+*h.LowSeconds), p.scale.col(now+*h.HighSeconds)
		t.put(a, b, p.g.waits, plain)
		t.put(a, a, p.g.from, plain)
		close := p.g.to
		if now+*h.HighSeconds > p.scale.to {
			close = p.g.more
		}
		t.put(b, b, close, plain)
	}
	if h.RemainingSeconds != nil {
		c := p.scale.col(now + *h.RemainingSeconds)
		t.put(c, c, p.g.mid, strong)
	}
}

// limits marks the bounds, and names the first one that has room.
func (p *pen) limits(t track) []label {
	var labels []label
	for i := range p.f.Alerts {
		a := &p.f.Alerts[i]
		c, ok := p.limitCol(a)
		if !ok {
			continue
		}
		words := p.nameOf(a)
		n := cells(words)
		for _, at := range []int{c + 1, c - n} {
			if len(labels) == 0 && t.free(at, at+n-1) {
				labels = append(labels, label{span{words, n, warn}, at})
			}
		}
		if t[c].r != p.g.mid {
			t[c] = cell{p.g.limit, warn}
		}
	}
	return labels
}
