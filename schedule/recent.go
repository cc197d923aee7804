package schedule

import (
	"time"

	"github.com/paratimer/paratimer/dag"
)

// together is the greatest time between starts of JVMs that slow each other down (docs/facts/measured.md 4).
const together = 1600 * time.Millisecond

// starts are n starts at an instant, or n containers that are free since then.
type starts struct {
	at dag.Instant
	n  int
}

// A startList is starts, oldest first.
type startList []starts

// add adds n starts at t, which is not before the others.
func (l *startList) add(t dag.Instant, n int) {
	if k := len(*l); k > 0 && (*l)[k-1].at == t {
		(*l)[k-1].n += n
		return
	}
	*l = append(*l, starts{t, n})
}

// dropBefore removes the starts before t, and returns their number.
func (l *startList) dropBefore(t dag.Instant) (dropped int) {
	old := 0
	for old < len(*l) && (*l)[old].at < t {
		dropped += (*l)[old].n
		old++
	}
	if old > 0 {
		*l = (*l)[:copy(*l, (*l)[old:])]
	}
	return dropped
}

// recentStarts counts recent starts by node; the first entry is for unknown nodes.
type recentStarts []nodeStarts

type nodeStarts struct {
	list  startList
	total int
}

// note counts n starts on a node at t, and drops those that are too old.
func (r *recentStarts) note(node int32, n int, t dag.Instant) {
	for len(*r) <= int(node)+1 {
		if len(*r) == cap(*r) {
			*r = append(*r, nodeStarts{})
			continue
		}
		*r = (*r)[:len(*r)+1] // with the memory of an earlier replay
		s := &(*r)[len(*r)-1]
		s.list, s.total = s.list[:0], 0
	}
	s := &(*r)[node+1]
	s.total += n - s.list.dropBefore(t.Add(-together))
	s.list.add(t, n)
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
