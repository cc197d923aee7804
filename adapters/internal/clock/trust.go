package clock

import (
	"cmp"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// setBack is the cost of assuming that the clock was set back permanently, in weights of entries. It is more than the
// cost of assuming that three entries are wrong.
const setBack = 8

// A chain is the heaviest set of entries with ordered times. Where the clock was set back permanently, the chain
// continues with an earlier time.
type chain struct {
	entries []int
	back    []bool // for each entry: the clock was set back before it
}

// longest finds the chain.
func (c *clock) longest() chain {
	weights := c.weights()
	times := make([]dag.Instant, len(c.known))
	for k, i := range c.known {
		times[k] = c.stamps[i].At
	}
	slices.Sort(times)
	times = slices.Compact(times)
	best, top := newHeaviest(len(times)), -1
	sums, before, back := make([]int, len(c.stamps)), make([]int, len(c.stamps)), make([]bool, len(c.stamps))
	for _, i := range c.known {
		n, _ := slices.BinarySearch(times, c.stamps[i].At)
		before[i] = best.upTo(n)
		with := 0
		if before[i] >= 0 {
			with = sums[before[i]]
		}
		if top >= 0 && sums[top]-setBack > with {
			before[i], back[i], with = top, true, sums[top]-setBack
		}
		sums[i] = with + weights[i]
		best.add(n, i, sums)
		if top < 0 || sums[i] > sums[top] || sums[i] == sums[top] && c.stamps[i].At < c.stamps[top].At {
			top = i
		}
	}
	var out chain
	for i := top; i >= 0; i = before[i] {
		out.entries, out.back = append(out.entries, i), append(out.back, back[i])
	}
	slices.Reverse(out.entries)
	slices.Reverse(out.back)
	return c.extended(out)
}

// extended adds the entries before and after a chain if these are in order. The clock was set back there as well.
func (c *clock) extended(all chain) chain {
	ordered := func(entries []int) bool {
		for n := 1; n < len(entries); n++ {
			if c.stamps[entries[n]].At < c.stamps[entries[n-1]].At-tolerance {
				return false
			}
		}
		return len(entries) > 0
	}
	first, _ := slices.BinarySearch(c.known, all.entries[0])
	last, _ := slices.BinarySearch(c.known, all.entries[len(all.entries)-1])
	if before := c.known[:first]; ordered(before) {
		all.back[0] = c.stamps[before[first-1]].At > c.stamps[all.entries[0]].At+tolerance
		all.entries = slices.Concat(before, all.entries)
		all.back = slices.Concat(make([]bool, first), all.back)
	}
	if after := c.known[last+1:]; ordered(after) {
		back := make([]bool, len(after))
		back[0] = c.stamps[after[0]].At < c.stamps[all.entries[len(all.entries)-1]].At-tolerance
		all.entries, all.back = slices.Concat(all.entries, after), slices.Concat(all.back, back)
	}
	return all
}

// weights returns the weights of entries. An entry weighs more if its time agrees with a task's working time, or with
// the entry that it is tied to.
func (c *clock) weights() []int {
	out := make([]int, len(c.stamps))
	before := -1
	for _, i := range c.known {
		s := &c.stamps[i]
		out[i] += 2
		if s.Began >= 0 && s.Took >= 0 && c.stamps[s.Began].At.Known() {
			if over := s.At.Sub(c.stamps[s.Began].At) - s.Took; max(over, -over) <= Tolerance {
				out[i], out[s.Began] = out[i]+1, out[s.Began]+1
			}
		}
		if s.Tied && before >= 0 {
			if late := s.At.Sub(c.stamps[before].At); late >= 0 && late <= Tolerance/10 {
				out[i], out[before] = out[i]+1, out[before]+1
			}
		}
		before = i
	}
	return out
}

// A heaviest finds the entry with the greatest sum up to a rank of time, and the earliest of equal ones (a Fenwick
// tree of maxima).
type heaviest struct {
	entry []int
	sums  []int
	rank  []int
}

func newHeaviest(n int) *heaviest {
	h := &heaviest{entry: make([]int, n+1), sums: make([]int, n+1), rank: make([]int, n+1)}
	for i := range h.entry {
		h.entry[i] = -1
	}
	return h
}

func (h *heaviest) add(rank, entry int, sums []int) {
	for k := rank + 1; k < len(h.entry); k += k & -k {
		if cmp.Or(cmp.Compare(sums[entry], h.sums[k]), cmp.Compare(h.rank[k], rank)) > 0 {
			h.entry[k], h.sums[k], h.rank[k] = entry, sums[entry], rank
		}
	}
}

func (h *heaviest) upTo(rank int) int {
	best := 0
	for k := rank + 1; k > 0; k -= k & -k {
		if best == 0 || cmp.Or(cmp.Compare(h.sums[k], h.sums[best]), cmp.Compare(h.rank[best], h.rank[k])) > 0 {
			best = k
		}
	}
	return h.entry[best]
}
