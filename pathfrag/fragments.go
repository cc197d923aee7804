package pathfrag

import (
	"cmp"
	"slices"

	"github.com/paratimer/paratimer/schedule"
)

// chaining builds fragments from rounds in order of their starts.
type chaining struct {
	c         *cutting
	fragments []chain
	of        []int32 // by round: its fragment, -1 before
	// Predecessors of the current round's slots: handoffs counts the slots from each round, counted is the round
	// that the count is for, sources lists the rounds.
	handoffs []int32
	counted  []int32
	sources  []int32
}

// A chain is a fragment while rounds may follow.
type chain struct {
	width  int
	last   int32   // its last round
	closed bool    // its last round was narrower
	jobs   []int32 // in it, ascending
	group  int32   // the first round of the group that has continued it last
}

// A match is a fragment and a round that may continue it.
type match struct {
	fragment, round int32
	equal           bool
	handoffs        int32
}

// chain joins rounds to fragments (section 3.1.2; facts/paratimer.md A2, A1 rule 5). Rounds of equal start are one
// group: of the pairs of a fragment and a round that continues it those of equal width come first, then those with more
// slot handoffs. Rounds that continue none open fragments.
func (c *cutting) chain() []Fragment {
	ch := &chaining{
		c: c, of: slices.Repeat([]int32{-1}, len(c.rounds)), handoffs: make([]int32, len(c.rounds)),
		counted:   slices.Repeat([]int32{-1}, len(c.rounds)),
		fragments: make([]chain, 0, len(c.rounds)),
	}
	var matches []match
	for from := 0; from < len(c.rounds); {
		to := from + 1
		for to < len(c.rounds) && c.rounds[to].Start == c.rounds[from].Start {
			to++
		}
		matches = matches[:0]
		for r := from; r < to; r++ {
			matches = ch.candidates(matches, int32(r))
		}
		slices.SortFunc(matches, byWidth)
		for _, m := range matches {
			if f := &ch.fragments[m.fragment]; ch.of[m.round] < 0 && f.group != int32(from) {
				f.group = int32(from)
				ch.extend(m.fragment, m.round)
			}
		}
		for r := from; r < to; r++ {
			if ch.of[r] < 0 {
				ch.open(int32(r))
			}
		}
		from = to
	}
	return ch.finish()
}

// finish lists the rounds of each fragment.
func (ch *chaining) finish() []Fragment {
	fragments := make([]Fragment, len(ch.fragments))
	for r, of := range ch.of {
		f, b := &fragments[of], &ch.c.rounds[r]
		if len(f.Rounds) == 0 {
			*f = Fragment{ID: int(of), Stage: b.Stage, Pause: b.Pause, Width: b.Width, Start: b.Start, End: b.End}
		}
		f.Rounds = append(f.Rounds, r)
		f.End = max(f.End, b.End)
	}
	return fragments
}

func byWidth(a, b match) int {
	switch {
	case a.equal && !b.equal:
		return -1
	case b.equal && !a.equal:
		return 1
	}
	return cmp.Or(cmp.Compare(b.handoffs, a.handoffs), cmp.Compare(a.fragment, b.fragment),
		cmp.Compare(a.round, b.round))
}

// candidates appends the fragments that round r may continue.
func (ch *chaining) candidates(matches []match, r int32) []match {
	c := ch.c
	b := &c.rounds[r]
	ch.sources = ch.sources[:0]
	for _, i := range b.Spans {
		for _, h := range c.pred[c.predOf[i][0]:c.predOf[i][1]] {
			a := c.round[h.from]
			if a < 0 || ch.of[a] < 0 {
				continue
			}
			if ch.counted[a] != r {
				ch.counted[a], ch.handoffs[a] = r, 0
				ch.sources = append(ch.sources, a)
			}
			ch.handoffs[a] += h.n
		}
	}
	for _, a := range ch.sources {
		f := ch.of[a]
		frag := &ch.fragments[f]
		gap := b.Start - c.rounds[a].End
		switch {
		case frag.last != a, frag.closed, b.Width > frag.width:
		case gap < -c.delta1, gap > c.delta2, ch.depends(b, frag):
		default:
			matches = append(matches, match{f, r, b.Width == frag.width, ch.handoffs[a]})
		}
	}
	return matches
}

// depends reports whether a job of the round depends on a job in the fragment. Such a round waits for the output of
// that job, not for the fragment's slots (facts/paratimer.md P11).
func (ch *chaining) depends(b *Round, f *chain) bool {
	last := int32(-1)
	for _, i := range b.Spans {
		j := ch.c.spans[i].Job
		if j == last {
			continue
		}
		last = j
		if slices.ContainsFunc(f.jobs, func(a int32) bool { return ch.c.graph.DependsOn(int(j), int(a)) }) {
			return true
		}
	}
	return false
}

func (ch *chaining) extend(f, r int32) {
	frag, b := &ch.fragments[f], &ch.c.rounds[r]
	frag.last = r
	frag.closed = b.Width < frag.width
	ch.of[r] = f
	frag.add(ch.c, b)
}

func (ch *chaining) open(r int32) {
	b := &ch.c.rounds[r]
	f := chain{width: b.Width, last: r, group: -1}
	f.add(ch.c, b)
	ch.of[r] = int32(len(ch.fragments))
	ch.fragments = append(ch.fragments, f)
}

// add notes the jobs of a round.
func (f *chain) add(c *cutting, b *Round) {
	for _, i := range b.Spans {
		if at, found := slices.BinarySearch(f.jobs, c.spans[i].Job); !found {
			f.jobs = slices.Insert(f.jobs, at, c.spans[i].Job)
		}
	}
}

// maxSlot bounds the tables by slot; a higher slot counts as unknown.
const maxSlot = 1 << 22

func known(slot int32) bool { return slot >= 0 && slot < maxSlot }

// slotsOf returns the known slots of a span's tasks; a span may have fewer slots than tasks.
func slotsOf(s *schedule.Span) []int32 { return s.Slots[:min(len(s.Slots), int(s.Count))] }

// tableSize returns the highest known slot of the stage plus one.
func (c *cutting) tableSize(k int) int {
	size := int32(0)
	for _, i := range c.order[k] {
		for _, slot := range slotsOf(&c.spans[i]) {
			if known(slot) {
				size = max(size, slot+1)
			}
		}
	}
	return int(size)
}

// follow finds, for each span, the spans that used its slots immediately before, in the order of its slots
// (facts/paratimer.md A2: "a slot vacated by a task of A"; A10). Failed attempts use slots too.
func (c *cutting) follow() {
	c.pred, c.predOf = make([]handoff, 0, len(c.spans)), make([][2]int32, len(c.spans))
	place := make([]int32, len(c.spans)) // by span: the number of handoffs up to its latest one
	for k := range c.order {
		last := slices.Repeat([]int32{-1}, c.tableSize(k)) // by slot: the span that used it last
		for _, i := range c.order[k] {
			from := int32(len(c.pred))
			for _, slot := range slotsOf(&c.spans[i]) {
				if !known(slot) {
					continue
				}
				before := last[slot]
				switch last[slot] = i; {
				case before < 0 || before == i:
				case place[before] > from:
					c.pred[place[before]-1].n++
				default:
					c.pred = append(c.pred, handoff{before, 1})
					place[before] = int32(len(c.pred))
					c.overlap = c.overlap || c.spans[before].End > c.spans[i].Start
				}
			}
			c.predOf[i] = [2]int32{from, int32(len(c.pred))}
		}
	}
}
