//go:build e2e

package e2e

import (
	"encoding/json"
	"os"
	"strings"
	"syscall"
	"testing"
)

// TestSparkMaster finds two applications of a master of standalone mode: it lists them, watches one by its name,
// and both at once.
func TestSparkMaster(t *testing.T) {
	l := upSpark(t)
	at := []string{"--spark-master", l.spark.master}
	list := func() []byte { return l.run("list", 0, append([]string{"list", "--output", "json"}, at...)...) }
	if out := string(list()); !strings.Contains(out, `"applications":[]`) {
		t.Errorf("of a master without applications: %s", out)
	}
	one := append(adaptive(false), "--conf", "spark.cores.max=2")
	nightly := l.application("nightly", append(one, sqlSmall...)...)
	hourly := l.application("hourly", append(one, sqlSmall...)...)
	var both struct {
		Applications []struct{ ID, Name, User, URL string }
	}
	l.await("two applications", func() bool {
		l.must(json.Unmarshal(list(), &both))
		return len(both.Applications) == 2
	})
	ids := map[string]string{}
	for _, a := range both.Applications {
		if ids[a.Name] = a.ID; !strings.HasPrefix(a.URL, "http://") || a.User == "" {
			t.Errorf("listed: %+v", a)
		}
	}
	// If several applications run, their list comes from the master, and its other address from its page.
	p := l.start("which", l.paratimer(append([]string{"attach"}, at...)...))
	if code := p.wait(); code != 2 || !strings.Contains(tail(p.stderr), ids["hourly"]) ||
		!strings.Contains(tail(p.stderr), ids["nightly"]) {
		t.Errorf("which of two: exit code %d\n%s", code, tail(p.stderr))
	}
	w := l.attach("attach", "nightly", append(at, "--spark-history", l.spark.history)...)
	cmd := l.paratimer(append([]string{
		"watch", "--every", "1s", "--listen", "0", "--output", "ndjson",
	}, at...)...)
	all := l.start("watch", cmd)
	if out := l.run("status", 0, append([]string{"status", "hourly"}, at...)...); !strings.Contains(string(out), "hourly") {
		t.Errorf("status: %s", out)
	}
	if out := l.run("check", 0, append([]string{"check", "night*"}, at...)...); !strings.Contains(string(out), "OK - nightly ") {
		t.Errorf("check: %s", out)
	}
	w.ends(0, "succeeded")
	nightly.succeed()
	hourly.succeed()
	if id := deref(w.last().Workflow.ID); id != ids["nightly"] {
		t.Errorf("attach has watched %s, want %s", id, ids["nightly"])
	}
	truth := w.checkOutput(0)
	l.await("the ends of both", func() bool {
		_, frames := l.readFrames(all.stdout)
		ended := map[string]bool{}
		for _, f := range frames {
			if s := f.Workflow.State; s == "succeeded" || s == "ended_unconfirmed" {
				ended[deref(f.Workflow.ID)] = true
			}
		}
		return ended[ids["nightly"]] && ended[ids["hourly"]]
	})
	l.must(cmd.Process.Signal(syscall.SIGTERM))
	if code := all.wait(); code != 130 {
		t.Errorf("watch: exit code %d after SIGTERM\n%s", code, tail(all.stderr))
	}
	if errs, err := os.ReadFile(all.stderr); err != nil || strings.Contains(string(errs), "panic") {
		t.Errorf("watch: %v\n%s", err, errs)
	}
	out := l.run("idle", 0, append([]string{"check", "--set", "idle=ok"}, at...)...)
	if !strings.Contains(string(out), "nothing runs at "+l.spark.master) {
		t.Errorf("check without applications: %s", out)
	}
	known := w.score("own", "--profile", w.ofLog("succeeded", truth))
	l.addRow("Spark: two applications of a standalone master", w.score("bare"), &known, "",
		"`list`, `attach nightly`, `status`, `check` and `watch` by the master's page; the profile is the run's own")
}
