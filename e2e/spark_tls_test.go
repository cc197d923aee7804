//go:build e2e

package e2e

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
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
)

// TestSparkTLS watches an application whose driver speaks TLS: at its own address, at its address without TLS, which
// sends there, and through a gateway with paths and certificates of its own that refuses the pages of jobs. Then the
// event log shows the dependencies between stages.
func TestSparkTLS(t *testing.T) {
	l := upSpark(t)
	if _, err := exec.LookPath("keytool"); err != nil {
		t.Skip("SKIPPED: no keytool on the PATH, so nothing was tried against a driver that speaks TLS")
	}
	const password = "lab-secret"
	store, ca := filepath.Join(l.dir, "driver.p12"), filepath.Join(l.dir, "ca.pem")
	keytool := func(args ...string) []byte {
		out, err := exec.CommandContext(l.ctx, "keytool", append(args, "-alias", "driver", "-keystore", store, "-storepass",
			password)...).Output()
		l.must(err)
		return out
	}
	keytool("-genkeypair", "-keyalg", "RSA", "-dname", "CN=localhost", "-ext", "SAN=dns:localhost", "-storetype",
		"PKCS12")
	cert := keytool("-exportcert", "-rfc")

	_, port, _ := strings.Cut(l.free(), ":")
	driver := "https://localhost:" + port
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(cert)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}
	gateway := sparkGateway(l, driver, l.spark.history, transport)
	l.must(os.WriteFile(ca, append(cert, pem.EncodeToMemory(&pem.Block{
		Type: "CERTIFICATE", Bytes: gateway.Certificate().Raw,
	})...), 0o600))

	args := append([]string{
		"--conf", "spark.ssl.ui.enabled=true", "--conf", "spark.ssl.ui.port=" + port, "--conf", "spark.ssl.ui.keyStore=" + store,
		"--conf", "spark.ssl.ui.keyStorePassword=" + password,
	}, adaptive(false)...)
	job := l.application("secret", append(args, "sql", "report", "10x60x80", "6x40x120", "60")...)
	l.transport = transport
	l.await("the driver", func() bool {
		var apps []any
		return l.get(driver+"/api/v1/applications", &apps)
	})
	doctor := l.run("doctor", 0, "doctor", "--spark", driver, "--set", "ca-file="+ca, "--spark-history", l.spark.history)
	t.Logf("%s", doctor)
	untrusted := l.run("doctor-untrusted", 3, "doctor", "--spark", driver)
	if !strings.Contains(string(untrusted), "issued by CN=localhost, which this machine does not trust") ||
		!strings.Contains(string(untrusted), "ca-file") {
		t.Errorf("without the certificate doctor prints\n%s", untrusted)
	}
	direct := l.attach("direct", "", "--spark", driver, "--spark-history", l.spark.history, "--set", "ca-file="+ca)
	sent := l.attach("sent", "", "--spark", l.spark.driver, "--spark-history", l.spark.history, "--set", "ca-file="+ca)
	through := l.attach("through", "", "--spark", gateway.URL+"/gateway/default/spark", "--spark-history",
		gateway.URL+"/gateway/default/sparkhistory", "--set", "ca-file="+ca)
	for _, w := range []*watcher{direct, sent, through} {
		w.ends(0, "succeeded")
	}
	job.succeed()
	for _, w := range []*watcher{direct, sent, through} {
		w.checkOutput(0)
		if len(w.stages()) != 5 || w.last().nodesOf() != direct.last().nodesOf() {
			t.Errorf("%s: the stages are\n%s\nthose of the other watcher\n%s", w.name, w.last().nodesOf(), direct.last().nodesOf())
		}
	}
	for _, r := range l.records(direct.capture) {
		if !strings.HasPrefix(r.URL, driver) && !strings.HasPrefix(r.URL, l.spark.history) {
			t.Errorf("got a request of %s", r.URL)
		}
	}
	pages := 0
	for _, r := range l.records(through.capture) {
		if strings.Contains(r.path(), "/history/") && r.Status == http.StatusOK {
			pages++
		}
	}
	if pages == 0 {
		t.Error("no page of the history server was read")
	}
	l.addRow("Spark: a driver that speaks TLS", direct.score("bare"), nil, "",
		"by `ca-file`, at its address and at the one without TLS, which sends there; through a gateway with paths of its own that refuses the pages of jobs: edges from the pages of the history server; `doctor`; both recordings")
}

// sparkGateway is a server with paths and a certificate of its own before a driver and a history server. It refuses the
// pages of jobs.
func sparkGateway(l *lab, driver, history string, transport http.RoundTripper) *httptest.Server {
	mux := http.NewServeMux()
	for path, base := range map[string]string{"/gateway/default/spark": driver, "/gateway/default/sparkhistory": history} {
		to, err := url.Parse(base)
		l.must(err)
		proxy := httputil.NewSingleHostReverseProxy(to)
		proxy.Transport, proxy.ErrorLog = transport, log.New(io.Discard, "", 0)
		mux.Handle(path+"/", http.StripPrefix(path, proxy))
	}
	mux.HandleFunc("/gateway/default/spark/jobs/job/", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusForbidden)
	})
	s := httptest.NewTLSServer(mux)
	l.t.Cleanup(s.Close)
	return s
}
