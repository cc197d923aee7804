package serve

import (
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/adapters/infile"
)

// A Door controls access. The zero value admits every client that reaches the address, over plain HTTP.
type Door struct {
	// required as Authorization: Bearer, or as the password of HTTP basic, which browsers prompt for; "" for none
	Token   string
	Pair    *infile.KeyPair // the server's certificate, reread when it changes; nil is plain HTTP
	Clients *x509.CertPool  // issuers of client certificates, with Pair; nil requires none
}

// Locked reports whether the door requires a token or a client certificate.
func (d Door) Locked() bool { return d.Token != "" || d.Pair != nil && d.Clients != nil }

// Scheme returns the URL scheme of the server's addresses.
func (d Door) Scheme() string {
	if d.Pair != nil {
		return "https"
	}
	return "http"
}

// tls returns the TLS configuration; nil for plain HTTP.
func (d Door) tls() *tls.Config {
	if d.Pair == nil {
		return nil
	}
	c := &tls.Config{
		MinVersion:     tls.VersionTLS12,
		NextProtos:     []string{"http/1.1"}, // one request at a time on a connection, so that limits bound both
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return d.Pair.Certificate(), nil },
	}
	if d.Clients != nil {
		c.ClientAuth, c.ClientCAs = tls.RequireAndVerifyClientCert, d.Clients
	}
	return c
}

// unasked are the health checks: they reveal nothing else, and monitoring has no token.
var unasked = []string{"/healthz", "/readyz"}

// guard requires the token for inside. The health checks go to outside and are open to all clients.
func (d Door) guard(outside, inside http.Handler) http.Handler {
	if d.Token != "" {
		inside = d.lock(inside)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if slices.Contains(unasked, r.URL.Path) {
			outside.ServeHTTP(w, r)
			return
		}
		inside.ServeHTTP(w, r)
	})
}

// lock requires the token. Wrong ones are not counted: only its length makes a token safe from guessing, and to lock a
// client out would also lock out others at its address.
func (d Door) lock(inside http.Handler) http.Handler {
	want := sha256.Sum256([]byte(d.Token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got := sha256.Sum256([]byte(offered(r)))
		// Compare hashes in constant time, which reveals nothing about the token.
		if subtle.ConstantTimeCompare(got[:], want[:]) == 1 {
			inside.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Connection", "close") // the next guess needs a connection of its own
		w.Header().Set("WWW-Authenticate",
			`Basic realm="paratimer: any name, and the token as the password", charset="UTF-8"`)
		http.Error(w, "this needs a token: Authorization: Bearer TOKEN, or any name with the token as the password",
			http.StatusUnauthorized)
	})
}

// offered returns the token of a request; "" if it has none.
func offered(r *http.Request) string {
	if _, password, ok := r.BasicAuth(); ok {
		return password
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
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
		at, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
		if ok && at.IP.IsLoopback() && !local(r.Host) {
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
