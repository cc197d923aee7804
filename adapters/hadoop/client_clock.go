package hadoop

import (
	"sync"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// A clock estimates the cluster's clock from Date headers. They are cut to whole seconds, so each answer only says
// that the offset lies in an interval of a second and a round trip; the intersection of many is narrow.
type clock struct {
	local func() time.Time
	start time.Time // local, with its monotonic reading: a step of the local wall clock changes nothing

	mu     sync.Mutex
	known  bool
	lo, hi time.Duration // the cluster's clock minus ours lies in here
	seen   time.Time
	last   dag.Instant // what Now said last
}

const (
	// drift is how fast two machines' clocks part at worst; real ones stay below 50 ppm.
	drift = 100e-6
	// leeway is by how much intervals may miss each other before the clocks are taken to have been set.
	leeway = 50 * time.Millisecond
)

func newClock(local func() time.Time) *clock {
	return &clock{local: local, start: local(), last: dag.NoInstant}
}

// since is the local time of t by the clock that is never set.
func (c *clock) since(t time.Time) time.Time { return c.start.Add(t.Sub(c.start)) }

// observe takes the Date of an answer that was asked for at sent and there at received, both local.
func (c *clock) observe(sent, received, date time.Time) {
	sent, received = c.since(sent), c.since(received)
	lo, hi := date.Sub(received), date.Add(time.Second).Sub(sent)
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.known {
		c.last = dag.NoInstant // until now it was the local clock, which may be hours off
	} else {
		grown := time.Duration(drift * float64(received.Sub(c.seen)))
		oldLo, oldHi := c.lo-grown, c.hi+grown
		if lo > oldHi+leeway || hi < oldLo-leeway {
			c.last = dag.NoInstant // a clock was set; the old intervals are worth nothing
		} else {
			lo, hi = max(lo, oldLo), min(hi, oldHi)
			if lo > hi {
				lo, hi = hi, lo
			}
		}
	}
	c.known, c.lo, c.hi, c.seen = true, lo, hi, received
}

func (c *clock) skew() (ahead, within time.Duration, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lo + (c.hi-c.lo)/2, (c.hi - c.lo) / 2, c.known
}

// Now does not go backwards while the estimate narrows.
func (c *clock) Now() dag.Instant {
	ahead, _, _ := c.skew()
	now := dag.InstantOf(c.since(c.local()).Add(ahead))
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.last.Known() && now < c.last {
		return c.last
	}
	c.last = now
	return now
}
