package past

import (
	"cmp"
	"container/heap"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// giveSlots gives each attempt the first slot that is free at its start. Which one it really had is not told.
func giveSlots(jobs []*Job) {
	for k := range 2 {
		var all []*Attempt
		for _, j := range jobs {
			for i := range j.Attempts[k] {
				a := &j.Attempts[k][i]
				if a.slot = -1; a.Start.Known() {
					all = append(all, a)
				}
			}
		}
		slices.SortStableFunc(all, func(a, b *Attempt) int { return cmp.Compare(a.Start, b.Start) })
		var busy, free slotHeap
		for _, a := range all {
			for len(busy) > 0 && busy[0].until <= a.Start {
				s := heap.Pop(&busy).(slot)
				heap.Push(&free, slot{0, s.index})
			}
			s := slot{index: int32(len(busy))} // as many are taken: the next has this number
			if len(free) > 0 {
				s = heap.Pop(&free).(slot)
			}
			a.slot = s.index
			if s.until = a.End; !a.End.Known() {
				s.until = a.Start
			}
			heap.Push(&busy, s)
		}
	}
}

type slot struct {
	until dag.Instant
	index int32
}

type slotHeap []slot

func (h slotHeap) Len() int { return len(h) }
func (h slotHeap) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(h[i].until, h[j].until), cmp.Compare(h[i].index, h[j].index)) < 0
}
func (h slotHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *slotHeap) Push(x any)   { *h = append(*h, x.(slot)) }
func (h *slotHeap) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	*h = (*h)[:last]
	return x
}
