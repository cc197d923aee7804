package estimators

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// handOut returns when the last task ends, if pending tasks go to the first free slot in the order given.
func handOut(running, pending []float64, c int) float64 {
	free := make([]float64, c)
	copy(free, running)
	for _, ms := range pending {
		first := 0
		for i := range free {
			if free[i] < free[first] {
				first = i
			}
		}
		free[first] += ms
	}
	return slices.Max(free)
}

// Whatever the order in which pending tasks are handed out, one phase on slots of its own ends within the bounds
// (Algorithm 1, facts/paratimer.md A8).
func TestAlgorithm1BoundsEveryOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 1500 {
		c := 1 + r.IntN(6)
		var running, pending []float64
		var p StageLeft
		// A slot is idle only if nothing is pending.
		busy := c
		if r.IntN(2) == 0 {
			busy = 0
		}
		for range busy {
			ms := 1000 * r.Float64()
			running = append(running, ms)
			p.stretches = append(p.stretches, stretch{TaskGroup: TaskGroup{Count: 1, Running: true, Rem: ms}})
			p.Running++
		}
		for range r.IntN(20) {
			ms := 1000 * r.Float64() * r.Float64()
			count := 1 + r.IntN(3)
			p.stretches = append(p.stretches, stretch{TaskGroup: TaskGroup{Count: count, Rem: ms}})
			p.Pending += count
			for range count {
				pending = append(pending, ms)
			}
		}
		b := algorithm1(&p, c)
		for range 20 {
			r.Shuffle(len(pending), func(i, j int) { pending[i], pending[j] = pending[j], pending[i] })
			end := handOut(running, pending, c)
			const eps = 1e-6
			if end < b.printed-eps || end > b.high+eps || end < b.low-eps {
				t.Fatalf("case %d: ends at %v, bounds %+v (running %v, pending %v, %d slots)", n, end, b, running, pending, c)
			}
		}
		if b.low < b.printed {
			t.Fatalf("case %d: the tighter bound is lower: %+v", n, b)
		}
	}
}
