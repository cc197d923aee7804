package clock

import (
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
)

const (
	mostBacks = 64 // bound of the backward steps that are examined
	mostTries = 4  // bound of the blocks that may explain a step
)

// undo treats the entries of a chain as trusted, and undoes backward steps of the clock. If the clock was only wrong
// for a while, the entries of that time are not trusted. Otherwise all following entries are moved: to the time that
// running tasks suggest, or else next to the previous entry. undo returns by how much the part with the most entries
// was moved. The clock of that part counts as right.
func (c *clock) undo(all chain) dag.Instant {
	for _, i := range c.known {
		c.block[i] = 1
	}
	for _, i := range all.entries {
		c.block[i] = 0
	}
	for n, p := 0, 0; p < len(all.entries) && n < mostBacks; p++ {
		if all.back[p] {
			n++
			if c.passing(&all, p) {
				p = 0
			}
		}
	}
	type part struct {
		first, entries int // of the entries with a time
		moved          dag.Instant
	}
	parts, from := []part{{}}, 0
	move := func(to int) {
		now := &parts[len(parts)-1]
		for ; from < to; from++ {
			c.stamps[c.known[from]].At += now.moved
			now.entries++
		}
	}
	for p, i := range all.entries {
		if all.back[p] {
			n, _ := slices.BinarySearch(c.known, i)
			move(n)
			moved := parts[len(parts)-1].moved
			parts = append(parts, part{first: n, moved: moved + c.setBackBy(all.entries[p-1], i, moved)})
		}
	}
	move(len(c.known))
	right := slices.MaxFunc(parts, func(a, b part) int { return a.entries - b.entries }).moved
	for _, q := range parts {
		if by := time.Duration(right-q.moved) * time.Millisecond; by > Tolerance || by < -Tolerance {
			c.steps = append(c.steps, Step{c.known[q.first], q.entries, by, true})
		}
	}
	c.untie()
	return right
}

// setBackBy returns by how much the clock was set back between two entries. The entries from next on have been moved
// by moved already, the entries before next are in place.
func (c *clock) setBackBy(last, next int, moved dag.Instant) dag.Instant {
	var votes []dag.Instant
	for _, i := range c.known {
		s := &c.stamps[i]
		if i < next || s.Began < 0 || s.Began >= next || s.Took < 0 || c.block[i] != 0 || c.block[s.Began] != 0 {
			continue
		}
		votes = append(votes, c.stamps[s.Began].At+dag.Instant(s.Took/time.Millisecond)-s.At-moved)
	}
	least := c.stamps[last].At - c.stamps[next].At - moved
	if len(votes) == 0 {
		return least
	}
	slices.Sort(votes)
	return max(least, votes[len(votes)/2])
}

// passing looks for a period with a wrong clock that begins or ends at the backward step p. The entries of such a
// period fit exactly into the time between their neighbors. passing removes them from the chain.
func (c *clock) passing(all *chain, p int) bool {
	at := func(n int) dag.Instant { return c.stamps[all.entries[n]].At }
	low, high := p, p+1
	for low--; low > 0 && !all.back[low]; low-- {
	}
	for high < len(all.entries) && !all.back[high] {
		high++
	}
	type while struct {
		from, to int         // entries of the chain
		gap      int         // the entry after the apparent pause of the clock
		left     dag.Instant // the part that the entries do not fill
	}
	var found []while
	try := func(w while) {
		gap := at(w.gap) - at(w.gap-1)
		w.left = at(w.to) - at(w.from-1) - (at(w.to-1) - at(w.from))
		if gap > tolerance && w.left >= 0 && w.left <= max(tolerance, gap/10) {
			found = append(found, w)
		}
	}
	for k := low + 1; k < p; k++ {
		try(while{from: k, to: p, gap: k})
	}
	for k := p + 1; k < high; k++ {
		try(while{from: p, to: k, gap: k})
	}
	slices.SortStableFunc(found, func(a, b while) int { return int(a.left - b.left) })
	for _, w := range found[:min(len(found), mostTries)] {
		if c.worked(all.entries[w.gap-1], all.entries[w.gap]) {
			continue
		}
		for _, i := range all.entries[w.from:w.to] {
			c.block[i] = 1
		}
		all.back[p] = false
		all.entries, all.back = slices.Delete(all.entries, w.from, w.to), slices.Delete(all.back, w.from, w.to)
		if w.from < len(all.back) {
			all.back[w.from] = false
		}
		return true
	}
	return false
}

// worked reports whether a task worked through the time between two entries, so that the clock did not step there.
func (c *clock) worked(last, next int) bool {
	half := c.stamps[next].At.Sub(c.stamps[last].At) / 2
	return slices.ContainsFunc(c.known, func(i int) bool {
		s := &c.stamps[i]
		through := i >= next && s.Began >= 0 && s.Began <= last && s.Took >= 0
		return through && c.block[i] == 0 && c.block[s.Began] == 0 && s.At.Sub(c.stamps[s.Began].At)-s.Took < half
	})
}

// untie marks a late end of a job as wrong even if nothing contradicts it.
func (c *clock) untie() {
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
}
