package timeline

import (
	"cmp"
	"container/heap"
	"slices"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/schedule"
)

// rows assigns to each container the lowest row of its node that is free when it starts. Nodes are in the order of
// the snapshot; containers on unknown nodes have rows of their own at the end.
func (h *history) rows() {
	slices.SortFunc(h.pieces, func(a, b piece) int {
		//nolint:gosec // -1 is last
		if c := cmp.Compare(uint32(a.node), uint32(b.node)); c != 0 {
			return c
		}
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.Stage, b.Stage), cmp.Compare(a.Job, b.Job),
			cmp.Compare(a.First, b.First), cmp.Compare(a.Attempt, b.Attempt))
	})
	var busy, free rowHeap // busy rows by their ends; free ones by their numbers
	for i := range h.pieces {
		p := &h.pieces[i]
		if i > 0 && p.node != h.pieces[i-1].node {
			busy, free = nil, nil
		}
		for len(busy) > 0 && busy[0].key <= p.Start {
			row := heap.Pop(&busy).(keyedRow).row
			heap.Push(&free, keyedRow{dag.Instant(row), row})
		}
		if len(free) > 0 {
			p.slot = heap.Pop(&free).(keyedRow).row
		} else {
			p.slot = int32(len(h.nodes)) //nolint:gosec // as many rows as pieces at most
			h.nodes = append(h.nodes, p.node)
		}
		if p.End.Known() { // else its row is never free again
			heap.Push(&busy, keyedRow{p.End, p.slot})
		}
	}
}

// A keyedRow is a row in a heap, ordered by its key.
type keyedRow struct {
	key dag.Instant
	row int32
}

type rowHeap []keyedRow

func (h rowHeap) Len() int           { return len(h) }
func (h rowHeap) Less(i, j int) bool { return h[i].key < h[j].key }
func (h rowHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *rowHeap) Push(x any)        { *h = append(*h, x.(keyedRow)) }
func (h *rowHeap) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	*h = (*h)[:last]
	return x
}

type attemptID struct {
	job          int32
	stage        dag.StageIndex
	task, number int32
}

// addFuture sets the ends of running attempts and adds the tasks to come.
func (h *history) addFuture(future *schedule.Schedule) {
	now, running := h.snap.At, make(map[attemptID]int)
	for i := range h.pieces {
		if p := &h.pieces[i]; !p.End.Known() {
			p.End = max(p.Start, now)
			running[attemptID{p.Job, p.Stage, p.First, p.Attempt}] = i
		}
	}
	rows := make(map[int32]int32) // the row here of each slot of the replay
	var coming []piece
	for _, sp := range future.Spans {
		if sp.Past || sp.Pause != dag.NoPause {
			continue
		}
		slots, first, count := sp.Slots, sp.First, sp.Count
		sp.Slots, sp.Count = nil, 0
		for c := range count {
			slot := int32(-1)
			if int(c) < len(slots) {
				slot = slots[c]
			}
			sp.First = first + c
			if r, ok := running[attemptID{sp.Job, sp.Stage, sp.First, sp.Attempt}]; ok {
				p := &h.pieces[r]
				p.End, p.Outcome = max(p.End, sp.End), sp.Outcome
				rows[slot] = p.slot
			} else if sp.End > now {
				coming = append(coming, piece{Span: sp, slot: slot, node: -1})
			}
		}
	}
	if !h.slots {
		h.slotsToRows(coming, rows)
	}
	h.pieces = append(h.pieces, coming...)
}

// slotsToRows assigns to each slot of the replay the lowest idle row on a node that is not lost, or a new row.
func (h *history) slotsToRows(coming []piece, rows map[int32]int32) {
	taken := make([]bool, len(h.nodes))
	for _, row := range rows {
		taken[row] = true
	}
	for i := range h.pieces {
		if p := &h.pieces[i]; p.End > h.snap.At {
			taken[p.slot] = true
		}
	}
	for row, node := range h.nodes {
		taken[row] = taken[row] || node >= 0 && int(node) < len(h.snap.Nodes) && h.snap.Nodes[node].Lost
	}
	slices.SortStableFunc(coming, func(a, b piece) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.slot, b.slot))
	})
	next := 0
	for i := range coming {
		p := &coming[i]
		if p.slot < 0 {
			continue
		}
		row, ok := rows[p.slot]
		if !ok {
			for next < len(taken) && taken[next] {
				next++
			}
			if row = int32(next); next == len(h.nodes) { //nolint:gosec // a row
				h.nodes = append(h.nodes, -1)
			}
			next++
			rows[p.slot] = row
		}
		p.slot = row
	}
}
