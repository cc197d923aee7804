package metrics

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

// described are the names and labels of all series that we may export, as the table of docs/alerts.md states them.
func described(t *testing.T) map[string]string {
	t.Helper()
	m, _ := newMetrics(Options{})
	descs := make(chan *prometheus.Desc, 100)
	collector{m}.Describe(descs)
	for _, c := range []prometheus.Collector{m.traffic.requests, m.traffic.errors, m.traffic.duration} {
		c.Describe(descs)
	}
	close(descs)
	form := regexp.MustCompile(`fqName: "([^"]+)".*variableLabels: {([^}]*)}`)
	out := map[string]string{}
	for d := range descs {
		f := form.FindStringSubmatch(d.String())
		if f == nil {
			t.Fatalf("%s has another form", d)
		}
		out[f[1]] = f[2]
	}
	return out
}

// TestDocs checks that docs/alerts.md lists every series with its labels, and no other.
func TestDocs(t *testing.T) {
	text, err := os.ReadFile("../../../../docs/alerts.md")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile("(?m)^\\| `(paratimer_[a-z_]+)` \\| (?:gauge|counter|histogram) \\| ([^|]*) \\|")
	documented := map[string]string{}
	for _, r := range row.FindAllStringSubmatch(string(text), -1) {
		documented[r[1]] = strings.NewReplacer("`", "", " ", "").Replace(r[2])
	}
	is := described(t)
	for name, labels := range is {
		if got, ok := documented[name]; !ok {
			t.Errorf("docs/alerts.md does not list %s", name)
		} else if got != labels {
			t.Errorf("docs/alerts.md: %s has labels %q, not %q", name, labels, got)
		}
	}
	for name := range documented {
		if _, ok := is[name]; !ok {
			t.Errorf("docs/alerts.md lists %s, which does not exist", name)
		}
	}
	if len(documented) < 20 {
		t.Errorf("only %d series found in docs/alerts.md: nothing is guarded", len(documented))
	}
}

// TestDeployed checks that rules, their tests and the dashboard use existing series.
func TestDeployed(t *testing.T) {
	is := described(t)
	name := regexp.MustCompile(`\bparatimer_[a-z_]+`)
	for _, file := range []string{
		"prometheus/paratimer.rules.yml", "prometheus/paratimer.rules.test.yml",
		"grafana/paratimer.json",
	} {
		text, err := os.ReadFile("../../../../deploy/" + file)
		if err != nil {
			t.Fatal(err)
		}
		// Recording rules have names of their own, of two colons; the groups of rules too.
		own := regexp.MustCompile(`\w+:paratimer_\w+:\w+|name: paratimer_\w+|group paratimer_\w+`).ReplaceAllString(
			string(text), "")
		found := 0
		for _, n := range slices.Compact(name.FindAllString(own, -1)) {
			found++
			if _, ok := is[strings.TrimSuffix(n, "_bucket")]; !ok {
				t.Errorf("deploy/%s uses %s, which does not exist", file, n)
			}
		}
		if found < 10 {
			t.Errorf("deploy/%s: only %d series found: nothing is guarded", file, found)
		}
	}
}
