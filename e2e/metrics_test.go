//go:build e2e

package e2e

import (
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

// TestMetrics scrapes a watcher, and has a monitoring plugin ask the watcher and the cluster.
func TestMetrics(t *testing.T) {
	l := up(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	l.must(err)
	address := listener.Addr().String()
	l.must(listener.Close())
	pig := l.client("pig", append([]string{"pig"}, joinSmall...)...)
	l.awaitApp("join.pig")
	w := l.attach("attach", "", "--metrics", address, "--within", "1h", "--no-history")
	for _, series := range []string{
		`paratimer_headline_remaining_seconds{workflow="join.pig"} `,
		`paratimer_remaining_quantile_seconds{q="0.9",workflow="join.pig"} `,
		`paratimer_late_probability_ratio{bound="within",workflow="join.pig"} 0`,
		`paratimer_upstream_requests_total{code="200",upstream="application_master"} `,
	} {
		l.await(series, func() bool { return strings.Contains(scrape("http://"+address+"/metrics"), series) })
	}
	for name, args := range map[string][]string{
		"check-watcher": {"check", "join.pig", "--metrics-url", "http://" + address + "/metrics"},
		"check-cluster": {"check", "join.pig", "--within", "1h", "--no-history"},
	} {
		if out := string(l.run(name, 0, args...)); !strings.HasPrefix(out, "PARATIMER OK - join.pig ") {
			t.Errorf("%s: %s", name, out)
		}
	}
	w.ends(0, "succeeded")
	pig.succeed()
}

// scrape is what is served at an address, "" where nothing is.
func scrape(address string) string {
	resp, err := http.Get(address)
	if err != nil {
		return ""
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		return ""
	}
	return string(b)
}
