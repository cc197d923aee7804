package spnego

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// overTheNetwork is a transport of the test's own, whose connections end with it.
func newTransport(t *testing.T) http.RoundTripper {
	tr := &http.Transport{}
	t.Cleanup(tr.CloseIdleConnections)
	return tr
}

// A dial is a clock that the test sets.
type dial struct {
	mu sync.Mutex
	at time.Time
}

func (d *dial) now() time.Time { d.mu.Lock(); defer d.mu.Unlock(); return d.at }

func (d *dial) turn(by time.Duration) { d.mu.Lock(); defer d.mu.Unlock(); d.at = d.at.Add(by) }

// TestOneNegotiation: many requests at once to one host cost one ticket, later ones none.
func TestOneNegotiation(t *testing.T) {
	r := newRealm(t, "10m", "alice", "HTTP/localhost")
	h := newHadoop(t, r.keytab("HTTP/localhost"))
	rt := r.login(Options{Keytab: r.keytab("alice")}).Layer(newTransport(t))
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if status, body, err := get(t, rt, h.address()); status != http.StatusOK || body == "" {
				t.Errorf("%d %q %v", status, body, err)
			}
		})
	}
	wg.Wait()
	if h.tickets != 1 || h.requests != 20+h.refused {
		t.Errorf("%d negotiations, %d refusals, %d requests; want one negotiation", h.tickets, h.refused, h.requests)
	}
	if as, tgs := r.issued("AS_REQ"), r.issued("TGS_REQ"); as != 1 || tgs != 1 {
		t.Errorf("the KDC gave %d and %d tickets, want 1 and 1", as, tgs)
	}
}

// TestCookieIsRenewed: when a cookie has ended one request is refused, and gets a new one.
func TestCookieIsRenewed(t *testing.T) {
	r := newRealm(t, "10m", "alice", "HTTP/localhost")
	h := newHadoop(t, r.keytab("HTTP/localhost"))
	clock := &dial{at: time.Now()}
	h.now, h.validity = clock.now, time.Minute
	rt := r.login(Options{Keytab: r.keytab("alice"), Clock: clock.now}).Layer(newTransport(t))
	for range 30 { // of ten seconds: five minutes
		if status, _, err := get(t, rt, h.address()); status != http.StatusOK {
			t.Fatalf("%d %v", status, err)
		}
		clock.turn(10 * time.Second)
	}
	if h.refused != 5 || h.tickets != 5 {
		t.Errorf("%d refusals and %d negotiations in five minutes of cookies of one; want 5 and 5", h.refused,
			h.tickets)
	}
}

// TestServerForgets: a server that was restarted with another secret costs one refusal and one ticket, however many
// ask.
func TestServerForgets(t *testing.T) {
	r := newRealm(t, "10m", "alice", "HTTP/localhost")
	h := newHadoop(t, r.keytab("HTTP/localhost"))
	rt := r.login(Options{Keytab: r.keytab("alice")}).Layer(newTransport(t))
	if status, _, err := get(t, rt, h.address()); status != http.StatusOK {
		t.Fatalf("%d %v", status, err)
	}
	h.set(func() { h.secret = "two" })
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			if status, _, err := get(t, rt, h.address()); status != http.StatusOK {
				t.Errorf("%d %v", status, err)
			}
		})
	}
	wg.Wait()
	if h.tickets != 2 {
		t.Errorf("%d negotiations, want 2", h.tickets)
	}
}

// TestOnlyWhereAsked: a server that does not ask with Negotiate is sent neither a ticket nor a cookie, and needs no
// login.
func TestOnlyWhereAsked(t *testing.T) {
	for name, answer := range map[string]http.HandlerFunc{
		"open": func(w http.ResponseWriter, r *http.Request) { w.Header().Set("Set-Cookie", "hadoop.auth=simple") },
		"basic": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("WWW-Authenticate", `Basic realm="Negotiate"`)
			w.WriteHeader(http.StatusUnauthorized)
		},
		"acl": func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusUnauthorized) },
		"500": func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusInternalServerError) },
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Authorization")+r.Header.Get("Cookie") != "" {
					t.Errorf("got %v", r.Header)
				}
				answer(w, r)
			}))
			defer s.Close()
			l := New(Options{Getenv: func(string) string { return "/nonexistent" }})
			rt := l.Layer(newTransport(t))
			for range 3 {
				req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL, nil)
				resp, err := rt.RoundTrip(req)
				if err != nil {
					t.Fatal(err)
				}
				resp.Body.Close()
			}
			if l.Used() {
				t.Error("somebody was logged in")
			}
		})
	}
}

// TestCookiesOfPorts: two services of one host that do not share a secret each keep their own cookie.
func TestCookiesOfPorts(t *testing.T) {
	r := newRealm(t, "10m", "alice", "HTTP/localhost")
	kt := r.keytab("HTTP/localhost")
	a, b := newHadoop(t, kt), newHadoop(t, kt)
	b.secret = "other"
	rt := r.login(Options{Keytab: r.keytab("alice")}).Layer(newTransport(t))
	for range 5 {
		for _, h := range []*hadoop{a, b} {
			if status, _, err := get(t, rt, h.address()); status != http.StatusOK {
				t.Fatalf("%d %v", status, err)
			}
		}
	}
	if a.tickets != 1 || b.tickets != 1 {
		t.Errorf("%d and %d negotiations, want one each", a.tickets, b.tickets)
	}
	if as, tgs := r.issued("AS_REQ"), r.issued("TGS_REQ"); as != 1 || tgs != 1 {
		t.Errorf("the KDC gave %d and %d tickets, want 1 and 1: both are HTTP/localhost", as, tgs)
	}
}

// TestKDCIsDown checks that no error occurs while cookies are valid, and that a later one names the KDC.
func TestKDCIsDown(t *testing.T) {
	r := newRealm(t, "10m", "alice", "HTTP/localhost")
	h := newHadoop(t, r.keytab("HTTP/localhost"))
	clock := &dial{at: time.Now()}
	h.now, h.validity = clock.now, 20*time.Minute
	rt := r.login(Options{Keytab: r.keytab("alice"), Clock: clock.now}).Layer(newTransport(t))
	if status, _, err := get(t, rt, h.address()); status != http.StatusOK {
		t.Fatalf("%d %v", status, err)
	}
	r.stop()
	for range 5 {
		// the cookie is to be renewed from the 16th minute on, and the ticket ends in the tenth
		clock.turn(199 * time.Second)
		if status, _, err := get(t, rt, h.address()); status != http.StatusOK {
			t.Fatalf("after %v: %d %v", clock.now(), status, err)
		}
	}
	clock.turn(5 * time.Minute)
	_, _, err := get(t, rt, h.address())
	e, ok := errors.AsType[*Error](err)
	if !ok || !strings.Contains(e.Text, "no KDC of SPNEGO.TEST answers") || e.Hint == "" {
		t.Fatalf("got %v", err)
	}
	r.start()
	clock.turn(time.Second)
	if status, _, err := get(t, rt, h.address()); status != http.StatusOK {
		t.Errorf("with the KDC back: %d %v", status, err)
	}
}

// TestRefusedTicket: a server whose keytab is not the KDC's refuses, and is named with what to do.
func TestRefusedTicket(t *testing.T) {
	r := newRealm(t, "10m", "alice", "HTTP/localhost")
	old := newHadoop(t, r.keytab("HTTP/localhost"))
	r.admin("cpw -randkey HTTP/localhost")
	_, _, err := get(t, r.login(Options{Keytab: r.keytab("alice")}).Layer(newTransport(t)), old.address())
	e, ok := errors.AsType[*Error](err)
	if !ok || !strings.Contains(e.Text, "refuses the ticket: 401") || e.Advice() == "" {
		t.Errorf("got %v", err)
	}
	for _, header := range old.seen {
		if header != "" && strings.Contains(err.Error()+e.Hint, strings.TrimPrefix(header, "Negotiate ")) {
			t.Error("the error shows the ticket")
		}
	}
}
