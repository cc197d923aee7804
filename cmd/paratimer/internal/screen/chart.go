package screen

import (
	"math"
	"slices"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

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
	parts := len(l.g.line)
	for c, total := range all {
		if !math.IsNaN(total) {
			at := min(int((hi-total)/(hi-lo)*float64(rows*parts)), rows*parts-1) // in parts of a cell, from the top
			tracks[at/parts].put(c, c, l.g.line[at%parts], strong)
		}
	}
	room := l.left() - 1 - marks
	out := make([]string, rows)
	for r, t := range tracks {
		words, value := "", ""
		switch r {
		case 0:
			words, value = "predicted", short(hi)
		case 1:
			words = "length"
		case rows - 1:
			value = short(lo)
		}
		// If both do not fit beside each other, the words go.
		if cells(words)+1+cells(value) > room {
			words = ""
		}
		out[r] = l.before(text(dim, words)+right(text(dim, value), room-cells(words))) + t.String()
	}
	return out
}

func short(seconds float64) string { return units.Short(frame.Seconds(seconds).Duration()) }
