package runreport

import (
	"slices"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
)

// A memory is the bounded record of a watch of any length.
type memory struct {
	points []Point
	ticks  []tick
	stride int // one of stride ticks is kept
	shown  int
	moves  []Move
	// replans counts the moves that are not in moves.
	replans frame.Replans
}

// mostTicks bounds the ticks that are scored. Beyond it, every second one is dropped.
const mostTicks = 1 << 16

// take records a frame.
func (m *memory) take(f *frame.Frame) {
	point, ok := pointOf(f)
	if !ok {
		return
	}
	if n := len(m.points); n > 0 && point.AtSeconds < m.points[n-1].AtSeconds {
		// The end was observed late: drop the predictions made after it.
		m.points = slices.DeleteFunc(m.points, func(o Point) bool { return o.AtSeconds > point.AtSeconds })
	}
	if m.points = append(m.points, point); len(m.points) >= 2*MostPoints {
		m.points = thin(m.points, MostPoints)
	}
	if f.StaleSeconds > 0 || f.Workflow.State.Ended() {
		return
	}
	for _, move := range f.Moves {
		m.moves = append(m.moves, Move{*f.ElapsedSeconds, move})
	}
	m.moves, m.replans = m.moves[max(0, len(m.moves)-mostMoves):], f.Replans
	m.stride = max(m.stride, 1)
	if m.shown++; m.shown%m.stride != 0 {
		return
	}
	if m.ticks = append(m.ticks, tickOf(f)); len(m.ticks) >= mostTicks {
		for i := range len(m.ticks) / 2 {
			m.ticks[i] = m.ticks[2*i+1]
		}
		m.ticks, m.stride = m.ticks[:len(m.ticks)/2], 2*m.stride
	}
}

// thin keeps at most `most` points, evenly over time, the first and the last included.
func thin(all []Point, most int) []Point {
	if len(all) <= most {
		return all
	}
	last := all[len(all)-1]
	step := max((last.AtSeconds-all[0].AtSeconds)/frame.Seconds(most-2), 0.001)
	out := []Point{all[0]}
	for _, p := range all[1 : len(all)-1] {
		if p.AtSeconds >= out[len(out)-1].AtSeconds+step {
			out = append(out, p)
		}
	}
	return append(out, last)
}
