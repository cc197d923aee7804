package pathfrag

import (
	"slices"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/schedule"
)

// A fitter finds the oldest round that accepts a task: the starts within delta1, the ends within delta1, the slot
// unused.
//
// Ends fall into cells of delta1. A round accepts an interval of ends that is at most two cells wide, so it is in
// the lists of three cells, and a task reads one list. Cells share lists (a ring); rounds of another cell in the
// list do not accept the end. Tasks come in order of start, so rounds close in order of creation. If tasks are much
// shorter than delta1, a slot runs many of them while rounds are open. The rounds that a slot has used are stored
// as runs, which are skipped in one step.
type fitter struct {
	c      *cutting
	stage  dag.StageIndex
	drafts []draft
	pieces []piece
	cells  []roundList
	cell   dag.Instant // width
	// used contains, by slot, the rounds with a task in the slot that may have ended while the round still accepts
	// tasks. Only tasks no longer than delta1 can do this. Nil until there is one.
	used  []rounds
	table int
}

func newFitter(c *cutting, k dag.StageIndex, drafts []draft) *fitter {
	n := 8
	for n < len(c.order[k]) && n < 1<<14 {
		n *= 2
	}
	return &fitter{
		c: c, stage: k, drafts: drafts, cells: make([]roundList, n), cell: max(1, c.delta1),
		table: c.tableSize(int(k)),
	}
}

// floorDiv rounds down, for negative instants too.
func floorDiv(a, b dag.Instant) dag.Instant {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// list returns a cell's list, without the rounds that accept no start at t or later.
func (f *fitter) list(cell, t dag.Instant) *roundList {
	l := &f.cells[uint64(cell)&uint64(len(f.cells)-1)]
	for l.head < len(l.ids) && !f.open(l.ids[l.head], t) {
		l.head++
	}
	return l
}

// open reports whether a round accepts starts at t.
func (f *fitter) open(r int32, t dag.Instant) bool { return t-f.drafts[r].start <= f.c.delta1 }

// accepts reports whether an open round accepts an end.
func (f *fitter) accepts(r int32, end dag.Instant) bool {
	d := &f.drafts[r]
	return end >= d.lastEnd-f.c.delta1 && end <= d.firstEnd+f.c.delta1
}

// place puts the tasks of a span into rounds.
func (f *fitter) place(span int32) {
	sp := &f.c.spans[span]
	l := f.list(floorDiv(sp.End, f.cell), sp.Start)
	for at := l.head; at < len(l.ids); {
		r := l.ids[at]
		at++
		if !f.accepts(r, sp.End) {
			continue
		}
		switch n, next := f.fit(r, sp); n {
		case sp.Count:
			f.add(r, span)
			return
		case 0:
			at = l.from(at, next)
		default:
			f.scatter(span, l.ids[at-1:])
			return
		}
	}
	f.add(f.create(sp.Start, sp.End), span)
}

// fit counts the tasks of a span with slots that round r does not use. While all its tasks run, it uses no free
// slot. If the count is 0, next is the first round after r that at least one of the slots has not used.
func (f *fitter) fit(r int32, sp *schedule.Span) (n, next int32) {
	if f.used == nil || f.drafts[r].firstEnd > sp.Start && !f.c.overlap {
		return sp.Count, 0
	}
	n, next = sp.Count, int32(len(f.drafts))
	for i := range sp.Count {
		if to := f.passed(r, sp, i); to > r {
			n--
			next = min(next, to)
		}
	}
	return n, next
}

// scatter puts the tasks of a span into several rounds, as if they came one by one. A round that accepts one of
// them accepts all except those with a slot that it uses. rounds are the candidates, oldest first.
func (f *fitter) scatter(span int32, rounds []int32) {
	sp := &f.c.spans[span]
	rest := make([]int32, sp.Count) // offsets of the remaining tasks in the span
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
	next := int32(0) // the first round that at least one of the slots of rest has not used
	for _, r := range rounds {
		if r < next || !f.accepts(r, sp.End) {
			continue
		}
		next = int32(len(f.drafts))
		var fits, clash []int32
		for _, i := range rest {
			if to := f.passed(r, sp, i); to > r {
				clash, next = append(clash, i), min(next, to)
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
	f.drafts = append(f.drafts, draft{stage: f.stage, start: start, firstEnd: end, lastEnd: end})
	for c := floorDiv(end-f.c.delta1, f.cell); c <= floorDiv(end+f.c.delta1, f.cell); c++ {
		f.list(c, start).add(r)
	}
	return r
}

// passed returns the first round from r on that does not use the slot of task i of a span.
func (f *fitter) passed(r int32, sp *schedule.Span, i int32) int32 {
	if int(i) >= len(sp.Slots) || !known(sp.Slots[i]) {
		return r
	}
	used := f.used[sp.Slots[i]]
	if run, found := used.find(r); found {
		return used[run].to
	}
	return r
}

// add puts all tasks of a span into round r.
func (f *fitter) add(r, span int32) {
	f.c.round[span] = r
	f.count(r, &f.c.spans[span], nil)
}

// count adds tasks of a span, nil for all, to the bounds of round r.
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
	if f.used == nil {
		f.used = make([]rounds, f.table)
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

// remember records that round r uses the slot, and drops runs of rounds that are closed.
func (f *fitter) remember(slot, r int32, t dag.Instant) {
	if !known(slot) {
		return
	}
	old := 0
	for old < len(f.used[slot]) && !f.open(f.used[slot][old].to-1, t) {
		old++
	}
	f.used[slot] = slices.Delete(f.used[slot], 0, old)
	f.used[slot].add(r)
}
