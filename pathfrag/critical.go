package pathfrag

import (
	"cmp"
	"container/heap"
	"slices"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/schedule"
)

// walk finds the critical path (section 3.1.3; facts A3): from now on the fragment that starts earliest, among equal starts
// the one that ends last, then the one with the smaller id. What starts before the end of a segment and ends after
// it survives from there on, and competes with what starts there.
func (p *Path) walk() {
	now := p.Schedule.Now
	at := now
	byStart := make([]int, 0, len(p.Fragments))
	for i := range p.Fragments {
		if p.Fragments[i].End > now {
			byStart = append(byStart, i)
		}
	}
	slices.SortStableFunc(byStart, func(a, b int) int { return cmp.Compare(p.Fragments[a].Start, p.Fragments[b].Start) })
	started := fragmentHeap{fragments: p.Fragments}
	for next := 0; ; {
		for ; next < len(byStart) && p.Fragments[byStart[next]].Start <= at; next++ {
			heap.Push(&started, byStart[next])
		}
		if len(started.ids) > 0 {
			f := heap.Pop(&started).(int)
			if x := &p.Fragments[f]; x.End > at {
				p.Critical = append(p.Critical, Segment{Fragment: f, Extra: max(x.Start, now) < at, Start: at, End: x.End})
				at = x.End
			}
			continue
		}
		if next == len(byStart) {
			break
		}
		start := p.Fragments[byStart[next]].Start
		p.bridge(at, start)
		at = start
	}
	p.bridge(at, p.Schedule.End)
}

// bridge lengthens the path through a stretch in which nothing succeeds: by failed attempts, and for the rest by a wait.
func (p *Path) bridge(from, to dag.Instant) {
	for from < to {
		best, next := -1, to
		for i := range p.Schedule.Spans {
			sp := &p.Schedule.Spans[i]
			if sp.Outcome != schedule.Fails || sp.End <= from || sp.Start >= to {
				continue
			}
			switch {
			case sp.Start > from:
				next = min(next, sp.Start)
			case best < 0 || sp.End > p.Schedule.Spans[best].End:
				best = i
			}
		}
		if best < 0 {
			p.fill(Fragment{Kind: dag.Wave, Start: from, End: next})
			from = next
			continue
		}
		sp := &p.Schedule.Spans[best]
		p.Rounds = append(p.Rounds, Round{ID: len(p.Rounds), Kind: sp.Kind, Start: sp.Start, End: sp.End, Spans: []int{best}})
		end := min(sp.End, to)
		p.fill(Fragment{Kind: sp.Kind, Rounds: []int{len(p.Rounds) - 1}, Start: from, End: end})
		from = end
	}
}

func (p *Path) fill(f Fragment) {
	f.ID = len(p.Fragments)
	p.Fragments = append(p.Fragments, f)
	p.Critical = append(p.Critical, Segment{Fragment: f.ID, Start: f.Start, End: f.End})
}

// A fragmentHeap has the fragment that ends last at its top, of several the one with the smallest id.
type fragmentHeap struct {
	ids       []int
	fragments []Fragment
}

func (h *fragmentHeap) Len() int { return len(h.ids) }
func (h *fragmentHeap) Less(i, j int) bool {
	a, b := h.ids[i], h.ids[j]
	if h.fragments[a].End != h.fragments[b].End {
		return h.fragments[a].End > h.fragments[b].End
	}
	return a < b
}
func (h *fragmentHeap) Swap(i, j int) { h.ids[i], h.ids[j] = h.ids[j], h.ids[i] }
func (h *fragmentHeap) Push(x any)    { h.ids = append(h.ids, x.(int)) }
func (h *fragmentHeap) Pop() any {
	last := len(h.ids) - 1
	x := h.ids[last]
	h.ids = h.ids[:last]
	return x
}
