package spnego

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

// maxRefusal is how much of a refusal is read, in bytes.
const maxRefusal = 64 << 10

// Layer returns a transport over next that authenticates to servers that respond with 401 and Negotiate. Requests
// to other servers are not changed. Requests have no body, since they may be sent twice. Errors of the login are
// *Error.
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
	isOpen  bool // its last response did not request Negotiate
	asks    bool // its last response did
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

func (l *layer) RoundTrip(r *http.Request) (resp *http.Response, err error) {
	s := l.server(r)
	held, isSettled := s.now(l.login.opt.Clock())
	if isSettled {
		resp, err = l.next.RoundTrip(with(r, held, ""))
		if err != nil || !wanted(resp) {
			if err == nil && held != nil {
				s.take(resp, l.login.opt.Clock())
			}
			return resp, err
		}
		// The session has ended early: the server was restarted, or its secret changed.
	}
	// One request negotiates, the others wait for its outcome.
	select {
	case s.turn <- struct{}{}:
	case <-r.Context().Done():
		if resp != nil {
			resp.Body.Close()
		}
		return nil, r.Context().Err()
	}
	leave := sync.OnceFunc(func() { <-s.turn })
	defer leave()
	newer, isNow := s.now(l.login.opt.Clock())
	byOther := isNow && (!isSettled || newer != held)
	if resp == nil && !byOther && !s.asks {
		if resp, err = l.next.RoundTrip(r); err != nil {
			return nil, err
		}
	}
	if resp != nil {
		if !byOther {
			s.learn(resp)
		}
		if !wanted(resp) {
			return resp, nil
		}
		discard(resp)
	}
	if byOther {
		leave()
		return l.RoundTrip(r)
	}
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

// discard reads a short response to its end, so that the connection can be used again.
func discard(resp *http.Response) {
	io.CopyN(io.Discard, resp.Body, maxRefusal) //nolint:errcheck // it is thrown away
	resp.Body.Close()
}

// now returns the session to use, nil for a server that requires none. It is not settled if the server is unknown, or
// if its session has ended.
func (s *server) now(now time.Time) (held *session, isSettled bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.session.usable(now) {
		return s.session, true
	}
	return nil, s.isOpen
}

// learn keeps whether the server requires Negotiate. A session that it has refused ends.
func (s *server) learn(resp *http.Response) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asks, s.session = wanted(resp), nil
	s.isOpen = !s.asks
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
