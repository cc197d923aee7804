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

// A Door is who is let in, and how. The zero value lets everybody in who reaches the address, over plain HTTP.
type Door struct {
	// asked for as Authorization: Bearer, or as the password of HTTP basic, which browsers know how to ask for; "" is
	// none
	Token   string
	Pair    *keypair.Pair    // the server's certificate, read again when it changes; nil is plain HTTP
	Clients *x509.CertPool   // who issues the certificates that clients must show, with Pair; nil asks for none
	Now     func() time.Time // for how long wrong tokens are held against somebody; nil is time.Now
}

// Locked says whether the door asks who comes.
func (d Door) Locked() bool { return d.Token != "" || d.Pair != nil && d.Clients != nil }

// Scheme is that of the server's addresses.
func (d Door) Scheme() string {
	if d.Pair != nil {
		return "https"
	}
	return "http"
}

// tls is nil for plain HTTP.
func (d Door) tls() *tls.Config {
	if d.Pair == nil {
		return nil
	}
	c := &tls.Config{
		MinVersion:     tls.VersionTLS12,
		NextProtos:     []string{"http/1.1"}, // so that a connection is a request at a time, and Limits bound both
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return d.Pair.Certificate(), nil },
	}
	if d.Clients != nil {
		c.ClientAuth, c.ClientCAs = tls.RequireAndVerifyClientCert, d.Clients
	}
	return c
}

// unasked are the paths that say nothing but that the program lives; who watches over that has no token.
var unasked = []string{"/healthz", "/readyz"}

// guard asks for the token before inside is reached. What says nothing but that the program lives is outside, and
// reached by everybody.
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

// lock asks for the token. A right one is let in always, or whoever sends wrong ones from an address would lock out all
// others there.
func (d Door) lock(inside http.Handler) http.Handler {
	now := d.Now
	if now == nil {
		now = time.Now
	}
	want, wrong := sha256.Sum256([]byte(d.Token)), newStrikes(now)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token, given := offered(r)
		got := sha256.Sum256([]byte(token))
		// Hashes are compared, in a time that tells nothing of the token.
		if subtle.ConstantTimeCompare(got[:], want[:]) == 1 {
			inside.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Connection", "close") // the next guess needs a connection of its own
		who := client(r.RemoteAddr)
		if wrong.out(who) {
			w.Header().Set("Retry-After", "60")
			http.Error(w, "too many wrong tokens: wait a minute", http.StatusTooManyRequests)
			return
		}
		if given {
			wrong.strike(who)
		}
		w.Header().Set("WWW-Authenticate",
			`Basic realm="paratimer: any name, and the token as the password", charset="UTF-8"`)
		http.Error(w, "a token is wanted: Authorization: Bearer TOKEN, or any name with the token as the password",
			http.StatusUnauthorized)
	})
}

// offered is the token of a request.
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
