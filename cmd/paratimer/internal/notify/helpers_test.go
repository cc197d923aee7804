package notify_test

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/paratimer/paratimer/adapters/state"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/alert"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/notify"
	"github.com/paratimer/paratimer/dag"
)

// A desk is a dispatcher with the test's time: only flush sends.
type desk struct {
	t    *testing.T
	d    *notify.Dispatcher
	w    *notify.Watch
	time time.Duration
	step time.Duration // of the clock, as a test sets it
	log  bytes.Buffer
}

func newDesk(t *testing.T, store notify.Store, all ...*notify.Sink) *desk {
	k := &desk{t: t, time: time.Hour}
	c := notify.Config{
		Store: store, Sinks: all, Log: zerolog.New(&k.log), Steady: func() time.Duration { return k.time }, Now: k.now,
		Limit: 5,
	}
	k.d = notify.New(c)
	k.d.Resume(context.Background())
	k.w = k.d.Watch(nil)
	t.Cleanup(func() { k.d.Close(0) })
	return k
}

func (k *desk) now() time.Time { return begin.Add(k.time + k.step) }

func (k *desk) keep(s frame.AlertState, o frame.Outcome) {
	k.t.Helper()
	keep(k.t, k.w, "wf_1", s, o)
	k.flush()
}

func (k *desk) flush() { k.d.Flush(context.Background()) }

// pass advances the time, and sends each second the due notifications.
func (k *desk) pass(d time.Duration) {
	for end := k.time + d; k.time < end; k.time += time.Second {
		k.flush()
	}
}

func open(t *testing.T, dir string) *state.Store {
	t.Helper()
	s, err := state.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// seen is a frame of a workflow with one alert.
func seen(id string, s frame.AlertState, outcome frame.Outcome) (alert.State, frame.Frame) {
	now := dag.InstantOf(time.Now())
	name := "nightly.pig"
	a := frame.Alert{Bound: "deadline", State: s, Since: frame.TimeOf(now), Text: "it is " + string(s), Opened: true}
	st := alert.Standing{State: s, Since: now}
	if outcome != "" {
		a.Outcome, st.Outcome = &outcome, &outcome
	}
	f := frame.Frame{
		At: frame.TimeOf(now), Workflow: frame.Workflow{ID: &id, Name: &name, State: dag.Running},
		Alerts: []frame.Alert{a},
	}
	return alert.State{Bounds: map[string]alert.Standing{"deadline": st}}, f
}

func keep(t *testing.T, w *notify.Watch, id string, s frame.AlertState, o frame.Outcome) {
	t.Helper()
	st, f := seen(id, s, o)
	w.Keep(st, f)
}

// A received is a request to a server, and the response to it.
type received struct {
	header http.Header
	body   []byte
}

// A server responds as a test sets it, and records requests.
type server struct {
	*httptest.Server
	mu     sync.Mutex
	got    []received
	answer func(w http.ResponseWriter)
}

func newServer(t *testing.T, answer func(w http.ResponseWriter)) *server {
	s := &server{answer: answer}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var b bytes.Buffer
		_, _ = b.ReadFrom(r.Body)
		s.mu.Lock()
		s.got = append(s.got, received{r.Header, b.Bytes()})
		answer := s.answer
		s.mu.Unlock()
		if answer != nil {
			answer(w)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *server) respond(answer func(w http.ResponseWriter)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = answer
}

func (s *server) all() []received {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]received(nil), s.got...)
}

func code(n int) func(http.ResponseWriter) { return func(w http.ResponseWriter) { w.WriteHeader(n) } }

func newWebhook(t *testing.T, url, body string) *notify.Sink {
	t.Helper()
	h, err := notify.NewWebhook(url, body, []byte("hush"), notify.NewClient(nil))
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// hangingServer starts a server that takes connections and never responds. It returns its address.
func hangingServer(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	var mu sync.Mutex
	var all []net.Conn
	group.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			all = append(all, c)
			mu.Unlock()
		}
	})
	t.Cleanup(func() {
		l.Close()
		group.Wait()
		for _, c := range all {
			c.Close()
		}
	})
	return "http://" + l.Addr().String()
}
