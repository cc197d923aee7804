package runreport

import (
	"cmp"
	"math"
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

// thin keeps at most `most` points: the first and the last, half of the others where the prediction moved most, and
// the rest evenly over time.
func thin(all []Point, most int) []Point {
	if len(all) <= most {
		return all
	}
	last := len(all) - 1
	keep := make([]bool, len(all))
	keep[0], keep[last] = true, true
	var moved []int
	for i := 1; i < last; i++ {
		if move(&all[i]) > 0 {
			moved = append(moved, i)
		}
	}
	slices.SortStableFunc(moved, func(a, b int) int {
		return cmp.Compare(move(&all[b]), move(&all[a]))
	})
	for _, i := range moved[:min(len(moved), (most-2)/2)] {
		keep[i] = true
	}
	stretches := most - 2 - min(len(moved), (most-2)/2)
	from, length := all[0].AtSeconds, max(all[last].AtSeconds-all[0].AtSeconds, 0.001)
	filled := -1
	for i := 1; i < last; i++ {
		if at := int(float64(all[i].AtSeconds-from) / float64(length) * float64(stretches)); at > filled && !keep[i] &&
			at < stretches {
			keep[i], filled = true, at
		}
	}
	out := make([]Point, 0, most)
	for i := range all {
		if keep[i] {
			out = append(out, all[i])
		}
	}
	return out
}

// move returns by how much the predicted end moved at a point, in seconds.
func move(m *Point) (sum float64) {
	for _, c := range m.Changes {
		sum += math.Abs(float64(c.DeltaSeconds))
	}
	return sum
}
