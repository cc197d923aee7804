package sinks

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/notify"
)

// lifetime is how many repost intervals an alert lives without being posted again. Prometheus uses the same number.
const lifetime = 4

// An alertmanager posts alerts to one Alertmanager.
type alertmanager struct {
	client *http.Client
	url    *url.URL
	repost time.Duration
	now    func() time.Time
	ahead  time.Duration // its clock minus ours; 0 if less than a repost interval
}

// NewAlertmanager makes a sink from an address, for API v2. The members of a cluster do not share alerts: each is a
// sink of its own. It fails if the address is not a URL.
func NewAlertmanager(address string, repost time.Duration, client *http.Client, now func() time.Time) (*notify.Sink,
	error,
) {
	u, err := parseURL(address)
	if err != nil {
		return nil, err
	}
	if !strings.HasSuffix(u.Path, "/api/v2/alerts") {
		u = u.JoinPath("api", "v2", "alerts")
	}
	a := &alertmanager{client: client, url: u, repost: repost, now: now}
	return &notify.Sink{
		Key: keyOf("alertmanager", address), Repeats: true, Send: a.post, // it forgets alerts that are not posted again
		Preview: func(n notify.Notification) notify.Preview {
			urls := []string{shown(u) + "/api/v2/alerts"}
			return notify.Preview{Method: http.MethodPost, URLs: urls, Body: a.body(n, now())}
		},
	}, nil
}

// body returns the request at an instant of the Alertmanager's clock. A firing alert ends in 4 repost intervals
// unless it is posted again. So does an alert that ended before Alertmanager got it; that one is posted once.
func (a *alertmanager) body(n notify.Notification, now time.Time) []byte {
	type posted struct {
		Labels      map[string]string `json:"labels"`
		Annotations map[string]string `json:"annotations"`
		StartsAt    time.Time         `json:"startsAt"`
		EndsAt      time.Time         `json:"endsAt"`
	}
	now = now.UTC().Truncate(time.Millisecond)
	p := posted{Labels: n.Labels, Annotations: n.Annotations, StartsAt: n.StartsAt.UTC(), EndsAt: now}
	if n.Status == notify.Firing || n.Brief {
		p.EndsAt = now.Add(lifetime * a.repost)
	}
	if n.StartsAt.After(now) { // a clock was set back since
		p.StartsAt = now
	}
	b, err := json.Marshal([]posted{p})
	if err != nil {
		panic("sinks: " + err.Error()) // strings and times always encode
	}
	return b
}

// post posts with times by the Alertmanager's clock as far as it is known. If the response shows that the clocks differ
// by more than a repost interval, it posts again: an end by our clock might be long past, or hours away.
func (a *alertmanager) post(ctx context.Context, n notify.Notification) (string, error) {
	for try := 0; ; try++ {
		r := request{url: a.url, body: a.body(n, a.now().Add(a.ahead))}
		text, date, err := r.post(ctx, a.client)
		ahead := date.Sub(a.now())
		if ahead.Abs() < a.repost {
			ahead = 0
		}
		if date.IsZero() || try > 0 || (ahead-a.ahead).Abs() < a.repost {
			return text, err
		}
		a.ahead = ahead
	}
}
