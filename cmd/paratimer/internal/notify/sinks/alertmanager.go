package sinks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/notify"
)

// lifetime is how many repost intervals an alert lives without being posted again. Prometheus uses the same number.
const lifetime = 4

// Alertmanager posts alerts to all members of an Alertmanager cluster, by its API v2, because members do not share
// alerts. Send succeeds if one member accepts them.
type Alertmanager struct {
	client  *http.Client
	members []*member
	repost  time.Duration
	now     func() time.Time
	key     string
}

// A member is one Alertmanager.
type member struct {
	url   *url.URL
	mu    sync.Mutex
	ahead time.Duration // its clock minus ours; 0 if less than a repost interval
}

// NewAlertmanager makes a sink from comma-separated addresses. It fails if an address is not a URL.
func NewAlertmanager(addresses string, repost time.Duration, client *http.Client, now func() time.Time) (*Alertmanager,
	error,
) {
	a := &Alertmanager{client: client, repost: repost, now: now, key: keyOf("alertmanager", addresses)}
	for s := range strings.SplitSeq(addresses, ",") {
		u, err := parseURL(s)
		if err != nil {
			return nil, err
		}
		if !strings.HasSuffix(u.Path, "/api/v2/alerts") {
			u = u.JoinPath("api", "v2", "alerts")
		}
		a.members = append(a.members, &member{url: u})
	}
	return a, nil
}

// Key implements notify.Sink.
func (a *Alertmanager) Key() string { return a.key }

// Options implements notify.Sink: Alertmanager forgets alerts that are not posted again.
func (a *Alertmanager) Options() notify.Options { return notify.Options{Batch: 64, Repeats: true} }

// A posted is an alert as POST /api/v2/alerts takes it.
type posted struct {
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
	StartsAt    time.Time         `json:"startsAt"`
	EndsAt      time.Time         `json:"endsAt"`
}

// body returns the request at an instant of the Alertmanager's clock. A firing alert ends in 4 repost intervals
// unless it is posted again. So does an alert that ended before Alertmanager got it; that one is posted once.
func (a *Alertmanager) body(batch []notify.Notification, now time.Time) []byte {
	all := make([]posted, len(batch))
	for i, n := range batch {
		p := posted{Labels: n.Labels, Annotations: n.Annotations, StartsAt: n.StartsAt, EndsAt: now}
		if n.Status == notify.Firing || n.Brief {
			p.EndsAt = now.Add(lifetime * a.repost)
		}
		if p.StartsAt.After(now) { // a clock was set back since
			p.StartsAt = now
		}
		p.StartsAt, p.EndsAt = p.StartsAt.UTC().Truncate(time.Millisecond), p.EndsAt.UTC().Truncate(time.Millisecond)
		all[i] = p
	}
	b, err := json.Marshal(all)
	if err != nil {
		panic("sinks: " + err.Error()) // strings and times always encode
	}
	return b
}

// Send posts to all members at once. It fails if no member accepts the batch.
func (a *Alertmanager) Send(ctx context.Context, batch []notify.Notification) error {
	_, err := a.send(ctx, batch)
	return err
}

// Answer posts a notification and returns the response of each member.
func (a *Alertmanager) Answer(ctx context.Context, n notify.Notification) (string, error) {
	texts, err := a.send(ctx, []notify.Notification{n})
	return strings.Join(texts, "; "), err
}

func (a *Alertmanager) send(ctx context.Context, batch []notify.Notification) (texts []string, err error) {
	texts, errs := make([]string, len(a.members)), make([]error, len(a.members))
	ask := func(i int) {
		if texts[i], errs[i] = a.postTo(ctx, a.members[i], batch); errs[i] != nil {
			texts[i] = errs[i].Error()
		}
	}
	if len(a.members) == 1 {
		ask(0) // on the caller's goroutine, so that a panic is the caller's
		return texts, errs[0]
	}
	var group sync.WaitGroup
	for i := range a.members {
		group.Go(func() { ask(i) })
	}
	group.Wait()
	return texts, verdict(errs)
}

// verdict returns nil if one member accepted, Refused if all refuse, and otherwise an error that allows a retry.
func verdict(errs []error) error {
	var again []error
	for _, err := range errs {
		var refused *notify.Refused
		switch {
		case err == nil:
			return nil
		case !errors.As(err, &refused):
			again = append(again, err)
		}
	}
	if len(again) == 0 {
		return errs[0]
	}
	if len(again) == 1 {
		return again[0]
	}
	return fmt.Errorf("no Alertmanager takes it: %w", errors.Join(again...))
}

// postTo posts to a member, with times by the member's clock as far as it is known. If the response shows that the
// clocks differ by more than a repost interval, it posts again by the member's clock: an end by our clock might be
// long past, or hours away.
func (a *Alertmanager) postTo(ctx context.Context, m *member, batch []notify.Notification) (string, error) {
	m.mu.Lock()
	ahead := m.ahead
	m.mu.Unlock()
	for try := 0; ; try++ {
		r, err := post(ctx, a.client, m.url, a.body(batch, a.now().Add(ahead)), nil, "")
		if r.date.IsZero() || try > 0 {
			return r.text, err
		}
		is := r.date.Sub(a.now())
		if is.Abs() < a.repost {
			is = 0
		}
		if (is - ahead).Abs() < a.repost {
			return r.text, err
		}
		ahead = is
		m.mu.Lock()
		m.ahead = is
		m.mu.Unlock()
	}
}

// Preview returns what would be sent.
func (a *Alertmanager) Preview(n notify.Notification) Preview {
	p := Preview{Method: http.MethodPost, Body: a.body([]notify.Notification{n}, a.now())}
	for _, m := range a.members {
		p.URLs = append(p.URLs, shown(m.url)+"/api/v2/alerts")
	}
	return p
}

// Close closes idle connections.
func (a *Alertmanager) Close() error {
	a.client.CloseIdleConnections()
	return nil
}
