package spnego

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// cookieName is the name of the token that Hadoop's servers sign (AuthenticatedURL.AUTH_COOKIE).
const cookieName = "hadoop.auth"

// A session is a server's cookie for an authenticated user.
type session struct {
	cookie *http.Cookie
	ends   time.Time // zero if unknown
}

// sessionOf takes the cookie from a response that came at now; nil if there is none. An empty cookie, with which a
// server revokes one, is a session that has ended.
func sessionOf(resp *http.Response, now time.Time) *session {
	var s *session
	var others []string
	for _, line := range resp.Header.Values("Set-Cookie") {
		c, err := http.ParseSetCookie(line)
		if err != nil || c.Name != cookieName {
			others = append(others, line)
			continue
		}
		// Only the fields of a request. The quotes stay, because servers compare the signature of what is between
		// them.
		//nolint:gosec // G124: it is sent back to the server that set it, never set
		s = &session{cookie: &http.Cookie{Name: c.Name, Value: c.Value, Quoted: c.Quoted}}
	}
	if s == nil {
		return nil
	}
	// Only the session needs it: not a jar, which would send it to other ports, nor a recording.
	resp.Header.Del("Set-Cookie")
	for _, line := range others {
		resp.Header.Add("Set-Cookie", line)
	}
	if left, ok := lifetime(s.cookie.Value, resp.Header.Get("Date"), now); ok {
		s.ends = now.Add(left)
	}
	return s
}

// lifetime reads the end of a token, in ms of the server's clock, and returns the time that is left by the server's
// Date. Dates are cut to seconds, so the server may be up to a second further.
func lifetime(token, date string, now time.Time) (left time.Duration, ok bool) {
	theirs, err := http.ParseTime(date)
	if err != nil {
		theirs = now
	}
	for field := range strings.SplitSeq(token, "&") {
		if ms, found := strings.CutPrefix(field, "e="); found {
			end, err := strconv.ParseInt(ms, 10, 64)
			if err != nil || end <= 0 {
				return 0, false // some servers' tokens have no end
			}
			return time.UnixMilli(end).Sub(theirs) - time.Second, true
		}
	}
	return 0, false
}

// usable reports whether the server is likely to accept the session at now.
func (s *session) usable(now time.Time) bool {
	return s != nil && s.cookie.Value != "" && (s.ends.IsZero() || now.Before(s.ends))
}
