package serve

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"
)

const (
	mostWrong   = 10          // wrong tokens of a client; one more gets status 429
	outsideFor  = time.Minute // since the last wrong one
	mostClients = 1024        // that are remembered; beyond it, the one with the oldest wrong token is dropped
)

// strikes count the wrong tokens of each client. They slow down guessing and lock out no client: a request with the
// right token is always served, because its client may share an address with a guesser. Only its length makes a token
// safe from guessing.
type strikes struct {
	now func() time.Time
	mu  sync.Mutex
	of  map[netip.Prefix]strike
}

type strike struct {
	n    int
	last time.Time
}

func newStrikes(now func() time.Time) *strikes {
	return &strikes{now: now, of: map[netip.Prefix]strike{}}
}

// wrong counts a wrong token, if the client has given one. out reports that it has used up its tries for now; then
// nothing is counted.
func (s *strikes) wrong(who netip.Prefix, given bool) (out bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, st := s.now(), s.of[who]
	if at.Sub(st.last) >= outsideFor {
		delete(s.of, who)
		st = strike{}
	}
	if st.n >= mostWrong || !given {
		return st.n >= mostWrong
	}
	s.of[who] = strike{st.n + 1, at}
	if len(s.of) > mostClients {
		oldest := who
		for other, st := range s.of {
			if st.last.Before(s.of[oldest].last) {
				oldest = other
			}
		}
		delete(s.of, oldest)
	}
	return false
}

// client returns the address of a client: IPv4, or the /64 that one machine of IPv6 commonly has to itself.
func client(remote string) netip.Prefix {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		host = remote
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return netip.Prefix{} // all clients without an address share a count
	}
	bits := 64
	if ip = ip.Unmap(); ip.Is4() {
		bits = 32
	}
	p, _ := ip.WithZone("").Prefix(bits) // these lengths are valid
	return p
}

// Headers adds headers that keep browsers from using the responses elsewhere.
func Headers(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Cache-Control", "no-store")
		h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		next.ServeHTTP(w, r)
	})
}

// Guarded adds Headers to responses that require no token. On the loopback it refuses a Host that is not this
// machine's own: otherwise any web page could read them by pointing its own name at 127.0.0.1.
func Guarded(next http.Handler) http.Handler {
	return Headers(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if at, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok && loopback(at.String()) &&
			!local(r.Host) {
			http.Error(w, "this address answers to localhost only", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	}))
}

// local reports whether a Host header is an address or localhost.
func local(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	_, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil
}
