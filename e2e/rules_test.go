//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// joinRule matches the join and no other script.
const joinRule = `rules:
  - name: join-late
    match: {name: "PigLatin:join*", queue: default}
    within: 35s
    hold: 2
    severity: page
    labels: {team: data}
    annotations: {summary: "{{ .Workflow.Name }} is {{ .By }} late"}
`

// TestRules watches a cluster by a rule that matches one of two scripts.
func TestRules(t *testing.T) {
	l := up(t)
	o := l.oncall()
	file := filepath.Join(l.dir, "rules.yaml")
	l.must(os.WriteFile(file, []byte(joinRule), 0o600))
	l.run("rules-check", 0, "watch", "--check", "--rules", file)
	cmd := l.paratimer(append([]string{
		"watch", "--rules", file, "--every", "1s", "--output", "ndjson", "--metrics",
		o.metrics,
	}, o.sinks()...)...)
	p := l.start("watch", cmd)
	join := l.client("pig-join", append([]string{"pig"}, joinSmall...)...)
	skew := l.client("pig-skew", "pig", "skew", "-p", "a=4x300x60z1.2", "-p", "pace=15", "-p", "pace_out=15")
	id := o.awaitAlert("join-late")
	join.succeed()
	skew.succeed()
	p.awaitSucceeded()
	o.over(id, "join-late")
	for _, m := range o.alertmanager.all() {
		if m.Labels["severity"] != "page" || m.Labels["team"] != "data" || m.Labels["workflow"] != "join.pig" {
			t.Errorf("Alertmanager has sent %v", m.Labels)
		}
	}
	if o.prometheus.url != "" {
		const ended = `last_over_time(paratimer_bound_missed{workflow="join.pig",bound="join-late"}[10m]) == 1`
		l.await(ended, func() bool { return o.prometheus.series(ended) == 1 })
	}
	l.must(cmd.Process.Signal(syscall.SIGTERM))
	if code := p.wait(); code != 130 {
		t.Errorf("watch: exit code %d after SIGTERM\n%s", code, tail(p.stderr))
	}
	_, frames := l.readFrames(p.stdout)
	for i, f := range frames {
		if deref(f.Workflow.Name) != "join.pig" || len(f.Jobs) > 3 {
			t.Fatalf("frame %d is of %s with %d jobs", i+1, deref(f.Workflow.Name), len(f.Jobs))
		}
	}
	w := &watcher{process: p, frames: frames}
	w.missed("join-late", false)
	o.runs(w)
	l.note("two scripts, watched by a rule that matches one", *w.last().Elapsed,
		"frames of that one alone; at risk, late and over, each reported once, with the rule's labels; remembered")
}
