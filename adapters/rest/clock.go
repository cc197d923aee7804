package rest

import (
	"fmt"
	"sync"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// A clock estimates the cluster's clock from Date headers. They are cut to whole seconds, so each response only
// bounds the offset to an interval of a second and a round trip. The intersection of many intervals is narrow.
type clock struct {
	local func() time.Time
	start time.Time // local, with its monotonic reading: a step of the local wall clock changes nothing

	mu           sync.Mutex
	hasDate      bool          // some response had one
	lo, hi       time.Duration // bounds of the cluster's clock minus ours
	lastResponse time.Time
	lastNow      dag.Instant
}

const (
	// drift is the fastest rate at which two machines' clocks diverge; real ones stay below 50 ppm.
	drift = 100e-6
	// leeway is by how much intervals may miss each other before a clock counts as reset.
	leeway = 50 * time.Millisecond
)

func newClock(local func() time.Time) *clock {
	return &clock{local: local, start: local(), lastNow: dag.NoInstant}
}

// since returns t by the local clock without the steps of the wall clock.
func (c *clock) since(t time.Time) time.Time { return c.start.Add(t.Sub(c.start)) }

// observe takes the Date of a response. sent and received are the local times of the request and the response.
func (c *clock) observe(sent, received, date time.Time) {
	sent, received = c.since(sent), c.since(received)
	lo, hi := date.Sub(received), date.Add(time.Second).Sub(sent)
	c.mu.Lock()
	defer c.mu.Unlock()
	grown := time.Duration(drift * float64(received.Sub(c.lastResponse)))
	low, high := max(lo, c.lo-grown), min(hi, c.hi+grown)
	if c.hasDate && low <= high+leeway {
		lo, hi = min(low, high), max(low, high)
	} else {
		// Until now it was the local clock, which may be hours off, or a clock was set: old intervals are useless.
		c.lastNow = dag.NoInstant
	}
	c.hasDate, c.lo, c.hi, c.lastResponse = true, lo, hi, received
}

// skew returns the middle of the offset's interval, half its width, and whether there was a response.
func (c *clock) skew() (ahead, within time.Duration, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lo + (c.hi-c.lo)/2, (c.hi - c.lo) / 2, c.hasDate
}

// Now returns the estimate of the cluster's clock. It does not go backwards while the estimate narrows.
func (c *clock) Now() dag.Instant {
	ahead, _, _ := c.skew()
	now := dag.InstantOf(c.since(c.local()).Add(ahead))
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lastNow.Known() && now < c.lastNow {
		return c.lastNow
	}
	c.lastNow = now
	return now
}

// A server's Date does not go back. If a response has an older Date than one that had arrived before the request, a
// cache on the way kept it, and it is stale. dates keeps the newest Date of each server.
type dates struct {
	mu      sync.Mutex
	servers map[string]serverDates
}

// serverDates are the newest Date of a server, and its stale responses in a row since, with the Date and the arrival
// time of the last counted one.
type serverDates struct {
	newest         time.Time
	stale          int
	date, received time.Time
}

const (
	// grain is by how much Dates may go back: they are cut to whole seconds, and servers cache them for one.
	grain = time.Second
	// After staleInARow old responses, at least staleGap apart, with Dates that advance as time does, the server's
	// clock was set, or another machine responds for it.
	staleInARow, staleGap = 3, 2 * time.Second
	// maxServers bounds the servers that are remembered: each application's master is one.
	maxServers = 10_000
)

// of returns the newest Date of a server so far, the zero time if there is none. A new response is not older.
func (d *dates) of(server string) time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.servers[server].newest
}

// check returns an error if a response that has just arrived is too old. newest is the result of of at the request.
func (d *dates) check(server string, date, newest, now time.Time) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.servers[server]
	if len(d.servers) >= maxServers {
		clear(d.servers)
	}
	isStale := date.Before(newest.Add(-grain))
	if isStale {
		since := now.Sub(s.received)
		switch pace := date.Sub(s.date) - since; {
		case pace.Abs() > grain: // the Dates do not advance as time does
			s.stale, s.date, s.received = 1, date, now
		case since >= staleGap:
			s.stale, s.date, s.received = s.stale+1, date, now
		}
	}
	if isStale && s.stale < staleInARow {
		d.servers[server] = s
		return fmt.Errorf("the answer is %v older than one before it: a cache may have sent it", newest.Sub(date))
	}
	if isStale || date.After(s.newest) {
		s.newest = date
	}
	d.servers[server] = serverDates{newest: s.newest}
	return nil
}
