//go:build e2e

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// TestKilledAndStartedAgain has the ResourceManager kill both jobs of a script's first wave, and starts the script once
// more. Each watcher of one run ends with it; the watcher of all sees two runs, and what is remembered is what one can
// learn from.
func TestKilledAndStartedAgain(t *testing.T) {
	l := up(t)
	o := l.oncall()
	file := filepath.Join(l.dir, "rules.yaml")
	l.must(os.WriteFile(file, []byte(strings.Replace(joinRule, "within: 35s", "within: 8s", 1)), 0o600))
	cmd := l.paratimer(append([]string{"watch", "--rules", file, "--every", "1s", "--output", "ndjson"},
		o.sinks()...)...)
	all := l.start("watch", cmd)
	pig := l.client("pig", append([]string{"pig"}, joinSmall...)...)
	first := l.awaitApp("join.pig")
	w := l.attach("attach", "")
	killed := o.awaitAlert("join-late")
	l.await("both jobs of the first wave", func() bool { return len(l.apps()) == 2 })
	for _, a := range l.apps() {
		l.kill(a.ID)
	}
	if code := pig.wait(); code == 0 {
		t.Error("the script should have failed")
	}
	w.ends(1, "killed")
	w.replays(1)
	o.over(killed, "join-late")

	pig = l.client("pig-again", append([]string{"pig"}, joinSmall...)...)
	l.await("the second run", func() bool { return len(l.apps()) > 2 })
	second := l.attach("attach-again", "")
	again := o.awaitAlert("join-late")
	pig.succeed()
	second.ends(0, "succeeded")
	second.recordings(0)
	o.over(again, "join-late")
	if is := deref(second.last().Workflow.ID); is == deref(w.last().Workflow.ID) ||
		slices.Contains(second.last().jobs(), first.job()) {
		t.Errorf("attach alone, after the script was started again, saw %s of %v", is, second.last().jobs())
	}
	all.awaitSucceeded()
	l.must(cmd.Process.Signal(syscall.SIGTERM))
	all.wait()
	ends := map[string]string{}
	_, frames := l.readFrames(all.stdout)
	for _, f := range frames {
		ends[deref(f.Workflow.ID)] = f.Workflow.State
	}
	want := map[string]string{deref(w.last().Workflow.ID): "killed", deref(second.last().Workflow.ID): "succeeded"}
	for id, state := range want {
		if ends[id] == state {
			continue
		}
		t.Errorf("watch saw %v, want %v", ends, want)
	}
	var got struct {
		Runs []struct{ State, Excluded string }
	}
	l.must(json.Unmarshal(l.run("history", 0, "history", "show", "join.pig", "--state-dir", o.state, "--output",
		"json"), &got))
	if len(got.Runs) != 2 || got.Runs[0].State != "killed" || got.Runs[0].Excluded == "" ||
		got.Runs[1].State != "succeeded" || got.Runs[1].Excluded != "" {
		t.Errorf("history has %+v, want a killed run that teaches nothing and one that succeeded", got.Runs)
	}
	second.summarize("a script's jobs killed, and the script started again", -1,
		"`attach` ends with 1, `killed`; `attach` without an id takes the new run; `watch` sees two, each with its alert; only the second one is learned from")
}
