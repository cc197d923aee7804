package clock

import (
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// blocks groups the entries that are not trusted into numbered blocks. Consecutive entries with the same clock form
// one block. It returns the entries of each block.
func (c *clock) blocks() [][]int {
	var out [][]int
	low, high := dag.NoInstant, make([]dag.Instant, len(c.known)) // of the surrounding trusted entries
	next := never
	for k, i := range slices.Backward(c.known) {
		if high[k] = next; c.block[i] == 0 {
			next = c.stamps[i].At + c.shift[i]
		}
	}
	open := false
	for k, i := range c.known {
		if c.block[i] == 0 {
			low, open = c.stamps[i].At+c.shift[i], false
			continue
		}
		if open {
			b := out[len(out)-1]
			d := c.stamps[i].At - c.stamps[b[len(b)-1]].At
			open = d >= -tolerance && (!low.Known() || high[k] == never || d <= high[k]-low)
		}
		if !open {
			out = append(out, nil)
		}
		open = true
		out[len(out)-1] = append(out[len(out)-1], i)
		c.block[i] = len(out)
	}
	return out
}

// link records the work that began in one block and ended in another.
func (c *clock) link(blocks int) {
	c.links = make([][]int, blocks+1)
	for _, i := range c.known {
		s := &c.stamps[i]
		if s.Began < 0 || s.Took < 0 || !c.stamps[s.Began].At.Known() {
			continue
		}
		if from, to := c.block[s.Began], c.block[i]; from != to {
			c.links[from], c.links[to] = append(c.links[from], i), append(c.links[to], i)
		}
	}
	c.links[0] = nil
}

// place moves a block to the time that fits between the surrounding entries.
func (c *clock) place(b []int) {
	first, last := c.stamps[b[0]].At, c.stamps[b[0]].At
	for _, i := range b {
		last = max(last, c.stamps[i].At)
	}
	low, high := c.around(b)
	shift := c.aligned(b, first, last, low, high)
	if low.Known() {
		shift = max(shift, low-first)
	}
	if high != never && (!low.Known() || last-first <= high-low) {
		shift = min(shift, high-last)
	}
	for _, i := range b {
		at := c.stamps[i].At + shift
		if low.Known() {
			at = max(at, low)
		}
		c.shift[i] = min(at, high) - c.stamps[i].At
		c.block[i] = 0
	}
	if by := time.Duration(-shift) * time.Millisecond; by > Tolerance || by < -Tolerance {
		c.steps = append(c.steps, Step{b[0], len(b), by, high == never || !low.Known()})
	}
}

// around returns the times of the placed entries before and after a block.
func (c *clock) around(b []int) (low, high dag.Instant) {
	k, _ := slices.BinarySearch(c.known, b[0])
	low, high = dag.NoInstant, never
	if k > 0 {
		low = c.stamps[c.known[k-1]].At + c.shift[c.known[k-1]]
	}
	for _, i := range c.known[k+len(b):] {
		if c.block[i] == 0 {
			high = c.stamps[i].At + c.shift[i]
			break
		}
	}
	return low, high
}

// aligned returns the shift of a block that fits tasks with one end in the block and the other end outside. Without
// such tasks it puts the block next to a neighboring entry.
func (c *clock) aligned(b []int, first, last, low, high dag.Instant) dag.Instant {
	own := c.block[b[0]]
	var votes []dag.Instant
	for _, i := range c.links[own] {
		s := &c.stamps[i]
		took := dag.Instant(s.Took / time.Millisecond)
		began := &c.stamps[s.Began]
		switch {
		case c.block[i] == own && c.block[s.Began] == 0:
			votes = append(votes, began.At+c.shift[s.Began]+took-s.At)
		case c.block[s.Began] == own && c.block[i] == 0:
			votes = append(votes, s.At+c.shift[i]-took-began.At)
		}
	}
	if len(votes) > 0 {
		slices.Sort(votes)
		return votes[len(votes)/2]
	}
	if high != never && (!low.Known() || len(b) == 1 && c.stamps[b[0]].Soon) {
		return high - last
	}
	return low - first
}
