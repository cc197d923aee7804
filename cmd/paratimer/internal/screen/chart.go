package screen

import (
	"math"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/units"
)

// tallest bounds the chart's height for a range, as a multiple of the largest total; tallestHigh does so for a chart
// of manyRows.
const (
	tallest     = 1.3
	tallestHigh = 2.0
	manyRows    = 12
)

// A bucket is the points of a column.
type bucket struct{ total, low, high float64 } // NaN: unknown

// buckets sorts the points up to the frame into the columns of the lanes: a prediction is in the column of its time.
func (p *pen) buckets() []bucket {
	out := make([]bucket, p.scale.cols)
	for i := range out {
		out[i] = bucket{math.NaN(), math.NaN(), math.NaN()}
	}
	if p.s.History == nil {
		return out
	}
	last := -1
	for _, pt := range p.s.History.points {
		if pt.at > p.elapsed() {
			break
		}
		c := p.scale.col(pt.at)
		if last >= 0 && last < c-1 {
			for i := last + 1; i < c; i++ { // a tick counts until the next one
				out[i] = out[last]
			}
		}
		b := &out[c]
		if pt.total != nil {
			b.total = float64(*pt.total)
		}
		if pt.low != nil {
			b.low = least(b.low, float64(*pt.low))
		}
		if pt.high != nil {
			b.high = most(b.high, float64(*pt.high))
		}
		last = c
	}
	return out
}

func least(a, b float64) float64 {
	if math.IsNaN(a) {
		return b
	}
	return math.Min(a, b)
}

func most(a, b float64) float64 {
	if math.IsNaN(a) {
		return b
	}
	return math.Max(a, b)
}

// extent returns the values at the chart's lower and upper edge: all totals, and the newest range up to the limit.
func extent(all []bucket, rows int) (lo, hi float64, ok bool) {
	reach := tallest
	if rows >= manyRows {
		reach = tallestHigh
	}
	lo, hi = math.NaN(), math.NaN()
	var newest bucket
	for _, b := range all {
		if !math.IsNaN(b.total) {
			lo, hi = least(lo, b.total), most(hi, b.total)
			newest = b
		}
	}
	if math.IsNaN(lo) {
		return 0, 0, false
	}
	if !math.IsNaN(newest.low) {
		lo = math.Min(lo, newest.low)
	}
	if !math.IsNaN(newest.high) {
		hi = math.Max(hi, math.Min(newest.high, reach*hi))
	}
	if pad := hi * 0.05; hi-lo < 2*pad {
		lo, hi = lo-pad, hi+pad
	}
	return math.Max(0, lo), hi, true
}

// chart draws the predicted length along the run, with its range, below the lanes.
func (p *pen) chart(g gutter, rows int) []line {
	all := p.buckets()
	lo, hi, ok := extent(all, rows)
	if !ok || rows < 1 || hi <= lo {
		return nil
	}
	if rows < 3 {
		return []line{p.spark(g, all, lo, hi)}
	}
	out := make([]line, rows)
	for r := range rows {
		t := p.track()
		for c, b := range all {
			p.chartCell(&t[c], b, r, rows, lo, hi)
		}
		words, tall := "", ""
		switch r {
		case 0:
			words, tall = "predicted", units.Short(secs(hi))
		case 1:
			words = "length"
		case rows - 1:
			tall = units.Short(secs(lo))
		}
		out[r] = p.chartLeft(g, words, tall).and(t.line())
	}
	return out
}

// chartLeft puts words at the left of the gutter and a height at its right, if both fit.
func (p *pen) chartLeft(g gutter, words, tall string) line {
	room := g.cells() - 1 - marks
	l := right(text(dim, tall), room)
	if cells(tall) > room {
		l = text(dim, words)
	}
	if cells(words)+1+cells(tall) <= room {
		l = text(dim, words).and(right(text(dim, tall), room-cells(words)))
	}
	return g.whole(l, p.tail)
}

func (p *pen) chartCell(c *cell, b bucket, row, rows int, lo, hi float64) {
	place := func(v float64) float64 { return (hi - v) / (hi - lo) * float64(rows) } // from the top, in rows
	if at := place(b.total); !math.IsNaN(b.total) && int(math.Min(math.Max(at, 0), float64(rows)-1e-9)) == row {
		part := int((at - float64(row)) * float64(len(p.g.line)))
		*c = cell{p.g.line[min(max(part, 0), len(p.g.line)-1)], strong}
		return
	}
	if math.IsNaN(b.low) || math.IsNaN(b.high) {
		return
	}
	if mid := float64(row) + 0.5; place(b.high) <= mid && mid <= place(b.low) {
		*c = cell{p.g.band, dim}
	}
}

// spark draws the chart on one row.
func (p *pen) spark(g gutter, all []bucket, lo, hi float64) line {
	t := p.track()
	for c, b := range all {
		if math.IsNaN(b.total) {
			continue
		}
		n := len(p.g.steps)
		t[c] = cell{p.g.steps[min(max(int((b.total-lo)/(hi-lo)*float64(n)), 0), n-1)], strong}
	}
	return p.chartLeft(g, "predicted", units.Short(secs(lo))+p.own(" – ")+units.Short(secs(hi))).and(t.line())
}

func secs(v float64) time.Duration { return frame.Seconds(v).Duration() }
