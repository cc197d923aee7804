package schedule

import "github.com/paratimer/paratimer/dag"

// recentStarts counts the starts of the last moments by node; the first entry is of those whose node is not known.
type recentStarts []nodeStarts

type nodeStarts struct {
	stamps []stamp // oldest first
	total  int
}

// A stamp is n starts at an instant.
type stamp struct {
	at dag.Instant
	n  int
}

// note counts n starts on a node at t, and forgets those that are too old to matter.
func (r *recentStarts) note(node int32, n int, t dag.Instant) {
	for len(*r) <= int(node)+1 {
		if len(*r) < cap(*r) {
			*r = (*r)[:len(*r)+1]
			s := &(*r)[len(*r)-1]
			s.stamps, s.total = s.stamps[:0], 0
			continue
		}
		*r = append(*r, nodeStarts{})
	}
	s := &(*r)[node+1]
	old := 0
	for old < len(s.stamps) && s.stamps[old].at < t.Add(-together) {
		s.total -= s.stamps[old].n
		old++
	}
	s.stamps = s.stamps[:copy(s.stamps, s.stamps[old:])]
	s.total += n
	if k := len(s.stamps); k > 0 && s.stamps[k-1].at == t {
		s.stamps[k-1].n += n
		return
	}
	s.stamps = append(s.stamps, stamp{t, n})
}

// at is how many starts were noted on a node up to together before the newest.
func (r recentStarts) at(node int32) int { return r[node+1].total }

// started notes a start of the run at t.
func (y *containers) started(t dag.Instant) {
	if t.Known() && (!y.first.Known() || t < y.first) {
		y.first = t
	}
}

// cold says that a task that starts at t is one of the run's first batch.
func (y *containers) cold(t dag.Instant) bool {
	y.started(t)
	return t <= y.first.Add(together)
}
