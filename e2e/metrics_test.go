//go:build e2e

package e2e

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// TestMetrics scrapes a watcher, and has a monitoring plugin ask the watcher and the cluster.
func TestMetrics(t *testing.T) {
	l := up(t)
	address := l.free()
	pig := l.client("pig", append([]string{"pig"}, joinSmall...)...)
	l.awaitApp("join.pig")
	w := l.attach("attach", "", "--metrics", address, "--within", "1h", "--no-history", "--set", "metrics-linger=5s")
	served := func(series string) {
		t.Helper()
		l.await(series, func() bool { return strings.Contains(scrape("http://"+address+"/metrics"), series) })
	}
	served(`paratimer_upstream_requests_total{code="200",upstream="application_master"} `)
	served(`paratimer_remaining_quantile_seconds{q="0.9",workflow="join.pig"} `)
	if out := string(l.run("check", 0, "check", "join.pig", "--within", "1h", "--no-history")); !strings.HasPrefix(out,
		"PARATIMER OK - join.pig ") || strings.Contains(out, "succeeded") {
		t.Errorf("check: %s", out)
	}
	// For a run without history these may come late: "at least" is neither.
	served(`paratimer_headline_remaining_seconds{workflow="join.pig"} `)
	served(`paratimer_late_probability_ratio{bound="within",workflow="join.pig"} 0`)
	served(`paratimer_workflows 0`)
	w.ends(0, "succeeded")
	pig.succeed()
	l.note("metrics that Prometheus scrapes, and `check` as a plugin", *w.last().Elapsed,
		"metrics come and go with the run; `check` of the cluster")
}

// scrape returns the body at an address, "" if there is none.
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
