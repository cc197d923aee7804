package schedule

import (
	"iter"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// findHungry notes which of the others want memory or will, in the order of their submission, and what the smallest container is that
// one of them takes: on a cluster of a thousand applications who comes next is asked for each container of ours.
func (y *yarn) findHungry() {
	y.hungry, y.leastMB = y.hungry[:0], plenty
	for k := range y.loads {
		l := &y.loads[k]
		if l.sated() {
			continue
		}
		y.hungry = append(y.hungry, int32(k))
		if !l.needs {
			y.leastMB = 0
			continue
		}
		if l.master > 0 {
			y.leastMB = min(y.leastMB, l.master)
		}
		for i := range l.phase {
			if l.phase[i].wait > 0 {
				y.leastMB = min(y.leastMB, l.phase[i].taskMB)
			}
		}
	}
	y.limited = slices.ContainsFunc(y.queues, func(q queue) bool { return q.userRatio < 1 })
	y.met = make([]bool, len(y.queues))
}

// sated says that the application wants nothing and never will again.
func (l *load) sated() bool {
	if !l.needs {
		return l.pending == 0
	}
	return l.master == 0 && !l.launching && l.phase[dag.Map].wait+l.phase[dag.Reduce].wait == 0
}

// forgetSated drops application k from those that want memory, once it has all.
func (y *yarn) forgetSated(k int) {
	if !y.loads[k].sated() {
		return
	}
	if i, found := slices.BinarySearch(y.hungry, int32(k)); found {
		y.hungry = slices.Delete(y.hungry, i, i+1)
	}
}

// applying yields those of the others that could be given their next container now, with its size. Of a queue that serves in the
// order of submission it is the first one: whoever is behind it has to wait for it.
func (y *yarn) applying() iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		if y.pool.freeMB < y.leastMB {
			return
		}
		clear(y.met)
		left := len(y.queues)
		for _, k := range y.hungry {
			l := &y.loads[k]
			if y.met[l.queue] || l.want() == 0 || l.master > 0 && !y.mastersFit(l.queue, l.master) {
				continue
			}
			unit := l.unit(y.unitMB())
			if y.roomFor(l) < unit {
				continue
			}
			if !yield(int(k), unit) {
				return
			}
			if !y.queues[l.queue].fair {
				y.met[l.queue] = true
				if left--; left == 0 {
					return
				}
			}
		}
	}
}
