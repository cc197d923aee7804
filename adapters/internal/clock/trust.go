package clock

import (
	"cmp"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// trust finds the entries whose times are in order and that weigh most: these are trusted, and those that are nearly in
// order.
func (c *clock) trust() {
	weights := c.weights()
	times := make([]dag.Instant, len(c.known))
	for k, i := range c.known {
		times[k] = c.stamps[i].At
	}
	slices.Sort(times)
	times = slices.Compact(times)
	best := newHeaviest(len(times))
	sums, before := make([]int, len(c.stamps)), make([]int, len(c.stamps))
	for _, i := range c.known {
		n, _ := slices.BinarySearch(times, c.stamps[i].At)
		before[i] = best.upTo(n)
		if sums[i] = weights[i]; before[i] >= 0 {
			sums[i] += sums[before[i]]
		}
		best.add(n, i, sums)
		c.block[i] = 1
	}
	for i := best.upTo(len(times) - 1); i >= 0; i = before[i] {
		c.block[i] = 0
	}
	// If the end of a job is late and nothing contradicts it, it is wrong all the same.
	last := -1
	for _, i := range c.known {
		if c.block[i] != 0 {
			continue
		}
		if s := &c.stamps[i]; last >= 0 && s.Tied && s.At.Sub(c.stamps[last].At) > tied {
			c.block[i] = 1
			continue
		}
		last = i
	}
	c.forgive()
}

// weights returns what each entry weighs. One whose time agrees with how long a task worked, or with that of an entry
// that it is tied to, weighs more.
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

// A heaviest finds, among entries by the rank of their time, the one with the greatest sum up to a rank; of equal ones
// the earliest (a Fenwick tree of maxima).
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
