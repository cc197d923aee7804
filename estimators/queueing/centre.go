package queueing

import (
	"container/heap"
	"math"
)

// A customer is a task at a centre.
type customer struct {
	end  float64 // the centre's attained service at which the task is finished
	seq  uint64  // order of arrival: ties are served in this order
	task int32
}

// customers is a heap with the earliest departure first.
type customers []customer

func (c customers) Len() int { return len(c) }

func (c customers) Less(i, k int) bool {
	return c[i].end < c[k].end || c[i].end == c[k].end && c[i].seq < c[k].seq
}

func (c customers) Swap(i, k int) { c[i], c[k] = c[k], c[i] }

func (c *customers) Push(one any) { *c = append(*c, one.(customer)) } //nolint:forcetypeassert // of a centre

// Pop removes the last one.
func (c *customers) Pop() any {
	last := (*c)[len(*c)-1]
	*c = (*c)[:len(*c)-1]
	return last
}

// A centre serves tasks with a number of equal servers. Under processor sharing all tasks attain service at the same
// rate, so the next departure is the minimum of a heap, whatever arrives.
type centre struct {
	servers  float64
	inside   customers
	attained float64
	at       float64 // time at which attained was last updated
	busy     float64 // server seconds so far
	seq      uint64
}

// rate returns the service per second of each task inside.
func (c *centre) rate() float64 {
	if n := float64(len(c.inside)); n > c.servers {
		return c.servers / n
	}
	return 1
}

// pass advances the centre to an instant.
func (c *centre) pass(now float64) {
	if n := float64(len(c.inside)); n > 0 {
		c.attained += (now - c.at) * c.rate()
		c.busy += (now - c.at) * min(n, c.servers)
	} else {
		c.attained = 0 // keeps rounding errors small
	}
	c.at = now
}

// arrive adds a task with the given service demand.
func (c *centre) arrive(now float64, task int32, service float64) {
	c.pass(now)
	c.seq++
	heap.Push(&c.inside, customer{c.attained + service, c.seq, task})
}

// next returns the time at which the next task leaves if none arrives; +Inf for an empty centre.
func (c *centre) next() float64 {
	if len(c.inside) == 0 {
		return math.Inf(1)
	}
	return c.at + max(c.inside[0].end-c.attained, 0)/c.rate()
}

// leave removes the next task at the instant that next returned.
func (c *centre) leave(now float64) int32 {
	c.pass(now)
	first := c.inside[0]
	heap.Pop(&c.inside)
	c.attained = first.end // without a rounding error
	return first.task
}

// An agenda finds the centre with the earliest next departure. It is a tournament of all centres; the lower index
// wins a tie.
type agenda struct {
	when []float64
	win  []int32 // a binary tree of winners: win[1] is the earliest of all
	base int
}

func newAgenda(n int) *agenda {
	base := 1
	for base < n {
		base *= 2
	}
	a := &agenda{make([]float64, base), make([]int32, 2*base), base}
	for i := range a.when {
		a.when[i] = math.Inf(1)
		a.win[base+i] = int32(i)
	}
	for k := base - 1; k > 0; k-- {
		a.win[k] = a.win[2*k]
	}
	return a
}

// set updates the time of a centre's next departure.
func (a *agenda) set(i int, when float64) {
	a.when[i] = when
	for k := (a.base + i) / 2; k > 0; k /= 2 {
		l, r := a.win[2*k], a.win[2*k+1]
		if a.when[r] < a.when[l] {
			l = r
		}
		a.win[k] = l
	}
}

// first returns the centre with the earliest departure, and its time.
func (a *agenda) first() (int, float64) {
	i := int(a.win[1])
	return i, a.when[i]
}
