package hadoop

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
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

// A server's Date does not go back: an answer that is dated before one which was there when it was asked for has been
// kept by somebody on the way, and what it says is over. Dates has the newest Date of each server.
type dates struct {
	mu     sync.Mutex
	newest map[string]time.Time
	stale  map[string]staleAnswers
}

// A stray is the answers of a server that were too old, one after the other, with the time at which they came.
type staleAnswers struct {
	date, came time.Time
	n          int
}

const (
	// grain is by how much Dates may go back: they are cut to whole seconds, and servers keep them for one.
	grain = time.Second
	// So many old answers in a row, this far apart at least, whose Dates go on as time does, are no old answers: the
	// server's clock was set, or another machine answers for it.
	staleInARow, staleGap = 3, 2 * time.Second
	// maxServers bounds the servers that are remembered: each application's master is one.
	maxServers = 10_000
)

func newDates() *dates {
	return &dates{newest: map[string]time.Time{}, stale: map[string]staleAnswers{}}
}

// serverOf names who answers u: behind the proxy, the application's master.
func serverOf(u *url.URL) string {
	_, behind, _ := strings.Cut(u.Path, "/proxy/")
	app, _, _ := strings.Cut(behind, "/")
	return u.Host + "/" + app
}

// floor is the newest Date of u's server so far: what is asked for now is not older. The zero time where there is none.
func (d *dates) floor(u *url.URL) time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.newest[serverOf(u)]
}

// old judges an answer that came just now, asked for when floor was the floor: nil, or how old it is. An answer
// without a Date is taken.
func (d *dates) old(u *url.URL, h http.Header, floor, now time.Time) error {
	date, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		return nil
	}
	server := serverOf(u)
	d.mu.Lock()
	defer d.mu.Unlock()
	if date.Before(floor.Add(-grain)) {
		if s := d.stale[server].and(date, now); s.n < staleInARow {
			d.stale[server] = s
			return fmt.Errorf("the answer is %v older than one before it: somebody on the way keeps answers",
				floor.Sub(date))
		}
		d.newest[server] = date // the clock was set
	}
	delete(d.stale, server)
	if len(d.newest) >= maxServers {
		clear(d.newest)
		clear(d.stale)
	}
	if date.After(d.newest[server]) {
		d.newest[server] = date
	}
	return nil
}

// and counts one more, or begins anew where the Dates do not go on as time does.
func (s staleAnswers) and(date, came time.Time) staleAnswers {
	since := came.Sub(s.came)
	switch pace := date.Sub(s.date) - since; {
	case s.n > 0 && since < staleGap && pace.Abs() <= grain:
		return s
	case s.n > 0 && since >= staleGap && pace.Abs() <= grain:
		return staleAnswers{date, came, s.n + 1}
	}
	return staleAnswers{date, came, 1}
}
