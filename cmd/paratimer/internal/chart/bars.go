package chart

import (
	"cmp"
	"math"
	"slices"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/schedule"
)

// A Bar is one rectangle: tasks of a span in neighboring rows. Hue is a color, or another property that a reader
// can distinguish.
type Bar[H comparable] struct {
	Hue    H
	Span   int // the first, if several spans are drawn as one bar
	Merged int // the number of other bars merged into it
	Tasks  int
	First  int32 // the first task of the span in the bar
	Row    int
	To     int // rows Row to To-1
	Start  dag.Instant
	End    dag.Instant
}

// A Panel has tasks that compete for the same slots. They are drawn together, one row per slot.
type Panel[H comparable] struct {
	Title string
	Slots int
	Bars  []Bar[H]
}

// Panels lays out the spans of a schedule: one panel for map slots and one for reduce slots, or one for the pool of
// containers or cores. Panels without tasks are left out.
func Panels[H comparable](p dag.Policy, spans []schedule.Span, hue func(i int, s *schedule.Span) H) []Panel[H] {
	all := []Panel[H]{{Title: "map slots"}, {Title: "reduce slots"}}
	switch p {
	case dag.YARN:
		all = []Panel[H]{{Title: "containers"}}
	case dag.Executors:
		all = []Panel[H]{{Title: "cores"}}
	}
	for i := range spans {
		s := &spans[i]
		if s.Pause != dag.NoPause {
			continue
		}
		panel := &all[min(int(s.Stage), len(all)-1)]
		panel.Bars = appendBars(panel.Bars, i, s, hue(i, s))
	}
	for i := range all {
		for _, b := range all[i].Bars {
			all[i].Slots = max(all[i].Slots, b.To)
		}
	}
	return slices.DeleteFunc(all, func(p Panel[H]) bool { return p.Slots == 0 })
}

// appendBars splits span number i into runs of neighboring slots. Tasks with unknown slots are left out.
func appendBars[H comparable](bars []Bar[H], i int, s *schedule.Span, hue H) []Bar[H] {
	for from := 0; from < len(s.Slots); {
		to := from + 1
		for to < len(s.Slots) && s.Slots[to] == s.Slots[to-1]+1 {
			to++
		}
		if s.Slots[from] >= 0 {
			bars = append(bars, Bar[H]{
				Hue: hue, Span: i, Tasks: to - from, First: s.First + int32(from), Row: int(s.Slots[from]),
				To:    int(s.Slots[to-1]) + 1,
				Start: s.Start, End: s.End,
			})
		}
		from = to
	}
	return bars
}

// Merge maps bars to fewer rows, and joins bars of a hue that follow each other in a row with a gap of at most
// near.
func Merge[H comparable](bars []Bar[H], rows, fewer int, near dag.Instant) []Bar[H] {
	per := float64(rows) / float64(fewer)
	cells := slices.Clone(bars)
	for i := range cells {
		b := &cells[i]
		from, to := int(float64(b.Row)/per), int(math.Ceil(float64(b.To)/per))
		b.Row, b.To = min(from, fewer-1), min(max(to, from+1), fewer)
	}
	slices.SortFunc(cells, func(a, b Bar[H]) int {
		if a.Row != b.Row {
			return cmp.Compare(a.Row, b.Row)
		}
		return cmp.Or(cmp.Compare(a.To, b.To), cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End),
			cmp.Compare(a.Span, b.Span), cmp.Compare(a.First, b.First))
	})
	var out []Bar[H]
	open := make(map[H]int) // index of the last bar of each hue in the row
	for _, b := range cells {
		if n := len(out); n > 0 && (out[n-1].Row != b.Row || out[n-1].To != b.To) {
			clear(open)
		}
		if i, ok := open[b.Hue]; ok && b.Start <= out[i].End+near {
			out[i].End = max(out[i].End, b.End)
			out[i].Merged += 1 + b.Merged
			out[i].Tasks += b.Tasks
			continue
		}
		open[b.Hue] = len(out)
		out = append(out, b)
	}
	return out
}

// Fit merges bars until at most most are left. It returns them with the new number of rows. The chart is width wide
// for the time length, and height high. Bars closer than a gap are merged; the gap starts at half a unit and
// doubles.
func Fit[H comparable](bars []Bar[H], rows, most int, length dag.Instant, width, height float64) ([]Bar[H], int) {
	for gap := 0.5; len(bars) > most && gap < width; gap *= 2 {
		fewer := min(rows, int(height/gap)+1)
		near := dag.Instant(float64(length) / width * gap)
		bars, rows = Merge(bars, rows, fewer, near), fewer
	}
	return bars, rows
}
