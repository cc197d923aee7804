package screen

import (
	"math"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/units"
)

// chartRows is the height of the chart on a screen with room for it.
const chartRows = 4

// tallest bounds the chart's height for a range, as a multiple of the largest total.
const tallest = 1.3

// A bucket is the predictions of a column of the lanes, in seconds: the newest total, and the range of all of them.
type bucket struct{ total, low, high float64 } // NaN: unknown

// buckets sorts the points up to the frame into the columns of the lanes. A prediction is valid until the next one.
func (l *lanes) buckets() []bucket {
	out := make([]bucket, l.cols)
	for i := range out {
		out[i] = bucket{math.NaN(), math.NaN(), math.NaN()}
	}
	if l.s.History == nil {
		return out
	}
	last := -1
	for _, pt := range l.s.History.points {
		if pt.at > l.elapsed() {
			break
		}
		c := l.col(pt.at)
		for i := last + 1; last >= 0 && i < c; i++ {
			out[i] = out[last]
		}
		b := &out[c]
		b.total = known(pt.total, b.total)
		b.low = low(b.low, known(pt.low, math.NaN()))
		b.high = high(b.high, known(pt.high, math.NaN()))
		last = c
	}
	return out
}

// known returns a number of seconds, or a default for nil.
func known(s *frame.Seconds, other float64) float64 {
	if s == nil {
		return other
	}
	return float64(*s)
}

// low returns the lower of two numbers, of which NaN is unknown.
func low(a, b float64) float64 {
	if math.IsNaN(a) || b < a {
		return b
	}
	return a
}

// high returns the higher of two numbers, of which NaN is unknown.
func high(a, b float64) float64 {
	if math.IsNaN(a) || b > a {
		return b
	}
	return a
}

// extent returns the values at the chart's lower and upper edge: all totals, and the newest range up to a limit. NaN:
// there is no total.
func extent(all []bucket) (lo, hi float64) {
	lo, hi = math.NaN(), math.NaN()
	newest := bucket{math.NaN(), math.NaN(), math.NaN()}
	for _, b := range all {
		lo, hi = low(lo, b.total), high(hi, b.total)
		if !math.IsNaN(b.total) {
			newest = b
		}
	}
	lo, hi = low(lo, newest.low), high(hi, low(newest.high, tallest*hi))
	if pad := hi * 0.05; hi-lo < 2*pad {
		lo, hi = lo-pad, hi+pad
	}
	return math.Max(0, lo), hi
}

// chart draws the predicted length along the run, with its range, below the lanes.
func (l *lanes) chart(rows int) []line {
	all := l.buckets()
	lo, hi := extent(all)
	if rows < 1 || !(hi > lo) {
		return nil
	}
	out := make([]line, rows)
	for r := range rows {
		t := l.track()
		for c, b := range all {
			l.chartCell(&t[c], b, r, rows, lo, hi)
		}
		words, value := "", ""
		switch {
		case rows == 1:
			words, value = "predicted", short(lo)+l.own(" – ")+short(hi)
		case r == 0:
			words, value = "predicted", short(hi)
		case r == 1:
			words = "length"
		case r == rows-1:
			value = short(lo)
		}
		out[r] = l.chartLeft(words, value).and(t.line())
	}
	return out
}

// chartCell draws a bucket in a row of a chart between two values.
func (l *lanes) chartCell(c *cell, b bucket, row, rows int, lo, hi float64) {
	height := (hi - lo) / float64(rows)
	parts := len(l.g.line)
	if !math.IsNaN(b.total) {
		// In parts of a cell, from the top.
		at := int(math.Min((hi-b.total)/height*float64(parts), float64(rows*parts-1)))
		if at/parts == row {
			*c = cell{l.g.line[at%parts], strong}
			return
		}
	}
	if mid := hi - (float64(row)+0.5)*height; b.low <= mid && mid <= b.high {
		*c = cell{l.g.band, dim}
	}
}

// chartLeft puts words before the lanes, and a value at their right. If both do not fit, the words go.
func (l *lanes) chartLeft(words, value string) line {
	room := l.left() - 1 - marks
	switch n := cells(value); {
	case n > room:
		return l.before(text(dim, words))
	case cells(words)+1+n > room:
		return l.before(right(text(dim, value), room))
	}
	return l.before(text(dim, words).and(right(text(dim, value), room-cells(words))))
}

func short(seconds float64) string { return units.Short(frame.Seconds(seconds).Duration()) }
