package serve

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/paratimer/paratimer/adapters/infile"
	"github.com/paratimer/paratimer/internal/testkit/fixtures"
)

const right = "0123456789abcdef"

var hello = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
	_, _ = io.WriteString(w, "secret numbers")
})

// at returns the response of a guarded handler to a peer's request.
func at(h http.Handler, peer, path, authorization string) *http.Response {
	r := httptest.NewRequest(http.MethodGet, path, nil)
	r.RemoteAddr = peer
	if authorization != "" {
		r.Header.Set("Authorization", authorization)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

func basic(password string) string {
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.SetBasicAuth("anybody", password)
	return r.Header.Get("Authorization")
}

// TestToken: the token lets in as a bearer and as a password, nothing else does, and the page that only shows that the
// program runs needs none.
func TestToken(t *testing.T) {
	h := Headers(Door{Token: right}.guard(hello, hello))
	for i, c := range []struct {
		path, authorization string
		status              int
	}{
		{"/metrics", "Bearer " + right, 200},
		{"/metrics", "bearer " + right, 200},
		{"/", basic(right), 200},
		{"/metrics", "", 401},
		{"/metrics", "Bearer", 401},
		{"/metrics", "Bearer " + right + "0", 401},
		{"/metrics", "Bearer " + right[1:], 401},
		{"/metrics", "Digest " + right, 401},
		{"/metrics?token=" + right, "", 401},
		{"/metrics", basic(""), 401},
		{"/healthz", "", 200},
		{"/readyz", "", 200},
		{"/healthz/", "", 401},
		{"/healthz/../metrics", "", 401},
	} {
		r := at(h, fmt.Sprintf("10.0.0.%d:1", i), c.path, c.authorization)
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		if r.StatusCode != c.status || strings.Contains(string(body), "secret") != (c.status == 200) ||
			strings.Contains(string(body), right) {
			t.Errorf("%s with %q: %d %q, want %d", c.path, c.authorization, r.StatusCode, body, c.status)
		}
		if r.StatusCode == 401 && !strings.HasPrefix(r.Header.Get("WWW-Authenticate"), "Basic ") {
			t.Error("the response does not let a browser request the token")
		}
		if r.Header.Get("X-Content-Type-Options") != "nosniff" || r.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: headers %v", c.path, r.Header)
		}
	}
}

// TestEncrypted: over TLS, with a certificate that is renewed meanwhile, only with a client certificate of the right
// authority.
func TestEncrypted(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	ca, otherCA, dir := fixtures.NewAuthority(t, "ca"), fixtures.NewAuthority(t, "another ca"), t.TempDir()
	cert, key := fixtures.CertFiles(t, dir, ca.Issue("one", nil, "127.0.0.1"))
	pair, err := infile.OpenKeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	d := Door{Pair: pair, Clients: ca.Pool()}
	if !d.Locked() || d.Scheme() != "https" || (Door{Pair: pair}).Locked() || (Door{}).Scheme() != "http" {
		t.Error("Locked or Scheme is wrong")
	}
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	stop := Serve(l, hello, Limits{Connections: 4, Time: 5 * time.Second}, d, func(err error) { t.Error(err) })
	defer stop()
	get := func(change func(*tls.Config), scheme string) (name string, err error) {
		conf := &tls.Config{RootCAs: ca.Pool()}
		change(conf)
		client := http.Client{Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: conf}}
		r, err := http.NewRequestWithContext(context.Background(), http.MethodGet, scheme+"://"+l.Addr().String()+"/",
			nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := client.Do(r)
		if err != nil {
			return "", err
		}
		defer resp.Body.Close()
		if resp.TLS == nil || resp.StatusCode != 200 {
			return "", fmt.Errorf("%s", resp.Status)
		}
		return resp.TLS.PeerCertificates[0].Subject.CommonName, nil
	}
	shows := func(c tls.Certificate) func(*tls.Config) {
		return func(conf *tls.Config) { conf.Certificates = []tls.Certificate{c} }
	}
	mine := shows(ca.Issue("watcher", nil))
	if name, err := get(mine, "https"); name != "one" || err != nil {
		t.Errorf("%q, %v", name, err)
	}
	for what, c := range map[string]func(*tls.Config){
		"no certificate":      func(*tls.Config) {},
		"another authority's": shows(otherCA.Issue("watcher", nil)),
		"an expired one": shows(ca.Issue("watcher", func(c *x509.Certificate) {
			c.NotAfter = time.Now().Add(-time.Minute)
		})),
		"old TLS": func(conf *tls.Config) {
			mine(conf)
			conf.MinVersion, conf.MaxVersion = tls.VersionTLS10, tls.VersionTLS11
		},
	} {
		if name, err := get(c, "https"); err == nil {
			t.Errorf("%s: let in by %s", what, name)
		}
	}
	if _, err := get(mine, "http"); err == nil {
		t.Error("answered without TLS")
	}
	fixtures.CertFiles(t, dir, ca.Issue("renewed", nil, "127.0.0.1"))
	if name, err := get(mine, "https"); name != "renewed" || err != nil {
		t.Errorf("after the renewal: %q, %v", name, err)
	}
}

// TestSlowAndLarge: a client that does not finish a request is cut off, and a header of any length is not read.
func TestSlowAndLarge(t *testing.T) {
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	stop := Serve(l, hello, Limits{Connections: 1, Time: 50 * time.Millisecond}, Door{},
		func(err error) { t.Error(err) })
	defer stop()
	for name, sent := range map[string]string{
		"half a body": "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nabc",
		"huge header": "GET / HTTP/1.1\r\nHost: x\r\nX: " + strings.Repeat("a", 2*maxHeader) + "\r\n\r\n",
	} {
		c, err := new(net.Dialer).DialContext(t.Context(), "tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(c, sent) // it may be cut off before
		answer, _ := io.ReadAll(c)     // returns when we are cut off: the test's time-out is the limit
		if name == "huge header" && !strings.HasPrefix(string(answer), "HTTP/1.1 431") {
			t.Errorf("%s: %.60q", name, answer)
		}
		c.Close()
	}
}
