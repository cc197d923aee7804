package sinks

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync"
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

// NewAlertmanager makes a sink from comma-separated addresses. It posts alerts to all members of a cluster, by API v2,
// because members do not share alerts; one that accepts them is enough. It fails if an address is not a URL.
func NewAlertmanager(addresses string, repost time.Duration, client *http.Client, now func() time.Time) (*notify.Sink,
	error,
) {
	var members []*alertmanager
	var urls []string
	for s := range strings.SplitSeq(addresses, ",") {
		u, err := parseURL(s)
		if err != nil {
			return nil, err
		}
		if !strings.HasSuffix(u.Path, "/api/v2/alerts") {
			u = u.JoinPath("api", "v2", "alerts")
		}
		members = append(members, &alertmanager{client: client, url: u, repost: repost, now: now})
		urls = append(urls, shown(u)+"/api/v2/alerts")
	}
	return &notify.Sink{
		Key: keyOf("alertmanager", addresses), Repeats: true, // it forgets alerts that are not posted again
		Send: func(ctx context.Context, n notify.Notification) (string, error) { return postToAll(ctx, members, n) },
		Preview: func(n notify.Notification) notify.Preview {
			body := members[0].body(n, now())
			return notify.Preview{Method: http.MethodPost, URLs: urls, Body: body}
		},
	}, nil
}

// postToAll posts to all members at once. If none accepts the alert, its error is one that allows a retry, or else
// refused.
func postToAll(ctx context.Context, members []*alertmanager, n notify.Notification) (string, error) {
	if len(members) == 1 {
		return members[0].post(ctx, n) // on the caller's goroutine, so that a panic is the caller's
	}
	texts, errs := make([]string, len(members)), make([]error, len(members))
	var group sync.WaitGroup
	for i, m := range members {
		group.Go(func() {
			if texts[i], errs[i] = m.post(ctx, n); errs[i] != nil {
				texts[i] = errs[i].Error()
			}
		})
	}
	group.Wait()
	verdict := errs[0]
	for _, err := range errs {
		var refused *notify.Failure
		if err == nil {
			verdict = nil
			break
		}
		if !errors.As(err, &refused) || !refused.Refused {
			verdict = err
		}
	}
	return strings.Join(texts, "; "), verdict
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

// post posts with times by the member's clock as far as it is known. If the response shows that the clocks differ by
// more than a repost interval, it posts again by the member's clock: an end by our clock might be long past, or hours
// away.
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
