package schedule

import (
	"time"

	"github.com/paratimer/paratimer/dag"
)

// together is the greatest time between starts of JVMs that slow each other down (docs/facts/measured.md 4).
const together = 1600 * time.Millisecond

// recentStarts counts recent starts by node; the first entry is for unknown nodes.
type recentStarts []nodeStarts

type nodeStarts struct {
	starts []starts // oldest first
	total  int
}

// starts are n starts at an instant, or n containers that are free since then.
type starts struct {
	at dag.Instant
	n  int
}

// note counts n starts on a node at t, and drops those that are too old.
func (r *recentStarts) note(node int32, n int, t dag.Instant) {
	for len(*r) <= int(node)+1 {
		if len(*r) < cap(*r) {
			*r = (*r)[:len(*r)+1]
			s := &(*r)[len(*r)-1]
			s.starts, s.total = s.starts[:0], 0
			continue
		}
		*r = append(*r, nodeStarts{})
	}
	s := &(*r)[node+1]
	old := 0
	for old < len(s.starts) && s.starts[old].at < t.Add(-together) {
		s.total -= s.starts[old].n
		old++
	}
	s.starts = s.starts[:copy(s.starts, s.starts[old:])]
	s.total += n
	if k := len(s.starts); k > 0 && s.starts[k-1].at == t {
		s.starts[k-1].n += n
		return
	}
	s.starts = append(s.starts, starts{t, n})
}

// at returns the number of starts on a node from the latest one back to together before it.
func (r recentStarts) at(node int32) int { return r[node+1].total }

// noteStarts counts the starts of tasks in their slots.
func (c *scheduler) noteStarts(slots []int32) {
	switch {
	case c.onCores:
	case !c.slotsDiffer:
		c.recent.note(-1, len(slots), c.now)
	default:
		for _, slot := range slots {
			c.recent.note(c.pool.nodes[slot], 1, c.now)
		}
	}
}

// started records a start of the run at t.
func (c *scheduler) started(t dag.Instant) {
	if t.Known() && (!c.first.Known() || t < c.first) {
		c.first = t
	}
}

// cold reports whether a task that starts now takes longer than usual to start: in a new container if the job reuses
// containers, else in the run's first batch.
func (j *job) cold(c *scheduler, kept bool) bool {
	if j.reuses {
		return !kept
	}
	c.started(c.now)
	return c.now <= c.first.Add(together)
}
