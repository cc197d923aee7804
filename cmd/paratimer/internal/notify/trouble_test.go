package notify_test

import (
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/notify"
)

func newAlertmanager(t *testing.T, k **desk, urls string, client *http.Client) *notify.Sink {
	t.Helper()
	am, err := notify.NewAlertmanager(urls, time.Minute, client, func() time.Time { return (*k).now() })
	if err != nil {
		t.Fatal(err)
	}
	return am
}

// posts are the alerts that an Alertmanager got.
func posts(t *testing.T, s *server) []post {
	t.Helper()
	var all []post
	for _, r := range s.all() {
		var p []post
		if err := json.Unmarshal(r.body, &p); err != nil {
			t.Fatal(err)
		}
		all = append(all, p...)
	}
	return all
}

type post struct {
	Labels, Annotations map[string]string
	StartsAt, EndsAt    time.Time
}

// dated answers with a clock of its own.
func dated(now func() time.Time) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) { w.Header().Set("Date", now().Format(http.TimeFormat)) }
}

// TestReposts: a firing alert is posted every minute and lives for four; a resolved one ends now.
func TestReposts(t *testing.T) {
	var k *desk
	s := newServer(t, dated(func() time.Time { return k.now() }))
	k = newDesk(t, nil, newAlertmanager(t, &k, s.URL, notify.NewClient(nil)))
	k.keep(frame.AtRisk, "")
	k.pass(10 * time.Minute)
	all := posts(t, s)
	if len(all) != 10 {
		t.Errorf("posted %d times in ten minutes", len(all))
	}
	for i, p := range all {
		if want := begin.Add(time.Hour + time.Duration(i)*time.Minute + 4*time.Minute); !p.EndsAt.Equal(want) {
			t.Errorf("post %d ends at %v, want %v", i, p.EndsAt, want)
		}
		if !p.StartsAt.Equal(all[0].StartsAt) {
			t.Errorf("post %d starts at %v", i, p.StartsAt)
		}
	}
	k.keep(frame.Blind, "")
	k.pass(5 * time.Minute)
	if n := len(posts(t, s)); n != 15 {
		t.Errorf("posted %d times after five minutes without sight, want 15: being blind resolves nothing", n)
	}
	k.keep(frame.Ended, frame.Met)
	k.pass(10 * time.Minute)
	all = posts(t, s)
	if last := all[len(all)-1]; len(all) != 16 || !last.EndsAt.Equal(begin.Add(time.Hour+15*time.Minute)) {
		t.Errorf("%d posts, the last ends at %v", len(all), last.EndsAt)
	}
}

// TestAlertmanagerDown: down for an hour, then back: it has the alerts within two minutes. An alert that ended before
// it came back is sent if the query was late, and then expires; an
// alert of a risk is not.
func TestAlertmanagerDown(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	l.Close()
	var k *desk
	k = newDesk(t, open(t, t.TempDir()), newAlertmanager(t, &k, "http://"+addr, notify.NewClient(nil)))
	late, feared := k.d.Watch(nil), k.d.Watch(nil)
	k.keep(frame.AtRisk, "")
	keep(t, late, "wf_late", frame.Late, "")
	keep(t, feared, "wf_feared", frame.AtRisk, "")
	k.pass(time.Hour)
	if s := k.d.Stats()[0]; s.Sent != 0 || s.Failed < 60 {
		t.Errorf("%+v after an hour", s)
	}
	keep(t, late, "wf_late", frame.Ended, frame.Missed)
	keep(t, feared, "wf_feared", frame.Ended, frame.Met)
	late.Close()
	feared.Close()
	if l, err = net.Listen("tcp", addr); err != nil {
		t.Skipf("SKIPPED: the port is in use: %v", err)
	}
	s := &server{}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var p []post
		if err := json.NewDecoder(r.Body).Decode(&p); err != nil {
			t.Error(err)
		}
		b, _ := json.Marshal(p)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.got = append(s.got, received{body: b})
	}))
	s.Listener.Close()
	s.Listener = l
	s.Start()
	defer s.Close()
	k.pass(2 * time.Minute)
	fires := map[string]bool{}
	for _, p := range posts(t, s) {
		fires[p.Labels["workflow_id"]] = p.EndsAt.After(p.StartsAt.Add(time.Hour))
	}
	if !fires["wf_1"] || !fires["wf_late"] || len(fires) != 2 {
		t.Errorf("fires: %v, want wf_1 and wf_late", fires)
	}
}

// TestAlertmanagerAnswers: 500 and 429 are tried again, 400 is not and does not stop what comes later. After
// 429 or 503 the next attempt waits as long as the response requests; after 500 it does not.
func TestAlertmanagerAnswers(t *testing.T) {
	for _, c := range []struct {
		code  int
		again bool
		waits time.Duration // from the first post to the second
	}{{500, true, time.Second}, {429, true, 5 * time.Second}, {503, true, 5 * time.Second}, {400, false, 0}} {
		var k *desk
		s := newServer(t, func(w http.ResponseWriter) {
			dated(k.now)(w)
			w.Header().Set("Retry-After", "5")
			w.WriteHeader(c.code)
		})
		k = newDesk(t, nil, newAlertmanager(t, &k, s.URL, notify.NewClient(nil)))
		k.keep(frame.AtRisk, "")
		k.pass(10 * time.Minute)
		if n := len(s.all()); (n > 1) != c.again {
			t.Errorf("%d: posted %d times", c.code, n)
		}
		if all := posts(t, s); c.again && len(all) > 1 { // an end is four reposts after the post
			if is := all[1].EndsAt.Sub(all[0].EndsAt); is != c.waits {
				t.Errorf("%d: posted again after %v, want %v", c.code, is, c.waits)
			}
		}
		s.respond(nil)
		before := len(s.all())
		k.keep(frame.Late, "")
		k.pass(2 * time.Minute)
		if n := len(s.all()) - before; n == 0 {
			t.Errorf("%d: nothing is posted once it answers", c.code)
		}
	}
}

// TestHanging: a sink that hangs holds up neither the loop nor another sink, nor the end for longer than the drain.
func TestHanging(t *testing.T) {
	good := newServer(t, nil)
	slow, err := notify.NewWebhook(hangingServer(t), "", nil, notify.NewClient(nil))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	d := notify.New(notify.Config{
		Sinks: []*notify.Sink{slow, newWebhook(t, good.URL, "")}, Store: open(t, dir),
		Log: zerolog.Nop(),
	})
	d.Start()
	w := d.Watch(nil)
	keep(t, w, "wf_1", frame.AtRisk, "")
	keep(t, w, "wf_1", frame.Ended, frame.Met)
	w.Close()
	if left := d.Close(500 * time.Millisecond); left != 2 {
		t.Errorf("%d left, want the two that the hanging sink has not taken", left)
	}
	if n := len(good.all()); n != 2 {
		t.Errorf("the other sink was notified %d times, want twice", n)
	}
	// It is not lost: the next watcher takes it on.
	again := newDesk(t, open(t, dir), slow)
	if s := again.d.Stats()[0]; s.Waiting != 2 {
		t.Errorf("the next watcher has %+v, want two waiting", s)
	}
}

// TestHangingTimesOut: a server that never answers is left and tried again.
func TestHangingTimesOut(t *testing.T) {
	client := notify.NewClient(nil)
	client.Timeout = 50 * time.Millisecond
	h, err := notify.NewWebhook(hangingServer(t), "", nil, client)
	if err != nil {
		t.Fatal(err)
	}
	k := newDesk(t, nil, h)
	k.keep(frame.AtRisk, "")
	if s := k.d.Stats()[0]; s.Failed != 1 || s.Waiting != 1 || !strings.Contains(k.log.String(), "no answer") {
		t.Errorf("%+v, log %s", s, k.log.String())
	}
}

// TestClockStep: the watcher's clock is set an hour forth or back. Alertmanager keeps the alert, and lets go of it.
func TestClockStep(t *testing.T) {
	for _, by := range []time.Duration{time.Hour, -time.Hour} {
		var k *desk
		real := func() time.Time { return begin.Add(k.time) }
		s := newServer(t, dated(real))
		k = newDesk(t, nil, newAlertmanager(t, &k, s.URL, notify.NewClient(nil)))
		k.keep(frame.AtRisk, "")
		k.step = by
		k.pass(5 * time.Minute)
		all := posts(t, s)
		last := all[len(all)-1]
		if left := last.EndsAt.Sub(real()); left < 2*time.Minute || left > 5*time.Minute {
			t.Errorf("%v: it ends in %v", by, left)
		}
		if n := len(all); n > 8 {
			t.Errorf("%v: %d posts in five minutes", by, n)
		}
		k.keep(frame.OnTrack, "")
		all = posts(t, s)
		if last := all[len(all)-1]; last.EndsAt.After(real()) || last.StartsAt.After(last.EndsAt) {
			t.Errorf("%v: resolved from %v to %v, and it is %v", by, last.StartsAt, last.EndsAt, real())
		}
	}
}

// TestMembers checks that each member of a cluster gets the alert, and one that is down does not hide it from the
// others.
func TestMembers(t *testing.T) {
	var k *desk
	now := func() time.Time { return k.now() }
	one, two := newServer(t, dated(now)), newServer(t, dated(now))
	client := notify.NewClient(nil)
	k = newDesk(t, nil, newAlertmanager(t, &k, one.URL, client), newAlertmanager(t, &k, "http://127.0.0.1:1", client),
		newAlertmanager(t, &k, two.URL+"/prefix/", client))
	k.keep(frame.Late, "")
	all := k.d.Stats()
	if len(one.all()) != 1 || len(two.all()) != 1 || all[0].Sent != 1 || all[1].Failed != 1 || all[2].Sent != 1 {
		t.Errorf("%d and %d posts, %+v", len(one.all()), len(two.all()), all)
	}
}
