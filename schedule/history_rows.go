package schedule

import (
	"cmp"
	"container/heap"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// rows gives each container the lowest row of its node that is free when it starts. Nodes follow each other in the
// order of the snapshot; containers of which nobody knows the node have rows of their own at the end.
func (h *history) rows() {
	slices.SortFunc(h.pieces, func(a, b piece) int {
		if c := cmp.Compare(uint32(a.node), uint32(b.node)); c != 0 { // -1 is last
			return c
		}
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.kind, b.kind), cmp.Compare(a.job, b.job),
			cmp.Compare(a.task, b.task), cmp.Compare(a.number, b.number))
	})
	for from := 0; from < len(h.pieces); {
		to := from + 1
		for to < len(h.pieces) && h.pieces[to].node == h.pieces[from].node {
			to++
		}
		n := rowsOf(h.pieces[from:to], int32(len(h.nodes)))
		for range n {
			h.nodes = append(h.nodes, h.pieces[from].node)
		}
		from = to
	}
}

// rowsOf numbers the rows of one node, whose pieces come in order of start, from a first one on, and returns how many
// it needs.
func rowsOf(pieces []piece, first int32) int32 {
	var busy busyRows
	var free freeRows
	n := int32(0)
	for i := range pieces {
		p := &pieces[i]
		for len(busy) > 0 && busy[0].until <= p.start {
			heap.Push(&free, heap.Pop(&busy).(busyRow).row)
		}
		row := n
		if len(free) > 0 {
			row = heap.Pop(&free).(int32)
		} else {
			n++
		}
		p.slot = first + row
		until := p.end
		if !until.Known() {
			until = maxInstant
		}
		heap.Push(&busy, busyRow{until, row})
	}
	return n
}

type busyRow struct {
	until dag.Instant
	row   int32
}

// busyRows are a heap by end.
type busyRows []busyRow

func (h busyRows) Len() int { return len(h) }

func (h busyRows) Less(i, j int) bool {
	return h[i].until < h[j].until || h[i].until == h[j].until && h[i].row < h[j].row
}
func (h busyRows) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *busyRows) Push(x any)   { *h = append(*h, x.(busyRow)) }
func (h *busyRows) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}

// freeRows are a heap by number.
type freeRows []int32

func (h freeRows) Len() int           { return len(h) }
func (h freeRows) Less(i, j int) bool { return h[i] < h[j] }
func (h freeRows) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *freeRows) Push(x any)        { *h = append(*h, x.(int32)) }
func (h *freeRows) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}

// joinPieces joins pieces of consecutive tasks that start and end together. It sorts them.
func joinPieces(pieces []piece) []Span {
	slices.SortFunc(pieces, func(a, b piece) int {
		if a.start != b.start {
			return cmp.Compare(a.start, b.start)
		}
		return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.job, b.job), cmp.Compare(a.number, b.number),
			cmp.Compare(a.end, b.end), cmp.Compare(a.task, b.task))
	})
	slots := make([]int32, len(pieces))
	for i := range pieces {
		slots[i] = pieces[i].slot
	}
	spans := make([]Span, 0, len(pieces)/4+8)
	for from := 0; from < len(pieces); {
		to := from + 1
		for to < len(pieces) && pieces[to].follows(&pieces[to-1]) {
			to++
		}
		p := &pieces[from]
		sp := Span{
			Job: p.job, Stage: p.kind, First: p.task, Count: int32(to - from), Attempt: p.number,
			Outcome: p.outcome, Past: p.past, Start: p.start, End: p.end,
		}
		if p.slot >= 0 {
			sp.Slots = slots[from:to:to]
		}
		spans = append(spans, sp)
		from = to
	}
	return spans
}

// follows says that a piece can be in one span with the one before it.
func (p *piece) follows(q *piece) bool {
	return p.start == q.start && p.end == q.end && p.kind == q.kind && p.job == q.job && p.number == q.number &&
		p.outcome == q.outcome && p.past == q.past &&
		p.task == q.task+1 && (p.slot > q.slot && q.slot >= 0 || p.slot < 0 && q.slot < 0)
}
