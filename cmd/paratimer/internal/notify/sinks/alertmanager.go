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

// Alertmanager posts alerts to the members of an Alertmanager cluster, by its API v2. Each member is told, as they do
// not tell each other; one that takes them is enough.
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
	ahead time.Duration // of its clock before ours, where that matters
}

// NewAlertmanager makes the sink of addresses, comma-separated.
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

// Key is a notify.Sink's.
func (a *Alertmanager) Key() string { return a.key }

// Options are those of a notify.Sink: Alertmanager forgets what is not posted again.
func (a *Alertmanager) Options() notify.Options { return notify.Options{Batch: 64, Repeats: true} }

// A posted is an alert as POST /api/v2/alerts takes it.
type posted struct {
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
	StartsAt    time.Time         `json:"startsAt"`
	EndsAt      time.Time         `json:"endsAt"`
}

// body is what is posted at an instant of the Alertmanager's clock. What fires ends in 4 repost intervals unless it is
// posted again; so does what was over before Alertmanager heard of it, which is posted once.
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
		panic("sinks: " + err.Error()) // strings and times
	}
	return b
}

// Send posts to all members at once. It fails where no member takes them.
func (a *Alertmanager) Send(ctx context.Context, batch []notify.Notification) error {
	_, err := a.send(ctx, batch)
	return err
}

// Answer posts a notification and returns what each member answered.
func (a *Alertmanager) Answer(ctx context.Context, n notify.Notification) (string, error) {
	texts, err := a.send(ctx, []notify.Notification{n})
	return strings.Join(texts, "; "), err
}

func (a *Alertmanager) send(ctx context.Context, batch []notify.Notification) (texts []string, err error) {
	texts, errs := make([]string, len(a.members)), make([]error, len(a.members))
	ask := func(i int) {
		if texts[i], errs[i] = a.tell(ctx, a.members[i], batch); errs[i] != nil {
			texts[i] = errs[i].Error()
		}
	}
	if len(a.members) == 1 {
		ask(0) // on the caller's goroutine, where a panic is the caller's
		return texts, errs[0]
	}
	var group sync.WaitGroup
	for i := range a.members {
		group.Go(func() { ask(i) })
	}
	group.Wait()
	return texts, verdict(errs)
}

// verdict is nil where one has taken it, Refused where all refuse, and otherwise that it may be tried again.
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

// tell posts to a member by its own clock, as far as it is known. Where the answer shows that the clocks differ by more
// than a repost interval, an end by our clock might be long past, or hours away: it is posted again, by the right
// clock.
func (a *Alertmanager) tell(ctx context.Context, m *member, batch []notify.Notification) (string, error) {
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

// Preview is what would be sent.
func (a *Alertmanager) Preview(n notify.Notification) Preview {
	p := Preview{Method: http.MethodPost, Body: a.body([]notify.Notification{n}, a.now())}
	for _, m := range a.members {
		p.URLs = append(p.URLs, shown(m.url)+"/api/v2/alerts")
	}
	return p
}

// Close lets go of connections.
func (a *Alertmanager) Close() error {
	a.client.CloseIdleConnections()
	return nil
}
