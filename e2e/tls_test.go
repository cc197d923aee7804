//go:build e2e

package e2e

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/internal/testkit/fixtures"
)

// An encrypted is a cluster with TLS alone.
type encrypted struct {
	*lab
	dir  string // of certificates
	pool *x509.CertPool
}

func encryptedUp(t *testing.T) *encrypted {
	t.Helper()
	for _, tool := range []string{"openssl", "keytool"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("SKIPPED: no %s on the PATH, so nothing was tried against a cluster that speaks TLS", tool)
		}
	}
	e := &encrypted{lab: up(t, "--with", "tls=strict"), pool: x509.NewCertPool()}
	e.dir = settings(e.hadoop("env"))["PARATIMER_TLS"]
	ca, err := os.ReadFile(e.file("ca.pem"))
	e.must(err)
	if !e.pool.AppendCertsFromPEM(ca) {
		t.Fatal("the lab's ca.pem holds no certificate")
	}
	e.transport = &http.Transport{TLSClientConfig: &tls.Config{RootCAs: e.pool}}
	return e
}

func (e *encrypted) file(name string) string { return filepath.Join(e.dir, name) }

// serves has the daemons show another certificate: they look for it themselves, each ten seconds.
func (e *encrypted) serves(name string) {
	e.t.Helper()
	store, err := os.ReadFile(e.file(name + ".p12"))
	e.must(err)
	e.must(os.WriteFile(e.file("server.p12"), store, 0o644))
	pair, err := tls.LoadX509KeyPair(e.file(name+".pem"), e.file(name+"-key.pem"))
	e.must(err)
	want, err := x509.ParseCertificate(pair.Certificate[0])
	e.must(err)
	for _, base := range []string{e.rm, e.jhs} {
		e.await(base+" shows "+name, func() bool {
			c, err := tls.Dial("tcp", strings.TrimPrefix(base, "https://"), &tls.Config{InsecureSkipVerify: true})
			if err != nil {
				return false
			}
			defer c.Close()
			return c.ConnectionState().PeerCertificates[0].Equal(want)
		})
	}
}

// front is a server of the lab's certificate and its own rules for clients.
func (e *encrypted) front(h http.Handler, change func(*tls.Config)) string {
	e.t.Helper()
	pair, err := tls.LoadX509KeyPair(e.file("good.pem"), e.file("good-key.pem"))
	e.must(err)
	s := httptest.NewUnstartedServer(h)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.TLS = &tls.Config{Certificates: []tls.Certificate{pair}}
	if change != nil {
		change(s.TLS)
	}
	s.StartTLS()
	e.t.Cleanup(s.Close)
	return s.URL
}

const gatewayPassword = "pass-word-of-the-gateway"

// TestTLS watches a run on a cluster that speaks nothing but TLS, its application's master too, at first hand and
// through a gateway that wants a password. Then the cluster shows bad certificates, and each error names its own cause.
func TestTLS(t *testing.T) {
	e := encryptedUp(t)
	ca := e.file("ca.pem")
	backend, err := url.Parse(e.rm)
	e.must(err)
	knox := e.front(fixtures.NewGateway(fixtures.GatewayOptions{
		RM: e.rm, JHS: e.jhs, User: "root", Password: gatewayPassword, TLS: &tls.Config{RootCAs: e.pool},
	}), nil)
	passwordFile := filepath.Join(t.TempDir(), "password")
	e.must(os.WriteFile(passwordFile, []byte(gatewayPassword+"\n"), 0o600))

	job := e.client("job", "run", "org.apache.hadoop.mapreduce.SleepJob", "-m", "8", "-r", "1", "-mt", "5000", "-rt",
		"5000")
	a := e.awaitApp("Sleep job")
	direct := e.attach("direct", a.ID, "--set", "ca-file="+ca)
	through := e.attach("through", a.ID, "--set", "ca-file="+ca, "--rm", knox+"/gateway/default", "--user", "root",
		"--set", "password-file="+passwordFile)
	direct.ends(0, "succeeded")
	through.ends(0, "succeeded")
	job.succeed()
	for _, w := range []*watcher{direct, through} {
		masters, history := 0, 0
		for _, r := range e.records(w.capture) {
			if !strings.HasPrefix(r.URL, "https://") {
				t.Errorf("%s sent a request to %s", w.name, r.URL)
			}
			if strings.Contains(r.URL, "/proxy/") && r.Status == http.StatusOK {
				masters++
			}
			if strings.Contains(r.URL, "/ws/v1/history/mapreduce/jobs/") && r.Status == http.StatusOK {
				history++
			}
		}
		if masters == 0 || history == 0 {
			t.Errorf("%s: %d answers of the master, %d of the history server", w.name, masters, history)
		}
	}
	e.nowhere(gatewayPassword, "Authorization", "JSESSIONID")

	e.finds("good", 0, "history server: Hadoop", "", "--set", "ca-file="+ca)
	e.refused("no-ca", "issued by CN=ca of the lab,O=ParaTimer lab, which this machine does not trust",
		"keytool -list -rfc -keystore STORE")
	e.refused("password-missing", "wants a user's password", "password-file", "--rm", knox+"/gateway/default",
		"--set", "ca-file="+ca)
	e.refused("plain", "it speaks TLS: give the address as https://", "TLS", "--rm",
		strings.Replace(e.rm, "https", "http", 1))

	wants := e.front(httputil.NewSingleHostReverseProxy(backend), func(c *tls.Config) {
		c.ClientAuth, c.ClientCAs = tls.RequireAndVerifyClientCert, e.pool
	})
	e.refused("client-certificate-missing", "requires a client certificate: give --set cert=FILE and --set key=FILE", "", "--rm", wants,
		"--set", "ca-file="+ca)
	e.refused("client-certificate-bad", "refuses the client certificate", "", "--rm", wants, "--set", "ca-file="+ca, "--set",
		"cert="+e.file("stranger.pem"), "--set", "key="+e.file("stranger-key.pem"))

	for _, bad := range []struct{ certificate, text, hint string }{
		{"wrongname", "valid for elsewhere.example, not localhost", "use a name"},
		{"expired", "expired or is not yet valid", "clock right"},
		{"future", "expired or is not yet valid", "clock right"},
		{"stranger", "issued by CN=other-ca of the lab,O=ParaTimer lab", "ca-file"},
	} {
		e.serves(bad.certificate)
		e.refused(bad.certificate, bad.text, bad.hint, "--set", "ca-file="+ca)
	}
	e.finds("insecure", 0, "certificates are not verified: another server can answer", "", "--set", "insecure=true")
	e.serves("good")
	e.finds("good-again", 0, "history server: Hadoop", "", "--set", "ca-file="+ca)
	e.note("a cluster that speaks TLS alone, its master too", *direct.last().Elapsed,
		"to the end, directly and through a gateway with a password; bad names, times, issuers and client certificates distinguished, exit 3; a certificate that is renewed while daemons run")
}

// refused checks that doctor fails with exit code 3, the fault and what to do.
func (e *encrypted) refused(name, text, hint string, args ...string) {
	e.t.Helper()
	e.finds(name, 3, text, hint, args...)
}

// finds checks that doctor ends with this exit code and prints both.
func (e *encrypted) finds(name string, code int, text, hint string, args ...string) {
	e.t.Helper()
	out := string(e.run(name, code, append([]string{"doctor"}, args...)...))
	if !strings.Contains(out, text) || !strings.Contains(out, hint) {
		e.t.Errorf("%s: no %q with %q in\n%s", name, text, hint, out)
	}
}

// nowhere checks that no file which the watchers have left holds any of these.
func (e *encrypted) nowhere(secrets ...string) {
	e.t.Helper()
	files := 0
	err := filepath.WalkDir(e.lab.dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		text, err := unpacked(path)
		for _, s := range secrets {
			if strings.Contains(text, s) {
				e.t.Errorf("%s holds %s", path, s)
			}
		}
		return err
	})
	if err != nil || files < 6 {
		e.t.Fatalf("%d files looked at: %v", files, err)
	}
}

// unpacked is the uncompressed content of a file.
func unpacked(path string) (string, error) {
	text, err := fixtures.Unpacked(path)
	return string(text), err
}
