package pathfrag

import (
	"cmp"
	"slices"

	"github.com/paratimer/paratimer/dag"
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
	length int32   // in rounds
	closed bool    // its last round was narrower
	job    int32   // a job in it
	jobs   []int32 // all jobs in it, ascending, if there are several
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
	ids := make([]int, len(ch.of))
	for i := range fragments {
		n := ch.fragments[i].length
		fragments[i].ID, fragments[i].Rounds, ids = i, ids[:0:n], ids[n:]
	}
	for r, of := range ch.of {
		f, b := &fragments[of], &ch.c.rounds[r]
		if len(f.Rounds) == 0 {
			f.Stage, f.Pause, f.Width, f.Start, f.End = b.Stage, b.Pause, b.Width, b.Start, b.End
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
		for _, h := range c.pred[c.predOf[i] : c.predOf[i]+c.predN[i]] {
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
		if ch.c.graph.DependsOn(int(j), int(f.job)) {
			return true
		}
		for _, a := range f.jobs {
			if ch.c.graph.DependsOn(int(j), int(a)) {
				return true
			}
		}
	}
	return false
}

func (ch *chaining) extend(f, r int32) {
	frag, b := &ch.fragments[f], &ch.c.rounds[r]
	frag.last = r
	frag.length++
	frag.closed = b.Width < frag.width
	ch.of[r] = f
	frag.add(ch.c, b)
}

func (ch *chaining) open(r int32) {
	b := &ch.c.rounds[r]
	f := chain{width: b.Width, last: r, length: 1, job: ch.c.spans[b.Spans[0]].Job, group: -1}
	f.add(ch.c, b)
	ch.of[r] = int32(len(ch.fragments))
	ch.fragments = append(ch.fragments, f)
}

// add notes the jobs of a round.
func (f *chain) add(c *cutting, b *Round) {
	for _, i := range b.Spans {
		j := c.spans[i].Job
		if j == f.job {
			continue
		}
		if f.jobs == nil {
			f.jobs = []int32{f.job}
		}
		at, found := slices.BinarySearch(f.jobs, j)
		if !found {
			f.jobs = slices.Insert(f.jobs, at, j)
		}
	}
}

// maxSlot bounds the tables by slot; a higher slot counts as unknown.
const maxSlot = 1 << 22

func known(slot int32) bool { return slot >= 0 && slot < maxSlot }

// slotsOf returns the known slots of a span's tasks; a span may have fewer slots than tasks.
func slotsOf(s *schedule.Span) []int32 { return s.Slots[:min(len(s.Slots), int(s.Count))] }

// tableSize returns the highest known slot of the stage plus one.
func (c *cutting) tableSize(k dag.StageIndex) int {
	size := int32(0)
	for _, i := range c.order[k] {
		slots := slotsOf(&c.spans[i])
		for at := len(slots) - 1; at >= 0; at-- {
			if known(slots[at]) {
				size = max(size, slots[at]+1)
				break
			}
		}
	}
	return int(size)
}

// follow finds, for each span, the spans that used its slots immediately before (facts/paratimer.md A2: "a
// slot vacated by a task of A"; A10). Failed attempts use slots too.
func (c *cutting) follow() {
	c.pred = make([]handoff, 0, len(c.spans))
	c.predOf = make([]int32, len(c.spans))
	c.predN = make([]int32, len(c.spans))
	for k := range c.order {
		l := &lanes{block: slices.Repeat([]int32{-1}, c.tableSize(dag.StageIndex(k)))} //nolint:gosec // an index
		for _, i := range c.order[k] {
			from := len(c.pred)
			c.pred = l.take(c.pred, &c.spans[i], i)
			c.predOf[i], c.predN[i] = int32(from), int32(len(c.pred)-from)
			for _, h := range c.pred[from:] {
				c.overlap = c.overlap || c.spans[h.from].End > c.spans[i].Start
			}
		}
	}
}

// lanes track the last user of each slot. Slots that pass from span to span together are one block, so a round of a
// uniform stage, which passes on the very slice, costs one step whatever its width.
type lanes struct {
	block  []int32 // by slot: its block, -1 before its first task
	blocks []block
	idle   []int32 // blocks without slots, to be used again
}

type block struct {
	last  int32   // the span that used the slots last
	live  int     // number of slots still in the block
	slots []int32 // of span last
	n     int32   // while a span is taken: number of its slots from this block
}

// take assigns the slots to the span and appends their previous users to pred, in order of first slot.
func (l *lanes) take(pred []handoff, s *schedule.Span, id int32) []handoff {
	slots := slotsOf(s)
	if len(slots) == 0 {
		return pred
	}
	if first := slots[0]; known(first) && l.block[first] >= 0 {
		if b := &l.blocks[l.block[first]]; b.is(slots) {
			pred = append(pred, handoff{b.last, int32(len(slots))})
			b.last = id
			return pred
		}
	}
	own := l.open(block{last: id, slots: slots})
	var touched []int32
	for _, slot := range slots {
		if !known(slot) {
			continue
		}
		if b := l.block[slot]; b >= 0 && b != own {
			if l.blocks[b].n == 0 {
				touched = append(touched, b)
			}
			l.blocks[b].n++
			l.blocks[b].live--
		}
		l.block[slot] = own
		l.blocks[own].live++
	}
	for _, b := range touched {
		x := &l.blocks[b]
		pred = append(pred, handoff{x.last, x.n})
		if x.n = 0; x.live == 0 {
			l.idle = append(l.idle, b)
		}
	}
	return pred
}

func (l *lanes) open(b block) int32 {
	if n := len(l.idle); n > 0 {
		i := l.idle[n-1]
		l.idle = l.idle[:n-1]
		l.blocks[i] = b
		return i
	}
	l.blocks = append(l.blocks, b)
	return int32(len(l.blocks) - 1)
}

// is reports whether the block consists of exactly these slots.
func (b *block) is(slots []int32) bool {
	return b.live == len(slots) && len(b.slots) == len(slots) && (len(slots) == 1 && b.slots[0] == slots[0] ||
		&b.slots[0] == &slots[0])
}
