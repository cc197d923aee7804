package pathfrag

import (
	"slices"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/schedule"
)

// A fitter finds the oldest round that accepts a task: starts within delta1, ends within delta1, its slot not used.
//
// Ends fall into cells of delta1. A round accepts an interval of ends that is no wider than two of them, so it stands
// in the lists of three cells, and a task looks through one list. Cells share lists (a ring); what is in a
// list by accident does not accept the end. Tasks come in order of start, so that rounds leave in order of creation.
type fitter struct {
	c      *cutting
	kind   dag.Kind
	drafts []draft
	pieces []piece
	cells  []queue
	cell   dag.Instant // width
	nodes  []node      // of the lists
	idle   int32       // the first node that is in no list, -1
	// recent holds by slot the rounds, ascending, whose task in the slot may be over while the round still accepts. Only
	// tasks no longer than delta1 can be. Nil until there is one.
	recent [][]int32
	table  int
}

// A queue is a list of rounds, oldest first: its first and last node, -1 for none.
type queue struct{ head, tail int32 }

type node struct{ round, next int32 }

func newFitter(c *cutting, k dag.Kind, drafts []draft) *fitter {
	n := 8
	for n < len(c.order[k]) && n < 1<<14 {
		n *= 2
	}
	f := &fitter{c: c, kind: k, drafts: drafts, cells: make([]queue, n), cell: max(1, c.delta1), idle: -1, table: c.tableSize(k)}
	for i := range f.cells {
		f.cells[i] = queue{-1, -1}
	}
	return f
}

// floorDiv rounds down for negative instants too.
func floorDiv(a, b dag.Instant) dag.Instant {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// list returns a cell's list, without the rounds that accept no start at t or later.
func (f *fitter) list(cell, t dag.Instant) *queue {
	q := &f.cells[uint64(cell)&uint64(len(f.cells)-1)]
	for q.head >= 0 && !f.open(f.nodes[q.head].round, t) {
		n := q.head
		q.head = f.nodes[n].next
		f.nodes[n].next, f.idle = f.idle, n
	}
	return q
}

func (f *fitter) enqueue(q *queue, r int32) {
	n := f.idle
	if n >= 0 {
		f.idle = f.nodes[n].next
		f.nodes[n] = node{r, -1}
	} else {
		n = int32(len(f.nodes))
		f.nodes = append(f.nodes, node{r, -1})
	}
	if q.head < 0 {
		q.head = n
	} else {
		f.nodes[q.tail].next = n
	}
	q.tail = n
}

// open says whether a round accepts starts at t.
func (f *fitter) open(r int32, t dag.Instant) bool { return t-f.drafts[r].start <= f.c.delta1 }

// place puts the tasks of a span into rounds.
func (f *fitter) place(span int32) {
	sp := &f.c.spans[span]
	for n := f.list(floorDiv(sp.End, f.cell), sp.Start).head; n >= 0; n = f.nodes[n].next {
		r := f.nodes[n].round
		if !f.accepts(r, sp.End) {
			continue
		}
		switch f.fit(r, sp) {
		case sp.Count:
			f.add(r, span)
			return
		case 0:
		default:
			f.scatter(span, n)
			return
		}
	}
	f.add(f.create(sp.Start, sp.End), span)
}

// accepts says whether a round that is open accepts an end.
func (f *fitter) accepts(r int32, end dag.Instant) bool {
	d := &f.drafts[r]
	return end >= d.lastEnd-f.c.delta1 && end <= d.firstEnd+f.c.delta1
}

// fit counts the tasks of a span whose slots round r does not use. While all its tasks run, it uses none that is free.
func (f *fitter) fit(r int32, sp *schedule.Span) int32 {
	if f.recent == nil || f.drafts[r].firstEnd > sp.Start && !f.c.overlap {
		return sp.Count
	}
	n := sp.Count
	for _, slot := range slotsOf(sp) {
		if f.uses(r, slot) {
			n--
		}
	}
	return n
}

// scatter puts the tasks of a span into several rounds, as if they came one by one: a round that accepts one of them
// accepts all but those whose slots it uses. The rounds that may accept them are listed from node first on.
func (f *fitter) scatter(span, first int32) {
	sp := &f.c.spans[span]
	rest := make([]int32, sp.Count) // of tasks, counted from the first
	for i := range rest {
		rest[i] = int32(i)
	}
	put := func(r int32, tasks []int32) {
		for from := 0; from < len(tasks); {
			to := from + 1
			for to < len(tasks) && tasks[to] == tasks[to-1]+1 {
				to++
			}
			f.pieces = append(f.pieces, piece{span, tasks[from], tasks[to-1] + 1, r})
			from = to
		}
		f.count(r, sp, tasks)
	}
	for n := first; n >= 0; n = f.nodes[n].next {
		r := f.nodes[n].round
		if !f.accepts(r, sp.End) {
			continue
		}
		var fits, clash []int32
		for _, i := range rest {
			if int(i) < len(sp.Slots) && f.uses(r, sp.Slots[i]) {
				clash = append(clash, i)
			} else {
				fits = append(fits, i)
			}
		}
		if len(fits) > 0 {
			put(r, fits)
		}
		if rest = clash; len(rest) == 0 {
			return
		}
	}
	put(f.create(sp.Start, sp.End), rest)
}

// create opens a round for tasks that start and end at these instants.
func (f *fitter) create(start, end dag.Instant) int32 {
	r := int32(len(f.drafts))
	f.drafts = append(f.drafts, draft{kind: f.kind, start: start, firstEnd: end, lastEnd: end})
	for c := floorDiv(end-f.c.delta1, f.cell); c <= floorDiv(end+f.c.delta1, f.cell); c++ {
		f.enqueue(f.list(c, start), r)
	}
	return r
}

// uses says whether a task of round r has used the slot.
func (f *fitter) uses(r, slot int32) bool {
	if !known(slot) {
		return false
	}
	_, found := slices.BinarySearch(f.recent[slot], r)
	return found
}

// add puts all tasks of a span into round r.
func (f *fitter) add(r, span int32) {
	f.c.round[span] = r
	f.count(r, &f.c.spans[span], nil)
}

// count takes tasks of a span, nil for all, into the bounds of round r.
func (f *fitter) count(r int32, sp *schedule.Span, tasks []int32) {
	d := &f.drafts[r]
	d.firstEnd, d.lastEnd = min(d.firstEnd, sp.End), max(d.lastEnd, sp.End)
	d.width += sp.Count
	if tasks != nil {
		d.width += int32(len(tasks)) - sp.Count
	}
	if sp.End-sp.Start > f.c.delta1 && !f.c.overlap {
		return
	}
	if f.recent == nil {
		f.recent = make([][]int32, f.table)
	}
	if tasks == nil {
		for _, slot := range slotsOf(sp) {
			f.remember(slot, r, sp.Start)
		}
	}
	for _, i := range tasks {
		if int(i) < len(sp.Slots) {
			f.remember(sp.Slots[i], r, sp.Start)
		}
	}
}

// remember notes that round r uses the slot, and forgets rounds that no longer accept.
func (f *fitter) remember(slot, r int32, t dag.Instant) {
	if !known(slot) {
		return
	}
	rounds := f.recent[slot]
	for len(rounds) > 0 && !f.open(rounds[0], t) {
		rounds = rounds[1:]
	}
	at, found := slices.BinarySearch(rounds, r)
	if !found {
		rounds = slices.Insert(rounds, at, r)
	}
	f.recent[slot] = rounds
}
