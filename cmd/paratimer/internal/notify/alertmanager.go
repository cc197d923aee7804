package notify

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"
)

// lifetime is how many repost intervals an alert lives without being posted again. Prometheus uses the same number.
const lifetime = 4

// NewAlertmanager makes a sink from an address, for API v2. The members of a cluster do not share alerts: each is a
// sink of its own. It fails if the address is not a URL.
//
// Times are by the Alertmanager's clock as far as it is known. If an answer shows that the clocks differ by more than a
// repost interval, the alert is posted again: an end by our clock might be long past, or hours away.
func NewAlertmanager(address string, repost time.Duration, client *http.Client, now func() time.Time) (*Sink,
	error,
) {
	u, err := parseURL(address)
	if err != nil {
		return nil, err
	}
	if !strings.HasSuffix(u.Path, "/api/v2/alerts") {
		u = u.JoinPath("api", "v2", "alerts")
	}
	ahead := time.Duration(0) // its clock minus ours
	s := posting(keyOf("alertmanager", address), "", client,
		func(n Notification, _ string) (request, error) {
			return request{url: u, body: alertOf(n, now().Add(ahead), repost)}, nil
		},
		func(date time.Time) (again bool) {
			moved := date.Sub(now()) - ahead
			if moved.Abs() < repost {
				return false
			}
			ahead += moved
			return true
		})
	s.Repeats = true // it forgets alerts that are not posted again
	return s, nil
}

// alertOf returns the body for an instant of the Alertmanager's clock. A firing alert ends in 4 repost intervals unless
// it is posted again. So does an alert that ended before Alertmanager got it; that one is posted once.
func alertOf(n Notification, now time.Time, repost time.Duration) []byte {
	now = now.UTC().Truncate(time.Millisecond)
	m := messageOf(n)
	a := &m.Alerts[0]
	a.StartsAt, a.EndsAt = a.StartsAt.UTC(), now
	if n.Status == Firing || n.Brief {
		a.EndsAt = now.Add(lifetime * repost)
	}
	if a.StartsAt.After(now) { // a clock was set back since
		a.StartsAt = now
	}
	b, err := json.Marshal(m.Alerts)
	if err != nil {
		panic("sinks: " + err.Error()) // strings and times always encode
	}
	return b
}
