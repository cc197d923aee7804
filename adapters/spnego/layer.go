package spnego

import (
	"encoding/base64"
	"fmt"
	"html"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/jcmturner/gokrb5/v8/client"
	"github.com/jcmturner/gokrb5/v8/credentials"
	"github.com/jcmturner/gokrb5/v8/spnego"
)

const (
	// cookieName is the name of the token that Hadoop's servers sign (AuthenticatedURL.AUTH_COOKIE).
	cookieName = "hadoop.auth"
	// maxRefusal is how much of a refusal is read, in bytes.
	maxRefusal = 64 << 10
)

// Layer returns a transport over next that authenticates to servers that respond with 401 and Negotiate. Requests
// to other servers are not changed. Requests have no body, since they may be sent twice. Errors of the login are
// *Error.
func (l *Login) Layer(next http.RoundTripper) http.RoundTripper {
	return &layer{login: l, next: next}
}

type layer struct {
	login *Login
	next  http.RoundTripper

	servers sync.Map // *server by scheme, host and port: cookies of one port are not another's
}

// A server is the state of one server.
type server struct {
	turn    sync.Mutex                  // its holder negotiates; the others wait for the outcome
	session atomic.Pointer[http.Cookie] // the server's cookie for the authenticated user; nil before the first one
}

// RoundTrip sends a request with the session's cookie, and with a ticket if the server then requests Negotiate: it has
// no session yet, or its session has ended.
func (l *layer) RoundTrip(r *http.Request) (*http.Response, error) {
	state, _ := l.servers.LoadOrStore(r.URL.Scheme+"://"+strings.ToLower(r.URL.Host), &server{})
	s := state.(*server) //nolint:errcheck,forcetypeassert // the map has no other values
	session := s.session.Load()
	resp, err := l.next.RoundTrip(with(r, session, ""))
	if err != nil {
		return nil, err
	}
	if !wanted(resp) {
		if session != nil {
			s.take(resp)
		}
		return resp, nil
	}
	io.CopyN(io.Discard, resp.Body, maxRefusal) //nolint:errcheck // read so that the connection can be used again
	resp.Body.Close()
	// One request negotiates, the others wait for its outcome.
	s.turn.Lock()
	if s.session.Load() != session {
		s.turn.Unlock()
		return l.RoundTrip(r)
	}
	defer s.turn.Unlock()
	token, err := l.token(r)
	if err != nil {
		return nil, err
	}
	return l.prove(s, r, token)
}

// prove sends a request with a ticket.
func (l *layer) prove(s *server, r *http.Request, token string) (*http.Response, error) {
	resp, err := l.next.RoundTrip(with(r, nil, token))
	switch {
	case err != nil:
		return nil, err
	case s.take(resp):
		l.login.opt.Log(r.URL.Host + ": let in")
	case wanted(resp), resp.StatusCode == http.StatusForbidden:
		defer resp.Body.Close()
		text, _ := io.ReadAll(io.LimitReader(resp.Body, maxRefusal)) // what came is enough
		l.login.drop(r.URL.Hostname())
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
func with(r *http.Request, session *http.Cookie, token string) *http.Request {
	if session == nil && token == "" {
		return r
	}
	r = r.Clone(r.Context())
	if token != "" {
		r.Header.Set("Authorization", "Negotiate "+token)
		return r
	}
	r.AddCookie(session)
	return r
}

// take keeps the session that a response sets; false if it sets none, or an empty one, with which a server revokes it.
func (s *server) take(resp *http.Response) (isSet bool) {
	all := resp.Header.Values("Set-Cookie")
	// Only the session needs it: not a jar, which would send it to other ports, nor a recording.
	resp.Header.Del("Set-Cookie")
	for _, line := range all {
		c, err := http.ParseSetCookie(line)
		if err != nil || c.Name != cookieName {
			resp.Header.Add("Set-Cookie", line)
			continue
		}
		if isSet = c.Value != ""; isSet {
			// Only the fields of a request. The quotes stay, because servers compare the signature of what is between
			// them.
			//nolint:gosec // G124: it is sent back to the server that set it, never set
			s.session.Store(&http.Cookie{Name: c.Name, Value: c.Value, Quoted: c.Quoted})
		}
	}
	return isSet
}

// token returns the token for a request's Authorization header: a ticket to HTTP on its host, with a new
// authenticator. Nothing is delegated.
func (l *layer) token(r *http.Request) (text string, err error) {
	t, who, err := l.login.ticketFor(r.Context(), strings.ToLower(r.URL.Hostname()))
	if err != nil {
		return "", err
	}
	unusable := hinted("kinit, or get a new keytab", "the ticket of %s cannot be used", who)
	defer guard(&err, unusable)
	asks := &client.Client{Credentials: credentials.NewFromPrincipalName(who.name(), who.realm)}
	first, err := spnego.NewNegTokenInitKRB5(asks, t.Ticket, t.key)
	if err != nil {
		return "", unusable // the cause may quote keys
	}
	b, err := (&spnego.SPNEGOToken{Init: true, NegTokenInit: first}).Marshal()
	if err != nil {
		return "", unusable
	}
	return base64.StdEncoding.EncodeToString(b), nil
}

var title = regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title>`)

// refusal returns the error for a server that refuses a ticket; page is its response.
func (l *Login) refusal(r *http.Request, resp *http.Response, page []byte) error {
	reason := ""
	if m := title.FindSubmatch(page); m != nil {
		reason = short(html.UnescapeString(string(m[1])))
	}
	e := &Error{Text: fmt.Sprintf("%s refuses the ticket: %d %s", r.URL.Host, resp.StatusCode, reason)}
	switch low := strings.ToLower(reason + " " + string(page)); {
	case strings.Contains(low, "clock skew"):
		e.Hint = "the server's clock and the KDC's differ by more than five minutes"
		if date, err := http.ParseTime(resp.Header.Get("Date")); err == nil {
			e.Hint += "; " + skew(date, l.opt.Clock(), "the server's")
		}
	case strings.Contains(low, "checksum failed"), strings.Contains(low, "cannot find key"), strings.Contains(low,
		"decrypt"):
		e.Hint = "the server's keytab is not the one that the KDC has: its administrator must make a new one, and restart it"
	case strings.Contains(low, "rules applied to"), strings.Contains(low, "no rules"):
		e.Hint = "the server has no rule that makes a user of this principal (hadoop.security.auth_to_local)"
	case resp.StatusCode == http.StatusForbidden:
		e.Hint = "this principal may not use the service"
	default:
		e.Hint = "is the address the one that the server's keytab has, HTTP/" + r.URL.Hostname() + "?"
	}
	return e
}
