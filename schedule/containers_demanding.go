package schedule

import (
	"iter"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// An ask is what another application wants next. On a cluster of a thousand applications all asks are looked through
// for each container of ours, so they are small and lie beside each other.
type ask struct {
	load, queue int32
	mb          int // of the next container; 0: none now
}

// findDemanding notes which of the others want memory or will, in the order of their submission.
func (y *containers) findDemanding() {
	y.demanding = y.demanding[:0]
	for i := range y.queues {
		y.queues[i].asks = y.queues[i].asks[:0]
	}
	for k := range y.loads {
		if l := &y.loads[k]; !l.satisfied() {
			mb := y.nextOf(l)
			y.demanding = append(y.demanding, ask{int32(k), l.queue, mb})
			y.queues[l.queue].ask(mb, 1)
			y.queues[l.queue].users[l.user].demanding++
		}
	}
	y.limited = slices.ContainsFunc(y.queues, func(q queue) bool { return q.userRatio < 1 })
}

// nextOf is the size of the container that an application would take next, 0 where it wants none now.
func (y *containers) nextOf(l *load) int {
	if l.want() == 0 {
		return 0
	}
	return l.unit(y.unitMB())
}

// askAnew notes what all want now, once our first job tells how large containers are.
func (y *containers) askAnew() {
	for i := range y.demanding {
		y.asksNow(i, y.nextOf(&y.loads[y.demanding[i].load]))
	}
}

// asksNow notes the size of the container that the i-th of the demanding wants next.
func (y *containers) asksNow(i, mb int) {
	a := &y.demanding[i]
	q := &y.queues[a.queue]
	q.ask(a.mb, -1)
	q.ask(mb, 1)
	a.mb = mb
}

// satisfied says that the application wants nothing and never will again.
func (l *load) satisfied() bool {
	if !l.needs {
		return l.pending == 0
	}
	return l.master == 0 && !l.launching && l.phase[dag.Map].wait+l.phase[dag.Reduce].wait == 0
}

// served notes what application k wants now that it was given memory or has its master.
func (y *containers) served(k int) {
	i, found := slices.BinarySearchFunc(y.demanding, int32(k), func(a ask, k int32) int { return int(a.load - k) })
	if !found {
		return
	}
	l := &y.loads[k]
	if l.satisfied() {
		y.asksNow(i, 0)
		y.demanding = slices.Delete(y.demanding, i, i+1)
		y.queues[l.queue].users[l.user].demanding--
		return
	}
	y.asksNow(i, y.nextOf(l))
}

// roomiestMB is the most that any user of the queue whose applications want memory may be given.
func (y *containers) roomiestMB(q *queue) int {
	held := plenty
	for i := range q.users {
		if u := &q.users[i]; u.demanding > 0 {
			held = min(held, u.heldMB)
		}
	}
	if held == plenty {
		return 0
	}
	return min(y.pool.freeMB, q.maxMB-q.heldMB, q.limitMB()-held)
}

// candidates yields those of the others that could be given their next container now, with its size. Of a queue that
// serves in the order of submission it is the first one: whoever is behind it has to wait for it. Where what is free is
// less than anybody in a queue wants, which is most of the time on a full cluster, nobody there is looked at.
func (y *containers) candidates() iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		left := 0
		for i := range y.queues {
			q := &y.queues[i]
			if q.roomMB = y.roomiestMB(q); q.roomMB < q.smallestMB() {
				q.roomMB = 0
			} else {
				left++
			}
		}
		if left == 0 {
			return
		}
		for _, a := range y.demanding {
			q := &y.queues[a.queue]
			if a.mb == 0 || a.mb > q.roomMB {
				continue
			}
			l := &y.loads[a.load]
			if l.master > 0 && !y.mastersFit(l.queue, l.master) || y.roomFor(l) < a.mb {
				continue
			}
			if !yield(int(a.load), a.mb) {
				return
			}
			if !q.fair {
				q.roomMB = 0
				if left--; left == 0 {
					return
				}
			}
		}
	}
}
