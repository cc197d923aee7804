package pathfrag

import (
	"cmp"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// chaining builds fragments from rounds in order of their starts.
type chaining struct {
	c         *cutting
	fragments []Fragment
	closed    []bool    // by fragment: a narrower round was its last
	jobs      [][]int32 // by fragment: the jobs in it
	of        []int32   // by round: its fragment, -1 before
	// Of the rounds that a round's slots come from: how many slots, for which round that holds, and which they are.
	handoffs []int32
	counted  []int32
	sources  []int32
}

// A match is a fragment and a round that may continue it.
type match struct {
	fragment, round int32
	equal           bool
	handoffs        int32
}

// chain joins rounds to fragments (section 3.1.2; facts A2, A1 rule 5). Rounds of equal start are one group: of the pairs of a
// fragment and a round that continues it those of equal width come first, then those with more slot handoffs.
// Rounds that continue none open fragments.
func (c *cutting) chain() []Fragment {
	ch := &chaining{
		c: c, of: make([]int32, len(c.rounds)), handoffs: make([]int32, len(c.rounds)), counted: make([]int32, len(c.rounds)),
	}
	for i := range ch.of {
		ch.of[i], ch.counted[i] = -1, -1
	}
	var matches []match
	taken := make(map[int32]bool)
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
		clear(taken)
		for _, m := range matches {
			if ch.of[m.round] < 0 && !taken[m.fragment] {
				taken[m.fragment] = true
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
	return ch.fragments
}

func byWidth(a, b match) int {
	if a.equal != b.equal {
		if a.equal {
			return -1
		}
		return 1
	}
	return cmp.Or(cmp.Compare(b.handoffs, a.handoffs), cmp.Compare(a.fragment, b.fragment), cmp.Compare(a.round, b.round))
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
		case frag.Rounds[len(frag.Rounds)-1] != int(a), ch.closed[f], b.Width > frag.Width:
		case gap < -c.delta1, gap > c.delta2, ch.depends(b, f):
		default:
			matches = append(matches, match{f, r, b.Width == frag.Width, ch.handoffs[a]})
		}
	}
	return matches
}

// depends says whether a job of the round depends on a job in the fragment. Such a round waits for the query's data, not
// for the fragment's slots (facts P11).
func (ch *chaining) depends(b *Round, f int32) bool {
	last := int32(-1)
	for _, i := range b.Spans {
		j := ch.c.spans[i].Job
		if j == last {
			continue
		}
		last = j
		for _, a := range ch.jobs[f] {
			if ch.c.graph.DependsOn(int(j), int(a)) {
				return true
			}
		}
	}
	return false
}

func (ch *chaining) extend(f, r int32) {
	frag, b := &ch.fragments[f], &ch.c.rounds[r]
	frag.Rounds = append(frag.Rounds, int(r))
	frag.End = max(frag.End, b.End)
	ch.closed[f] = b.Width < frag.Width
	ch.of[r] = f
	ch.count(f, b)
}

func (ch *chaining) open(r int32) {
	b, f := &ch.c.rounds[r], int32(len(ch.fragments))
	ch.fragments = append(ch.fragments, Fragment{
		ID: int(f), Kind: b.Kind, Width: b.Width, Rounds: []int{int(r)}, Start: b.Start, End: b.End,
	})
	ch.closed = append(ch.closed, b.Kind > dag.Reduce)
	ch.jobs = append(ch.jobs, nil)
	ch.of[r] = f
	ch.count(f, b)
}

// count adds the jobs of a round to a fragment's.
func (ch *chaining) count(f int32, b *Round) {
	for _, i := range b.Spans {
		j := ch.c.spans[i].Job
		at, found := slices.BinarySearch(ch.jobs[f], j)
		if !found {
			ch.jobs[f] = slices.Insert(ch.jobs[f], at, j)
		}
	}
}
