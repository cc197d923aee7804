//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestHeldUp watches three scripts of one user at once: a load that takes the whole node, and two that come after it
// and wait.
func TestHeldUp(t *testing.T) {
	l := up(t)
	file := filepath.Join(l.dir, "rules.yaml")
	l.must(os.WriteFile(file, []byte("rules: [{name: late, within: 6h}]\n"), 0o600))
	body, err := os.ReadFile(script("pig/skew.pig"))
	l.must(err)
	for _, name := range []string{"etl_load", "nightly_sales", "mails"} {
		l.must(os.WriteFile(filepath.Join(l.dir, name+".pig"), body, 0o600))
	}
	watches := map[string]*process{}
	var stop []func()
	for _, output := range []string{"text", "ndjson"} {
		cmd := l.paratimer("watch", "--rules", file, "--every", "1s", "--output", output)
		watches[output] = l.start("watch-"+output, cmd)
		stop = append(stop, func() { l.must(cmd.Process.Signal(syscall.SIGTERM)) })
	}
	pig := func(name string, params ...string) *process {
		return l.client(name, append([]string{"pig", filepath.Join(l.dir, name+".pig")}, params...)...)
	}
	load := pig("etl_load", "-p", "a=30x300x60z1.2", "-p", "pace=70", "-p", "pace_out=5")
	l.awaitTask(l.awaitJob(30), "m_000000", 20)
	small := []string{"-p", "a=3x300x60z1.2", "-p", "pace=10", "-p", "pace_out=5"}
	others := []*process{pig("nightly_sales", small...), pig("mails", small...)}
	load.succeed()
	for _, p := range others {
		p.succeed()
	}
	l.await("the last frames", func() bool {
		raw, err := os.ReadFile(watches["ndjson"].stdout)
		l.must(err)
		return strings.Count(string(raw), `"state":"succeeded"},"elapsed_seconds"`) >= 3
	})
	for _, f := range stop {
		f()
	}
	for name, p := range watches {
		if code := p.wait(); code != 130 {
			t.Errorf("watch --output %s: exit code %d after SIGTERM\n%s", name, code, tail(p.stderr))
		}
	}
	raw, err := os.ReadFile(watches["text"].stdout)
	l.must(err)
	t.Logf("watch printed\n%s", raw)
	text := string(raw)
	if !strings.Contains(text, "etl_load.pig uses ") && !strings.Contains(text, "etl_load.pig  blocks ") {
		t.Error("no line reports that etl_load blocks the others")
	}
	if !strings.Contains(text, "etl_load.pig  no longer blocks others") {
		t.Error("no line reports that it no longer blocks them")
	}
	if strings.Contains(text, "nightly_sales.pig  blocks") || strings.Contains(text, "nightly_sales.pig uses ") {
		t.Error("the one that waits is listed as blocking others")
	}
	blockers := l.blockersIn(watches["ndjson"].stdout)
	for _, name := range []string{"nightly_sales.pig", "mails.pig"} {
		if blockers[name] != "etl_load.pig" {
			t.Errorf("%s is blocked by %q in its frames, want etl_load.pig", name, blockers[name])
		}
	}
	if blockers["etl_load.pig"] != "" {
		t.Errorf("the load is blocked by %q, want none", blockers["etl_load.pig"])
	}
	reported := "?"
	for line := range strings.Lines(text) {
		if strings.Contains(line, "blocks ") || strings.Contains(line, " uses ") {
			reported = strings.TrimSpace(line)
			break
		}
	}
	l.note("three scripts at once, watched: one has the node, two wait", 0,
		fmt.Sprintf("`watch` prints %q, `held_up_by` in the frames of both; one line when it is over", reported))
}

// heldUp returns which workflow blocks each workflow, by the names in the frames; "" if none does in any frame.
func (l *lab) blockersIn(file string) map[string]string {
	l.t.Helper()
	raw, err := os.ReadFile(file)
	l.must(err)
	out := map[string]string{}
	for line := range strings.Lines(string(raw)) {
		var f struct {
			Workflow struct{ Name *string }
			By       *struct {
				Name  *string
				EndAt *string `json:"end_at"`
			} `json:"held_up_by"`
		}
		l.must(json.Unmarshal([]byte(line), &f))
		if f.By != nil {
			out[deref(f.Workflow.Name)] = deref(f.By.Name)
		}
	}
	return out
}
