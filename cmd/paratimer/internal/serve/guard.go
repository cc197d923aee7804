package serve

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// Headers adds headers that keep browsers from doing anything with the answers.
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

// Guarded adds Headers to answers that ask for no token. A name in Host that is not this machine's own is refused on
// the loopback, or any web page could read them there by pointing its own name at 127.0.0.1.
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

// local says whether a Host header is an address or localhost.
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
