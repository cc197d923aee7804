package sinks_test

import (
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/paratimer/paratimer/adapters/state"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/notify"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/notify/sinks"
)

func newAlertmanager(t *testing.T, k **desk, urls string, client *http.Client) *sinks.Alertmanager {
	t.Helper()
	am, err := sinks.NewAlertmanager(urls, time.Minute, client, func() time.Time { return (*k).now() })
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

// TestReposts: what fires is posted each minute and lives for four; what is over ends now.
func TestReposts(t *testing.T) {
	var k *desk
	s := newServer(t, dated(func() time.Time { return k.now() }))
	k = newDesk(t, nil, newAlertmanager(t, &k, s.URL, sinks.NewClient(nil)))
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

// TestAlertmanagerDown: down for an hour, then back: it knows within two minutes. What was over before it came back is
// told where it was late, and then expires; what was only feared is not.
func TestAlertmanagerDown(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	l.Close()
	var k *desk
	k = newDesk(t, open(t, t.TempDir()), newAlertmanager(t, &k, "http://"+addr, sinks.NewClient(nil)))
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
		t.Skipf("SKIPPED: somebody has taken the port: %v", err)
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
		s.got = append(s.got, request{body: b})
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

// TestAlertmanagerAnswers: 500 and 429 are tried again, 400 is not and does not stop what comes later.
func TestAlertmanagerAnswers(t *testing.T) {
	for _, c := range []struct {
		code  int
		again bool
	}{{500, true}, {429, true}, {503, true}, {400, false}} {
		var k *desk
		s := newServer(t, func(w http.ResponseWriter) {
			dated(k.now)(w)
			w.Header().Set("Retry-After", "5")
			w.WriteHeader(c.code)
		})
		k = newDesk(t, nil, newAlertmanager(t, &k, s.URL, sinks.NewClient(nil)))
		k.keep(frame.AtRisk, "")
		k.pass(10 * time.Minute)
		if n := len(s.all()); (n > 1) != c.again {
			t.Errorf("%d: posted %d times", c.code, n)
		}
		s.say(nil)
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
	slow, err := sinks.NewWebhook(mute(t), "", nil, sinks.NewClient(nil))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	d := notify.New(notify.Config{Sinks: []notify.Sink{slow, newWebhook(t, good.URL, "")}, Store: open(t, dir), Log: zerolog.Nop()})
	d.Start()
	w := d.Watch(nil)
	keep(t, w, "wf_1", frame.AtRisk, "")
	keep(t, w, "wf_1", frame.Ended, frame.Met)
	w.Close()
	if left := d.Close(500 * time.Millisecond); left != 2 {
		t.Errorf("%d left, want the two that the hanging sink has not taken", left)
	}
	if n := len(good.all()); n != 2 {
		t.Errorf("the other sink was told %d times, want twice", n)
	}
	// It is not lost: the next watcher takes it on.
	again := newDesk(t, open(t, dir), slow)
	if s := again.d.Stats()[0]; s.Waiting != 2 {
		t.Errorf("the next watcher has %+v, want two waiting", s)
	}
}

// TestHangingTimesOut: a server that never answers is left and tried again.
func TestHangingTimesOut(t *testing.T) {
	client := sinks.NewClient(nil)
	client.Timeout = 50 * time.Millisecond
	h, err := sinks.NewWebhook(mute(t), "", nil, client)
	if err != nil {
		t.Fatal(err)
	}
	k := newDesk(t, nil, h)
	k.keep(frame.AtRisk, "")
	if s := k.d.Stats()[0]; s.Failed != 1 || s.Waiting != 1 || !strings.Contains(k.log.String(), "no answer") {
		t.Errorf("%+v, log %s", s, k.log.String())
	}
}

// A fullDisk is a store that cannot be written while it is full.
type fullDisk struct {
	*state.Store
	mu   sync.Mutex
	full bool
	n    int // writes that were tried
}

func (f *fullDisk) Update(name string, change func(*state.Workflow) error) error {
	f.mu.Lock()
	full := f.full
	f.n++
	f.mu.Unlock()
	if full {
		return &errNoSpace
	}
	return f.Store.Update(name, change)
}

var errNoSpace = net.OpError{Op: "write", Net: "file", Err: syscall.ENOSPC}

// TestDiskFull: a disk that is full loses no alert and ends no watch. It is said once, and what was told is written as
// soon as there is room.
func TestDiskFull(t *testing.T) {
	s := newServer(t, nil)
	disk := &fullDisk{Store: open(t, t.TempDir()), full: true}
	k := newDesk(t, disk, newWebhook(t, s.URL, ""))
	k.keep(frame.OnTrack, "")
	k.keep(frame.AtRisk, "")
	for range 100 {
		k.keep(frame.AtRisk, "")
	}
	if n := len(s.all()); n != 1 {
		t.Errorf("told %d times, want once", n)
	}
	if n := strings.Count(k.log.String(), "cannot be remembered"); n != 1 {
		t.Errorf("said %d times: %s", n, k.log.String())
	}
	if disk.n > 4 {
		t.Errorf("%d writes were tried at once", disk.n)
	}
	disk.full = false
	k.pass(time.Minute)
	w, err := disk.Read("nightly.pig")
	if err != nil || !strings.Contains(string(w.Watched["wf_1"]), `"state":"at_risk"`) {
		t.Errorf("remembered: %s, %v", w.Watched["wf_1"], err)
	}
}

// TestDiskFullAtTheEnd: the disk is full when the query ends. What was told of it is written once there is room, though
// nobody watches it any more.
func TestDiskFullAtTheEnd(t *testing.T) {
	disk := &fullDisk{Store: open(t, t.TempDir())}
	k := newDesk(t, disk, newWebhook(t, newServer(t, nil).URL, ""))
	k.keep(frame.AtRisk, "")
	disk.full = true
	k.keep(frame.Ended, frame.Met)
	k.w.Close()
	disk.full = false
	k.pass(time.Minute)
	w, err := disk.Read("nightly.pig")
	if err != nil || !strings.Contains(string(w.Watched["wf_1"]), `"ended":true`) {
		t.Errorf("remembered: %s, %v", w.Watched["wf_1"], err)
	}
}

// TestWritesOnChange: a tick that changes nothing writes nothing.
func TestWritesOnChange(t *testing.T) {
	disk := &fullDisk{Store: open(t, t.TempDir())}
	k := newDesk(t, disk, newWebhook(t, newServer(t, nil).URL, ""))
	for _, s := range []frame.AlertState{frame.OnTrack, frame.AtRisk} {
		k.keep(s, "")
		n := disk.n
		for range 1000 {
			k.keep(s, "")
		}
		if disk.n != n {
			t.Errorf("%d writes in a thousand ticks that are %s", disk.n-n, s)
		}
	}
}

// TestTakeOver: of two watchers that share a folder one tells, and the other goes on where that one left off.
func TestTakeOver(t *testing.T) {
	s := newServer(t, nil)
	dir := t.TempDir()
	a, b := newDesk(t, open(t, dir), newWebhook(t, s.URL, "")), newDesk(t, open(t, dir), newWebhook(t, s.URL, ""))
	a.keep(frame.AtRisk, "")
	b.keep(frame.AtRisk, "")
	if n := len(s.all()); n != 1 {
		t.Fatalf("told %d times, want once", n)
	}
	b.keep(frame.Late, "")
	if n := len(s.all()); n != 1 {
		t.Fatalf("the second watcher tells as well: %d", n)
	}
	a.d.Close(0)
	b.keep(frame.Late, "")
	if n := len(s.all()); n != 2 {
		t.Errorf("told %d times, want that it is late", n)
	}
	b.keep(frame.Ended, frame.Missed)
	all := s.all()
	if len(all) != 3 || !strings.HasSuffix(all[2].header.Get("Idempotency-Key"), "resolved") {
		t.Errorf("told %d times", len(all))
	}
	// A third one comes when all is said.
	c := newDesk(t, open(t, dir), newWebhook(t, s.URL, ""))
	_, f := seen("wf_1", frame.Ended, frame.Missed)
	c.w.Recall(f)
	c.keep(frame.Ended, frame.Missed)
	if n := len(s.all()); n != 3 {
		t.Errorf("the third watcher tells it again: %d", n)
	}
}

// TestTakeOverSeesNoMore: who takes over resolves what the other fired, though it sees it on track itself.
func TestTakeOverSeesNoMore(t *testing.T) {
	s := newServer(t, nil)
	dir := t.TempDir()
	a, b := newDesk(t, open(t, dir), newWebhook(t, s.URL, "")), newDesk(t, open(t, dir), newWebhook(t, s.URL, ""))
	b.keep(frame.OnTrack, "")
	a.keep(frame.AtRisk, "")
	b.keep(frame.OnTrack, "")
	a.d.Close(0)
	b.time += time.Minute
	b.keep(frame.OnTrack, "")
	if all := s.all(); len(all) != 2 || !strings.HasSuffix(all[1].header.Get("Idempotency-Key"), "resolved") {
		t.Errorf("told %d times", len(all))
	}
}

// TestApart: of two watchers that share nothing each resolves only what it fired.
func TestApart(t *testing.T) {
	s := newServer(t, nil)
	a, b := newDesk(t, nil, newWebhook(t, s.URL, "")), newDesk(t, nil, newWebhook(t, s.URL, ""))
	a.keep(frame.AtRisk, "")
	b.keep(frame.OnTrack, "")
	b.keep(frame.Ended, frame.Met)
	if n := len(s.all()); n != 1 {
		t.Errorf("told %d times: who has not fired it resolves it", n)
	}
	a.keep(frame.OnTrack, "")
	if n := len(s.all()); n != 2 {
		t.Errorf("told %d times", n)
	}
}

// TestClockStep: the watcher's clock is set an hour forth or back. Alertmanager keeps the alert, and lets go of it.
func TestClockStep(t *testing.T) {
	for _, by := range []time.Duration{time.Hour, -time.Hour} {
		var k *desk
		real := func() time.Time { return begin.Add(k.time) }
		s := newServer(t, dated(real))
		k = newDesk(t, nil, newAlertmanager(t, &k, s.URL, sinks.NewClient(nil)))
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

// TestMembers: each member of a cluster is told, and one that is down does not hide it from the others.
func TestMembers(t *testing.T) {
	var k *desk
	now := func() time.Time { return k.now() }
	one, two := newServer(t, dated(now)), newServer(t, dated(now))
	k = newDesk(t, nil, newAlertmanager(t, &k, one.URL+", http://127.0.0.1:1,"+two.URL+"/prefix/", sinks.NewClient(nil)))
	k.keep(frame.Late, "")
	if s := k.d.Stats()[0]; len(one.all()) != 1 || len(two.all()) != 1 || s.Sent != 1 || s.Failed != 0 {
		t.Errorf("%d and %d posts, %+v", len(one.all()), len(two.all()), s)
	}
}

// TestWithdrawn: a query that is no longer held to a bound is no longer told of.
func TestWithdrawn(t *testing.T) {
	s := newServer(t, nil)
	k := newDesk(t, open(t, t.TempDir()), newWebhook(t, s.URL, ""))
	k.keep(frame.AtRisk, "")
	st, f := seen("wf_1", frame.AtRisk, "")
	f.Alerts = nil
	for range 2 {
		if err := k.w.Keep(st, f); err != nil {
			t.Fatal(err)
		}
		k.flush()
	}
	if all := s.all(); len(all) != 2 || !strings.HasSuffix(all[1].header.Get("Idempotency-Key"), "resolved") {
		t.Errorf("told %d times, want that it fires and that it is over", len(all))
	}
}
