package schedule

import (
	"cmp"
	"slices"
)

// rows assigns to each container the lowest row of its node that is free when it starts. Nodes are in the order of
// the snapshot; containers on unknown nodes have rows of their own at the end.
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

// rowsOf numbers the rows of one node, from first on. Its pieces must be in order of start. It returns the number
// of rows.
func rowsOf(pieces []piece, first int32) int32 {
	busy, free := newEndQueue(pieces[0].start), slotSet{}
	for i := range pieces {
		p := &pieces[i]
		for busy.n > 0 && busy.first() <= p.start {
			row := busy.pop().row
			free.release(free.all[row : row+1 : row+1])
		}
		var row int32
		if free.n > 0 {
			row = free.take(1)[0]
		} else {
			row = free.add()
		}
		p.slot = first + row
		until := p.end
		if !until.Known() {
			until = maxInstant
		}
		busy.push(end{at: until, row: row})
	}
	return int32(len(free.all)) //nolint:gosec // as many rows as pieces at most
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

// follows reports whether a piece can be in one span with the piece before it.
func (p *piece) follows(q *piece) bool {
	return p.start == q.start && p.end == q.end && p.kind == q.kind && p.job == q.job && p.number == q.number &&
		p.outcome == q.outcome && p.past == q.past &&
		p.task == q.task+1 && (p.slot > q.slot && q.slot >= 0 || p.slot < 0 && q.slot < 0)
}
