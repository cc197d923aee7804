package spnego

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

// maxRefusal is how much of a refusal is read, in bytes.
const maxRefusal = 64 << 10

// Layer returns a transport over next that authenticates to servers that respond with 401 and Negotiate. Requests
// to other servers are not changed. If a request has a body that cannot be sent twice, the 401 is returned. Errors
// of the login are *Error.
func (l *Login) Layer(next http.RoundTripper) http.RoundTripper {
	return &layer{login: l, next: next, servers: map[string]*server{}}
}

type layer struct {
	login *Login
	next  http.RoundTripper

	mu      sync.Mutex
	servers map[string]*server // by scheme, host and port: cookies of one port are not another's
}

// A server is the state of one server.
type server struct {
	turn chan struct{} // its holder negotiates; the others wait for the outcome

	mu      sync.Mutex
	seen    bool // it has responded
	asks    bool // it has requested Negotiate
	session *session
}

func (l *layer) server(r *http.Request) *server {
	l.mu.Lock()
	defer l.mu.Unlock()
	key := r.URL.Scheme + "://" + strings.ToLower(r.URL.Host)
	s := l.servers[key]
	if s == nil {
		s = &server{turn: make(chan struct{}, 1)}
		l.servers[key] = s
	}
	return s
}

func (l *layer) RoundTrip(r *http.Request) (*http.Response, error) {
	s := l.server(r)
	held, seen, asks := s.now()
	if now := l.login.opt.Clock(); held.usable(now) {
		if held.wearing(now) && s.try() {
			return l.renew(s, r, held)
		}
		return l.known(s, r, held)
	}
	if seen && !asks {
		return l.known(s, r, nil)
	}
	// One request negotiates, the others wait for its outcome.
	if err := s.enter(r.Context()); err != nil {
		return nil, err
	}
	return l.first(s, r)
}

// first sends a request to an unknown server, or to one that requires a ticket. Its caller has the turn.
func (l *layer) first(s *server, r *http.Request) (*http.Response, error) {
	held, seen, asks := s.now()
	if held.usable(l.login.opt.Clock()) || seen && !asks { // another request has found it out meanwhile
		s.leave()
		return l.known(s, r, held)
	}
	defer s.leave()
	if asks {
		return l.negotiate(s, r)
	}
	resp, err := l.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	s.learn(resp)
	if !wanted(resp) {
		return resp, nil
	}
	return l.instead(s, r, resp)
}

// known sends a request with the current session, or without one to a server that requires none.
func (l *layer) known(s *server, r *http.Request, held *session) (*http.Response, error) {
	resp, err := l.next.RoundTrip(with(r, held, ""))
	if err != nil {
		return nil, err
	}
	if !wanted(resp) {
		if held != nil {
			s.take(resp, l.login.opt.Clock())
		}
		return resp, nil
	}
	s.learn(resp)
	// The session has ended early: the server was restarted, or its secret changed.
	if err := s.enter(r.Context()); err != nil {
		resp.Body.Close()
		return nil, err
	}
	defer s.leave()
	if newer, _, _ := s.now(); newer != held && newer.usable(l.login.opt.Clock()) {
		if again, ok := twice(r); ok {
			discard(resp)
			return l.next.RoundTrip(with(again, newer, ""))
		}
		return resp, nil
	}
	s.forget(held)
	return l.instead(s, r, resp)
}

// renew gets a new session while the old one is valid. If that fails it uses the old one. Its caller has the turn.
func (l *layer) renew(s *server, r *http.Request, held *session) (*http.Response, error) {
	token, err := l.token(r)
	if err != nil {
		s.postpone(held, l.login.opt.Clock())
		s.leave()
		if r.Context().Err() != nil {
			return nil, err
		}
		l.login.opt.Log(fmt.Sprintf("%s: not renewed: %v", r.URL.Host, err))
		return l.known(s, r, held)
	}
	defer s.leave()
	return l.prove(s, r, token)
}

// instead repeats a request with a ticket after a 401, and returns the new response.
func (l *layer) instead(s *server, r *http.Request, resp *http.Response) (*http.Response, error) {
	again, ok := twice(r)
	if !ok {
		return resp, nil
	}
	discard(resp)
	return l.negotiate(s, again)
}

func (l *layer) negotiate(s *server, r *http.Request) (*http.Response, error) {
	token, err := l.token(r)
	if err != nil {
		return nil, err
	}
	return l.prove(s, r, token)
}

// prove sends a request with a ticket.
func (l *layer) prove(s *server, r *http.Request, token string) (*http.Response, error) {
	resp, err := l.next.RoundTrip(with(r, nil, token))
	if err != nil {
		return nil, err
	}
	if s.take(resp, l.login.opt.Clock()) {
		l.login.opt.Log(r.URL.Host + ": let in")
		return resp, nil
	}
	if wanted(resp) || resp.StatusCode == http.StatusForbidden {
		defer discard(resp)
		text, _ := io.ReadAll(io.LimitReader(resp.Body, maxRefusal)) // what came is enough
		l.login.drop(r.Context(), r.URL.Hostname())
		return nil, l.login.refusal(r, resp, text)
	}
	return resp, nil
}

// wanted reports whether a response requests Negotiate.
func wanted(resp *http.Response) bool {
	if resp.StatusCode != http.StatusUnauthorized {
		return false
	}
	for _, v := range resp.Header.Values("WWW-Authenticate") {
		for part := range strings.SplitSeq(v, ",") {
			if scheme, _, _ := strings.Cut(strings.TrimSpace(part), " "); strings.EqualFold(scheme, "Negotiate") {
				return true
			}
		}
	}
	return false
}

// with returns the request to send: with a session's cookie or a ticket, not both.
func with(r *http.Request, held *session, token string) *http.Request {
	if held == nil && token == "" {
		return r
	}
	r = r.Clone(r.Context())
	if token != "" {
		r.Header.Set("Authorization", "Negotiate "+token)
		return r
	}
	r.AddCookie(held.cookie)
	return r
}

// twice returns a request to be sent again; false if its body cannot be read again.
func twice(r *http.Request) (*http.Request, bool) {
	if r.Body == nil || r.Body == http.NoBody {
		return r, true
	}
	if r.GetBody == nil {
		return r, false
	}
	body, err := r.GetBody()
	if err != nil {
		return r, false
	}
	again := r.Clone(r.Context())
	again.Body = body
	return again, true
}

// discard reads a short response to its end, so that the connection can be used again.
func discard(resp *http.Response) {
	io.CopyN(io.Discard, resp.Body, maxRefusal) //nolint:errcheck // it is thrown away
	resp.Body.Close()
}

func (s *server) now() (held *session, seen, asks bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.session, s.seen, s.asks
}

func (s *server) learn(resp *http.Response) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen, s.asks = true, wanted(resp)
}

// take keeps the session that a response sets; false if it sets none.
func (s *server) take(resp *http.Response, now time.Time) bool {
	got := sessionOf(resp, now)
	if got == nil || got.cookie.Value == "" {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.session = got
	return true
}

func (s *server) forget(held *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.session == held {
		s.session = nil
	}
}

// postpone sets the next renewal to after a quarter of the remaining time.
func (s *server) postpone(held *session, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.session == held {
		later := *held
		later.due = now.Add(held.ends.Sub(now) / 4)
		s.session = &later
	}
}

func (s *server) try() bool {
	select {
	case s.turn <- struct{}{}:
		return true
	default:
		return false
	}
}

func (s *server) enter(ctx context.Context) error {
	select {
	case s.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *server) leave() { <-s.turn }
