package queueing

import (
	"math"
	"slices"
)

// A customer is a task at a centre.
type customer struct {
	end  float64 // the centre's attained service at which the task is finished
	task int32
}

// A centre serves tasks with a number of equal servers. Under processor sharing all tasks attain service at the same
// rate, so the order of departures stays the same, whatever arrives.
type centre struct {
	servers  float64
	inside   []customer // by departure; ties in order of arrival
	attained float64
	at       float64 // time at which attained was last updated
	busy     float64 // server seconds so far
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
	end := c.attained + service
	at, _ := slices.BinarySearchFunc(c.inside, end, func(x customer, end float64) int {
		if x.end <= end {
			return -1
		}
		return 1
	})
	c.inside = slices.Insert(c.inside, at, customer{end, task})
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
	c.inside = slices.Delete(c.inside, 0, 1)
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
