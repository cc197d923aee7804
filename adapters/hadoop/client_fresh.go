package hadoop

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// A server's Date does not go back: an answer that is dated before one which was there when it was asked for has been kept
// by somebody on the way, and what it says is over. Dates has the newest Date of each server.
type dates struct {
	mu     sync.Mutex
	newest map[string]time.Time
	strays map[string]stray
}

// A stray is the answers of a server that were too old, one after the other, with the time at which they came.
type stray struct {
	date, came time.Time
	n          int
}

const (
	// grain is by how much Dates may go back: they are cut to whole seconds, and servers keep them for one.
	grain = time.Second
	// So many old answers in a row, this far apart at least, whose Dates go on as time does, are no old answers: the server's
	// clock was set, or another machine answers for it.
	straysInARow, strayGap = 3, 2 * time.Second
	// maxServers bounds the servers that are remembered: each application's master is one.
	maxServers = 10_000
)

func newDates() *dates { return &dates{newest: map[string]time.Time{}, strays: map[string]stray{}} }

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

// old judges an answer that came just now, asked for when floor was the floor: nil, or how old it is. An answer without a
// Date is taken.
func (d *dates) old(u *url.URL, h http.Header, floor, now time.Time) error {
	date, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		return nil
	}
	server := serverOf(u)
	d.mu.Lock()
	defer d.mu.Unlock()
	if date.Before(floor.Add(-grain)) {
		if s := d.strays[server].and(date, now); s.n < straysInARow {
			d.strays[server] = s
			return fmt.Errorf("the answer is %v older than one before it: somebody on the way keeps answers", floor.Sub(date))
		}
		d.newest[server] = date // the clock was set
	}
	delete(d.strays, server)
	if len(d.newest) >= maxServers {
		clear(d.newest)
		clear(d.strays)
	}
	if date.After(d.newest[server]) {
		d.newest[server] = date
	}
	return nil
}

// and counts one more, or begins anew where the Dates do not go on as time does.
func (s stray) and(date, came time.Time) stray {
	since := came.Sub(s.came)
	switch pace := date.Sub(s.date) - since; {
	case s.n > 0 && since < strayGap && pace.Abs() <= grain:
		return s
	case s.n > 0 && since >= strayGap && pace.Abs() <= grain:
		return stray{date, came, s.n + 1}
	}
	return stray{date, came, 1}
}
