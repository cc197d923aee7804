package serve

import (
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/paratimer/paratimer/adapters/keypair"
)

// A Door controls access. The zero value admits every client that reaches the address, over plain HTTP.
type Door struct {
	// required as Authorization: Bearer, or as the password of HTTP basic, which browsers prompt for; "" for none
	Token   string
	Pair    *keypair.Pair    // the server's certificate, reread when it changes; nil is plain HTTP
	Clients *x509.CertPool   // issuers of client certificates, with Pair; nil requires none
	Now     func() time.Time // for the lockout after wrong tokens; nil is time.Now
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
	locked := inside
	if d.Token != "" {
		locked = d.lock(inside)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if slices.Contains(unasked, r.URL.Path) {
			outside.ServeHTTP(w, r)
			return
		}
		locked.ServeHTTP(w, r)
	})
}

// lock requires the token. A right token is always accepted: otherwise a client that sends wrong ones could lock out
// all others at its address.
func (d Door) lock(inside http.Handler) http.Handler {
	now := d.Now
	if now == nil {
		now = time.Now
	}
	want, tries := sha256.Sum256([]byte(d.Token)), newStrikes(now)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token, given := offered(r)
		got := sha256.Sum256([]byte(token))
		// Compare hashes in constant time, which reveals nothing about the token.
		if subtle.ConstantTimeCompare(got[:], want[:]) == 1 {
			inside.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Connection", "close") // the next guess needs a connection of its own
		if tries.wrong(client(r.RemoteAddr), given) {
			w.Header().Set("Retry-After", "60")
			http.Error(w, "too many wrong tokens: wait a minute", http.StatusTooManyRequests)
			return
		}
		w.Header().Set("WWW-Authenticate",
			`Basic realm="paratimer: any name, and the token as the password", charset="UTF-8"`)
		http.Error(w, "a token is wanted: Authorization: Bearer TOKEN, or any name with the token as the password",
			http.StatusUnauthorized)
	})
}

// offered returns the token of a request.
func offered(r *http.Request) (token string, given bool) {
	if _, password, ok := r.BasicAuth(); ok {
		return password, true
	}
	scheme, token, found := strings.Cut(r.Header.Get("Authorization"), " ")
	if !found || !strings.EqualFold(scheme, "Bearer") {
		return "", r.Header.Get("Authorization") != ""
	}
	return strings.TrimSpace(token), true
}
