package rest

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/infile"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/internal/testkit/fixtures"
)

func TestTLS(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sendJSON(w, `{}`)
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	ctx := context.Background()
	if _, err := clientOf(t, Options{}, s.URL).get(ctx, "info"); err == nil ||
		!strings.Contains(err.Error(), "ca-file") {
		t.Errorf("unknown certificate: %v", err)
	}
	if _, err := clientOf(t, Options{Insecure: true}, s.URL).get(ctx, "info"); err != nil {
		t.Errorf("insecure: %v", err)
	}
	ca := filepath.Join(t.TempDir(), "ca.pem")
	cert := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	if err := os.WriteFile(ca, cert, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := clientOf(t, Options{CAFile: ca}, s.URL).get(ctx, "info"); err != nil {
		t.Errorf("CA file: %v", err)
	}
	plain := serve(t, func(w http.ResponseWriter, r *http.Request) { sendJSON(w, `{}`) })
	_, err := clientOf(t, Options{}, strings.Replace(plain.URL, "http", "https", 1)).get(ctx, "info")
	if err == nil || !strings.Contains(err.Error(), "does not speak TLS") {
		t.Errorf("http behind https: %v", err)
	}
	if _, err := New(Options{CAFile: ca + "x"}); !errors.Is(err,
		os.ErrNotExist) {
		t.Errorf("absent CA file: %v", err)
	}
	if err := os.WriteFile(ca, []byte("\xfe\xed\xfe\xed"), 0o600); err != nil { // a Java key store
		t.Fatal(err)
	}
	if _, err := New(Options{CAFile: ca}); err == nil ||
		!strings.Contains(err.Error(), "keytool") {
		t.Errorf("key store as CA file: %v", err)
	}
}

func serverTLS(c tls.Certificate) *tls.Config { return &tls.Config{Certificates: []tls.Certificate{c}} }

// secure serves `{}` over TLS with this certificate.
func secure(t *testing.T, c tls.Certificate, change func(*tls.Config)) string {
	t.Helper()
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sendJSON(w, `{}`)
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.TLS = serverTLS(c)
	if change != nil {
		change(s.TLS)
	}
	s.StartTLS()
	t.Cleanup(s.Close)
	return s.URL
}

// TestCertificateErrors: real handshakes that fail, each for its own reason, which is reported with what to do.
func TestCertificateErrors(t *testing.T) {
	ca, otherCA := fixtures.NewAuthority(t, "the lab's CA"), fixtures.NewAuthority(t, "somebody's CA")
	good := ca.Issue("rm", nil, "127.0.0.1")
	was, will := time.Now().Add(-time.Minute), time.Now().Add(time.Minute)
	wants := func(c *tls.Config) { c.ClientAuth, c.ClientCAs = tls.RequireAndVerifyClientCert, ca.Pool() }
	old := func(c *tls.Config) { c.MaxVersion, c.MinVersion = tls.VersionTLS11, tls.VersionTLS10 }
	wants12 := func(c *tls.Config) { wants(c); c.MaxVersion = tls.VersionTLS12 }
	mine, mineKey := fixtures.CertFiles(t, t.TempDir(), ca.Issue("watcher", nil))
	bad, badKey := fixtures.CertFiles(t, t.TempDir(), otherCA.Issue("watcher", nil))
	late, lateKey := fixtures.CertFiles(t, t.TempDir(), ca.Issue("watcher", func(c *x509.Certificate) { c.NotAfter = was }))
	for name, c := range map[string]struct {
		server tls.Certificate
		change func(*tls.Config)
		opt    Options
		want   []string // in the error's text; none: it works
	}{
		"good": {good, nil, Options{}, nil},
		"unknown authority": {
			otherCA.Issue("rm", nil, "127.0.0.1"), nil,
			Options{},
			[]string{"issued by CN=somebody's CA, which this machine does not trust", "ca-file"},
		},
		"wrong name": {
			ca.Issue("rm", nil, "rm.example", "10.0.0.1"), nil,
			Options{},
			[]string{"valid for 10.0.0.1, not 127.0.0.1", "use a name"},
		},
		"no name": {ca.Issue("rm", nil), nil, Options{}, []string{
			"127.0.0.1",
			"subject alternative name",
		}},
		"expired": {
			ca.Issue("rm", func(c *x509.Certificate) { c.NotAfter = was }, "127.0.0.1"), nil,
			Options{},
			[]string{"expired or is not yet valid", "is after " + was.UTC().Format("2006-01-02T15:04:05Z"), "clock right", "renewed"},
		},
		"not yet valid": {
			ca.Issue("rm", func(c *x509.Certificate) { c.NotBefore = will }, "127.0.0.1"), nil,
			Options{},
			[]string{"expired or is not yet valid", "is before " + will.UTC().Format("2006-01-02T15:04:05Z"), "clock right"},
		},
		"client certificate wanted": {
			good, wants,
			Options{},
			[]string{"requires a client certificate: give --set cert=FILE and --set key=FILE"},
		},
		"client certificate wanted, TLS 1.2": {
			good, wants12,
			Options{},
			[]string{"client certificate", "--set cert=FILE and --set key=FILE"},
		},
		"client certificate given": {good, wants, Options{CertFile: mine, KeyFile: mineKey}, nil},
		"client certificate of another authority": {
			good, wants,
			Options{CertFile: bad, KeyFile: badKey},
			[]string{"refuses the client certificate " + bad},
		},
		"client certificate expired": {
			good, wants,
			Options{CertFile: late, KeyFile: lateKey},
			[]string{"refuses the client certificate " + late},
		},
		"TLS 1.1 alone": {good, old, Options{}, []string{"older than 1.2"}},
	} {
		t.Run(name, func(t *testing.T) {
			c.opt.CAFile = ca.File()
			_, err := clientOf(t, c.opt, secure(t, c.server, c.change)).get(context.Background(), "info")
			if len(c.want) == 0 {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			if e, ok := errors.AsType[*Error](err); !ok || e.Status != 0 || e.Hint == "" {
				t.Fatalf("got %v", err)
			}
			for _, part := range c.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("no %q in %q", part, err)
				}
			}
		})
	}
}

// TestHTTPAndTLSMixedUp: plain HTTP where TLS is spoken, and the reverse.
func TestHTTPAndTLSMixedUp(t *testing.T) {
	ca := fixtures.NewAuthority(t, "ca")
	u := strings.Replace(secure(t, ca.Issue("rm", nil, "127.0.0.1"), nil), "https", "http", 1)
	// Go's server responds in HTTP that it speaks TLS; Hadoop's sends a TLS alert.
	for name, base := range map[string]string{
		"Go": u, "Jetty": answering(t, "\x15\x03\x03\x00\x02\x02\x50", false),
		"nginx": answering(t, "HTTP/1.1 400 Bad Request\r\nContent-Type: text/html\r\nContent-Length: 75\r\n\r\n<html><title>400 The plain HTTP request was sent to HTTPS port</title></html>", false),
	} {
		_, err := clientOf(t, Options{}, base).get(context.Background(), "info")
		if err == nil || !strings.Contains(err.Error(), "https") || !strings.Contains(err.Error(), "TLS") {
			t.Errorf("%s: http to a TLS port: %v", name, err)
		}
	}
}

// TestClientCertificateRenewed: what a certificate manager renews is shown at the next handshake, by the same client.
func TestClientCertificateRenewed(t *testing.T) {
	ca, dir := fixtures.NewAuthority(t, "ca"), t.TempDir()
	var seen []string
	u := secure(t, ca.Issue("rm", nil, "127.0.0.1"), func(c *tls.Config) {
		c.ClientAuth, c.ClientCAs = tls.RequireAndVerifyClientCert, ca.Pool()
		c.VerifyConnection = func(s tls.ConnectionState) error {
			seen = append(seen, s.PeerCertificates[0].Subject.CommonName)
			return nil
		}
	})
	cert, key := fixtures.CertFiles(t, dir, ca.Issue("before", nil))
	c := clientOf(t, Options{CAFile: ca.File(), CertFile: cert, KeyFile: key}, u)
	get := answered(t)
	get(c.get(context.Background(), "info"))
	fixtures.CertFiles(t, dir, ca.Issue("after the renewal", nil))
	c.Close() // the idle connection goes, as it does after a minute
	get(c.get(context.Background(), "info"))
	if got := strings.Join(seen, ", "); got != "before, after the renewal" {
		t.Errorf("the service saw %s", got)
	}
}

// TestInsecureIsSaid: an unverified connection has a warning in the frames, the recording and the report.
func TestInsecureIsSaid(t *testing.T) {
	u := secure(t, fixtures.NewAuthority(t, "somebody").Issue("rm", nil, "elsewhere"), nil)
	for _, insecure := range []bool{true, false} {
		c := clientOf(t, Options{Insecure: insecure}, u)
		if _, err := c.get(context.Background(), "info"); (err == nil) != insecure {
			t.Errorf("insecure %v: %v", insecure, err)
		}
		warned := c.Warnings()
		if got := len(warned) == 1 && warned[0].Code == dag.WarnUnverified &&
			strings.Contains(warned[0].Text, "insecure"); got != insecure {
			t.Errorf("insecure %v: warnings %v", insecure, warned)
		}
	}
}

// TestClientFiles: files of certificates that cannot be used are refused before the first request.
func TestClientFiles(t *testing.T) {
	cert, key := fixtures.CertFiles(t, t.TempDir(), fixtures.NewAuthority(t, "ca").Issue("x", nil))
	for _, c := range []struct {
		cert, key, want string
	}{
		{cert, "", "--set cert=FILE and --set key=FILE"},
		{"", key, "--set cert=FILE and --set key=FILE"},
		{key, cert, "no certificate"},
		{cert, key + "x", "no such file"},
	} {
		if _, err := New(Options{CertFile: c.cert, KeyFile: c.key}); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, %s: %v", c.cert, c.key, err)
		}
	}
	if _, err := infile.OpenKeyPair(cert, key); err != nil {
		t.Error(err)
	}
}

// TestRefusedAndCut: where the connection is reset before the alert with the reason is read, the certificate is still
// thought of.
func TestRefusedAndCut(t *testing.T) {
	cut := &net.OpError{Op: "write", Err: syscall.EPIPE}
	for cert, want := range map[string]string{
		"":       "give --set cert=FILE and --set key=FILE",
		"me.pem": "perhaps it refuses the client certificate me.pem",
	} {
		c := &Client{opt: Options{CertFile: cert}}
		for scheme, hint := range map[string]string{"http": "cut the connection", "https": want} {
			e := c.failure(t.Context(), &url.URL{Scheme: scheme, Host: "rm:8090"}, cut)
			if !strings.Contains(e.Hint, hint) {
				t.Errorf("%s: %q, want %q", scheme, e.Hint, hint)
			}
		}
	}
}
