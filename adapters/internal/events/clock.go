package events

import (
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// A Stamp is the time of a log entry. Entries are in the order of the log.
type Stamp struct {
	At dag.Instant // as written; NoInstant if unknown
	// Began is the index of the entry at which the work began that ends here. Took is the duration of that work by a
	// clock that cannot be set. -1: unknown.
	Began int
	Took  time.Duration
	// Soon means that the next entry follows immediately. Otherwise this entry follows the previous one immediately.
	Soon bool
	// Prompt means that nothing waits between the previous entry and this one, so that a long time between them is a
	// step of the clock.
	Prompt bool
}

// A Step is a series of entries with a wrong clock.
type Step struct {
	Entry   int           // the first one
	Entries int           // how many
	Ahead   time.Duration // by how much; negative if the clock was behind
}

const (
	// tolerance is how far an entry may be out of order without a step of the clock, in milliseconds. Threads stamp
	// entries and write them a moment later. The maximum in recorded runs is 0.9 s.
	tolerance = 1000
	pause     = 60_000 // the shortest time without entries that may be a step of the clock, in milliseconds
	mostSteps = 64     // bound of the steps that are corrected, and of the pauses that are examined per task
	mostTries = 4      // bound of the series of entries that may explain a step
	never     = dag.Instant(math.MaxInt64)
)

// Straighten returns the correction of each entry's time, or nil if the clock never stepped.
//
// It trusts what cannot step: the order of the entries, and the working times of tasks. If a time is earlier than the
// one before, the clock was wrong for a while, or was set back permanently. Entries of such a while are moved between
// their neighbors, or else all later entries are moved. Steps are reported.
func Straighten(stamps []Stamp) (shift []dag.Instant, steps []Step) {
	c := &clock{stamps: stamps, at: make([]dag.Instant, len(stamps))}
	for i := range stamps {
		if c.at[i] = stamps[i].At; c.at[i].Known() {
			c.known = append(c.known, i)
		}
	}
	c.trusted = slices.Clone(c.known)
	c.undoBackward()
	c.undoForward()
	slices.SortFunc(c.wrong, func(a, b []int) int { return a[0] - b[0] })
	for _, w := range c.wrong {
		c.place(w)
	}
	if len(c.steps) == 0 {
		return nil, nil
	}
	slices.SortFunc(c.steps, func(a, b Step) int { return a.Entry - b.Entry })
	shift = make([]dag.Instant, len(stamps))
	for _, i := range c.known {
		shift[i] = c.at[i] - stamps[i].At
	}
	return shift, c.steps
}

// A clock is the analysis of a log's clock.
type clock struct {
	stamps  []Stamp
	at      []dag.Instant // corrected times by entry
	known   []int         // entries with a time
	trusted []int         // of them, those without a wrong clock for a while
	wrong   [][]int       // series of the others
	steps   []Step
}

// excess returns by how much the clock's time of the work that ends at an entry exceeds its working time.
func (c *clock) excess(i int) (by dag.Instant, known bool) {
	s := &c.stamps[i]
	if s.Began < 0 || s.Took < 0 || !s.At.Known() || !c.at[s.Began].Known() {
		return 0, false
	}
	return c.at[i] - c.at[s.Began] - dag.Instant(s.Took/time.Millisecond), true
}

// undoBackward finds backward steps. If the clock was wrong for a while, it sets the entries of that time aside.
// Otherwise the clock was set back, and it moves all later entries: to the time that running tasks suggest, or else
// next to the previous entry.
func (c *clock) undoBackward() {
	latest := dag.NoInstant
	for p := 0; p < len(c.trusted) && len(c.wrong)+len(c.steps) < mostSteps; p++ {
		i := c.trusted[p]
		if !latest.Known() || c.at[i] >= latest-tolerance {
			latest = max(latest, c.at[i])
			continue
		}
		if from, to := c.while(p); to > from {
			c.wrong = append(c.wrong, slices.Clone(c.trusted[from:to]))
			c.trusted = slices.Delete(c.trusted, from, to)
			latest, p = dag.NoInstant, -1
			continue
		}
		by := c.median(latest-c.at[i], func(end int) (dag.Instant, bool) {
			over, known := c.excess(end)
			return -over, known && end >= i && c.stamps[end].Began < i
		})
		by = max(by, latest-c.at[i])
		if n, _ := slices.BinarySearch(c.known, i); 2*n < len(c.known) { // the later clock is the right one
			for _, k := range c.known[:n] {
				c.at[k] -= by
			}
			c.report(c.known[:n], -by)
		} else {
			c.move(i, by)
		}
		latest = c.at[i]
	}
}

// median returns the median of the votes of entries, or a default if there is none.
func (c *clock) median(without dag.Instant, vote func(i int) (dag.Instant, bool)) dag.Instant {
	var votes []dag.Instant
	for _, i := range c.known {
		if by, ok := vote(i); ok {
			votes = append(votes, by)
		}
	}
	if len(votes) == 0 {
		return without
	}
	slices.Sort(votes)
	return votes[len(votes)/2]
}

// move moves all entries from one on, because the clock was set there.
func (c *clock) move(entry int, by dag.Instant) {
	n, _ := slices.BinarySearch(c.known, entry)
	for _, i := range c.known[n:] {
		c.at[i] += by
	}
	c.report(c.known[n:], by)
}

func (c *clock) report(entries []int, by dag.Instant) {
	c.steps = append(c.steps, Step{entries[0], len(entries), time.Duration(-by) * time.Millisecond})
}

// while returns the fewest entries before or after the backward step p that fit between their neighbors if the clock
// was wrong for a while.
func (c *clock) while(p int) (from, to int) {
	at := func(n int) dag.Instant { return c.at[c.trusted[n]] }
	ordered := func(n int) bool { return n > 0 && n < len(c.trusted) && at(n) >= at(n-1)-tolerance }
	tries := 0
	fits := func(from, to, gap int) bool {
		left := at(to) - at(from-1) - (at(to-1) - at(from))
		if at(gap)-at(gap-1) <= tolerance || left < 0 || tries == mostTries {
			return false
		}
		tries++
		return !slices.ContainsFunc(c.trusted, func(end int) bool {
			by, crosses := c.crossing(end, c.trusted[from:to])
			return crosses && max(by, -by) < (at(p-1)-at(p))/2 // the clock did not step in this work
		})
	}
	before, after := p-1, p+1
	for before > 0 || after < len(c.trusted) {
		if before > 0 && fits(before, p, before) {
			return before, p
		}
		if after < len(c.trusted) && fits(p, after, after) {
			return p, after
		}
		if before--; !ordered(before + 1) {
			before = 0
		}
		if after++; !ordered(after - 1) {
			after = len(c.trusted)
		}
	}
	return 0, 0
}

// crossing returns by how much the work that ends at an entry would move some entries, if they have its begin or its
// end and not both.
func (c *clock) crossing(end int, some []int) (by dag.Instant, crosses bool) {
	by, known := c.excess(end)
	within := func(i int) bool { return some[0] <= i && i <= some[len(some)-1] }
	if !known || within(end) == within(c.stamps[end].Began) {
		return 0, false
	}
	if within(end) {
		by = -by
	}
	return by, true
}

// undoForward finds forward steps of the clock. Such a step is between two entries that follow each other immediately,
// or overlaps tasks with working times that are shorter than the clock's by the step.
func (c *clock) undoForward() {
	type gap struct {
		entry       int         // the entry after it
		long        dag.Instant // milliseconds
		excess      dag.Instant // the least excess of the tasks in it
		isSuspected bool
	}
	var gaps []gap
	before := make([]int, len(c.at)) // number of gaps before an entry
	for n, i := range c.trusted {
		if n > 0 && c.at[i]-c.at[c.trusted[n-1]] > pause {
			gaps = append(gaps, gap{i, c.at[i] - c.at[c.trusted[n-1]], never, c.stamps[i].Prompt})
		}
		before[i] = len(gaps)
	}
	for _, i := range c.trusted {
		over, known := c.excess(i)
		if !known {
			continue
		}
		first := before[c.stamps[i].Began]
		for g := first; g < min(before[i], first+mostSteps); g++ {
			gaps[g].isSuspected, gaps[g].excess = true, min(gaps[g].excess, over)
		}
	}
	for _, g := range gaps {
		if by := min(g.excess, g.long); g.isSuspected && by > g.long/2 && len(c.steps) < mostSteps {
			c.move(g.entry, -by)
		}
	}
}

// place moves entries of a wrong clock to the time that fits between the surrounding entries.
func (c *clock) place(wrong []int) {
	before, _ := slices.BinarySearch(c.known, wrong[0])
	after, _ := slices.BinarySearch(c.trusted, wrong[0])
	low, high := c.at[c.known[before-1]], c.at[c.trusted[after]]
	first, last := c.at[wrong[0]], c.at[wrong[len(wrong)-1]]
	next := low - first
	if len(wrong) == 1 && c.stamps[wrong[0]].Soon {
		next = high - last
	}
	by := c.median(next, func(end int) (dag.Instant, bool) { return c.crossing(end, wrong) })
	by = min(max(by, low-first), max(high-last, low-first))
	for _, i := range wrong {
		c.at[i] = min(c.at[i]+by, high)
	}
	if max(by, -by) > tolerance {
		c.report(wrong, by)
	}
}
