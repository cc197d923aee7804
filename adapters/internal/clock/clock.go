// Package clock corrects the times of a log if the clock was set while the log was written.
//
// It trusts what cannot step: the order of the entries, and the working times of tasks. Entries with times that
// contradict the order of most others are moved, and their steps are reported.
package clock

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
	// Tied means that this entry belongs to the moment of the previous one. If it is late, only this entry is wrong.
	// Prompt means that nothing waits between the two, so that a long time between them is a step of the clock.
	Tied, Prompt bool
}

// A Step is a series of entries with a wrong clock.
type Step struct {
	Entry   int           // the first one
	Entries int           // how many
	Ahead   time.Duration // by how much; negative if the clock was behind
	Lasting bool          // the clock was wrong from the beginning, or stayed as it was set
}

const (
	// Tolerance is how far an entry may be out of order without a step of the clock. Threads stamp entries and write
	// them a moment later. The maximum in recorded runs is 0.9 s.
	Tolerance = time.Second
	// pause is the shortest time without entries that may be a step of the clock.
	pause = time.Minute
	// tied is the longest delay of a tied entry after the previous one, for example in a pause of the driver's JVM.
	tied = 5 * time.Second
	// mostPauses bounds the pauses that are examined per task.
	mostPauses = 64
)

const (
	tolerance = dag.Instant(Tolerance / time.Millisecond)
	never     = dag.Instant(math.MaxInt64)
)

// Straighten returns the correction of each entry's time, or nil if the clock never stepped. Corrected entries are at
// most Tolerance earlier than any entry before them.
func Straighten(stamps []Stamp) (shift []dag.Instant, steps []Step) {
	if !suspicious(stamps) {
		return nil, nil
	}
	c := &clock{stamps: slices.Clone(stamps), shift: make([]dag.Instant, len(stamps)), block: make([]int, len(stamps))}
	for i := range stamps {
		if stamps[i].At.Known() {
			c.known = append(c.known, i)
		}
	}
	right := c.undo(c.longest())
	c.forgive()
	c.skipPauses()
	blocks := c.blocks()
	c.link(len(blocks))
	for _, b := range blocks {
		c.place(b)
	}
	if len(c.steps) == 0 {
		return nil, nil
	}
	for _, i := range c.known {
		c.shift[i] += c.stamps[i].At - stamps[i].At - right
	}
	slices.SortFunc(c.steps, func(a, b Step) int { return a.Entry - b.Entry })
	return c.shift, c.steps
}

// suspicious reports whether a clock may have stepped.
func suspicious(stamps []Stamp) bool {
	latest, margin := dag.NoInstant, tolerance
	for i := range stamps {
		s := &stamps[i]
		if !s.At.Known() {
			continue
		}
		if latest.Known() && (s.At < latest-margin || s.At.Sub(latest) > pause || s.Tied && s.At.Sub(latest) > tied) {
			return true
		}
		if margin = tolerance; s.Tied && s.At > latest {
			margin = 0
		}
		latest = max(latest, s.At)
	}
	return false
}

// A clock is the analysis of a log's clock.
type clock struct {
	stamps []Stamp // without the steps that are undone
	known  []int   // entries with a time
	block  []int   // by entry: 0 if trusted, else the number of its block
	shift  []dag.Instant
	steps  []Step
	links  [][]int // by block: entries that end work of another block, or start work that ends in another one
}

// forgive trusts entries that are out of order by less than the tolerance.
func (c *clock) forgive() {
	next := make([]dag.Instant, len(c.known))
	at := never
	for k, i := range slices.Backward(c.known) {
		if next[k] = at; c.block[i] == 0 {
			at = c.stamps[i].At
		}
	}
	latest := dag.NoInstant
	for k, i := range c.known {
		s := &c.stamps[i]
		near := latest.Known() && s.At >= latest-tolerance && (next[k] == never || s.At <= next[k]+tolerance)
		if c.block[i] != 0 && !s.Tied && near {
			c.block[i] = 0
		}
		if c.block[i] == 0 {
			latest = max(latest, s.At)
		}
	}
}

// skipPauses removes forward steps of the clock. Such a step is between two entries that follow each other
// immediately, or overlaps tasks with working times that are shorter than the clock's by the step.
func (c *clock) skipPauses() {
	type gap struct {
		entry   int         // the entry after it
		long    dag.Instant // milliseconds
		excess  dag.Instant // the least excess of the clock's time over the working time of all tasks in it
		spanned bool
	}
	var gaps []gap
	at := make([]int, len(c.stamps)) // number of gaps before an entry
	last := -1
	for _, i := range c.known {
		if c.block[i] == 0 {
			if last >= 0 && c.stamps[i].At.Sub(c.stamps[last].At) > pause {
				gaps = append(gaps, gap{
					entry: i, long: c.stamps[i].At - c.stamps[last].At, excess: never, spanned: c.stamps[i].Prompt,
				})
			}
			last = i
		}
		at[i] = len(gaps)
	}
	if len(gaps) == 0 {
		return
	}
	for _, i := range c.known {
		s := &c.stamps[i]
		if s.Began < 0 || s.Took < 0 || c.block[i] != 0 || c.block[s.Began] != 0 || !c.stamps[s.Began].At.Known() {
			continue
		}
		excess := s.At - c.stamps[s.Began].At - dag.Instant(s.Took/time.Millisecond)
		for g := at[s.Began]; g < min(at[i], at[s.Began]+mostPauses); g++ {
			gaps[g].spanned, gaps[g].excess = true, min(gaps[g].excess, excess)
		}
	}
	total, g := dag.Instant(0), 0
	for n, i := range c.known {
		for ; g < len(gaps) && gaps[g].entry == i; g++ {
			if by := min(gaps[g].excess, gaps[g].long); gaps[g].spanned && by > gaps[g].long/2 {
				total += by
				c.steps = append(c.steps, Step{i, len(c.known) - n, time.Duration(by) * time.Millisecond, true})
			}
		}
		c.shift[i] = -total
	}
}
