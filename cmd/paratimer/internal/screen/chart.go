package screen

import (
	"math"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// chartRows is the height of the chart on a screen with room for it.
const chartRows = 4

// tallest bounds the chart's height for a range, as a multiple of the largest total.
const tallest = 1.3

// A bucket is the predictions of a column of the lanes, in seconds: the newest total, and the range of all of them.
type bucket struct{ total, low, high float64 } // NaN: unknown

var unknown = bucket{math.NaN(), math.NaN(), math.NaN()}

// predictionOf returns a frame's prediction of the total length, and its 80 % range. A query that has succeeded is as
// long as it was.
func predictionOf(f *frame.Frame) bucket {
	at, h := float64(*f.ElapsedSeconds), &f.Headline
	switch {
	case f.Workflow.State == dag.Succeeded:
		return bucket{at, math.NaN(), math.NaN()}
	case f.Workflow.State.Ended():
		return unknown
	}
	return bucket{
		at + known(h.RemainingSeconds, math.NaN()), at + known(h.LowSeconds, math.NaN()),
		at + known(h.HighSeconds, math.NaN()),
	}
}

// buckets sorts the predictions up to the frame into the columns of the lanes. One is valid until the next one.
func (l *lanes) buckets() []bucket {
	out := make([]bucket, l.cols)
	for i := range out {
		out[i] = unknown
	}
	last := -1
	for f := range l.past() {
		c := l.col(*f.ElapsedSeconds)
		for i := last + 1; last >= 0 && i < c; i++ {
			out[i] = out[last]
		}
		b, is := &out[c], predictionOf(f)
		if !math.IsNaN(is.total) {
			b.total = is.total
		}
		b.low, b.high = low(b.low, is.low), high(b.high, is.high)
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
func high(a, b float64) float64 { return -low(-a, -b) }

// extent returns the values at the chart's lower and upper edge: all totals, and the newest range up to a limit. NaN:
// there is no total.
func extent(all []bucket) (lo, hi float64) {
	lo, hi = math.NaN(), math.NaN()
	newest := unknown
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
func (l *lanes) chart(rows int) []string {
	all := l.buckets()
	lo, hi := extent(all)
	if rows < 1 || !(hi > lo) {
		return nil
	}
	out := make([]string, rows)
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
		// If both do not fit beside each other, the words go.
		room := l.left() - 1 - marks
		if cells(words)+1+cells(value) > room {
			words = ""
		}
		out[r] = l.before(text(dim, words)+right(text(dim, value), room-cells(words))) + t.String()
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
			*c = cell{string(l.g.line[at%parts]), strong}
			return
		}
	}
	if mid := hi - (float64(row)+0.5)*height; b.low <= mid && mid <= b.high {
		*c = cell{string(l.g.band), dim}
	}
}

func short(seconds float64) string { return units.Short(frame.Seconds(seconds).Duration()) }
