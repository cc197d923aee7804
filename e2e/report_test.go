//go:build e2e

package e2e

import (
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// report checks the report of a script by its id: its jobs, and its time by cause, which adds up.
func (l *lab) report(id, state string, jobs int) {
	l.t.Helper()
	var got struct {
		Workflow struct{ State string }
		Elapsed  *float64 `json:"elapsed_seconds"`
		Jobs     []struct{ Node string }
		Account  struct {
			Parts []struct {
				Start float64 `json:"start_seconds"`
				End   float64 `json:"end_seconds"`
			}
		}
		Chart struct{ Panels []struct{ Bars []any } }
	}
	l.must(json.Unmarshal(l.run("report-"+state, 0, "report", id, "--output", "json"), &got))
	if got.Workflow.State != state || len(got.Jobs) != jobs || got.Elapsed == nil {
		l.t.Fatalf("report of a script that is %s: got %+v", state, got)
	}
	if len(got.Chart.Panels) == 0 || len(got.Chart.Panels[0].Bars) == 0 || len(got.Account.Parts) == 0 {
		l.t.Fatalf("report shows no task or no account: %+v", got)
	}
	at := 0.0
	for _, p := range got.Account.Parts {
		if math.Abs(p.Start-at) > 0.0015 {
			l.t.Errorf("report: a part of the account begins at %v s, the one before ends at %v s", p.Start, at)
		}
		at = p.End
	}
	if math.Abs(at-*got.Elapsed) > 0.0015 {
		l.t.Errorf("report: the account ends at %v s, the script after %v s", at, *got.Elapsed)
	}
	file := filepath.Join(l.dir, "report-"+state+".html")
	l.run("report-page-"+state, 0, "report", id, "-o", file)
	page, err := os.ReadFile(file)
	l.must(err)
	if n := strings.Count(string(page), "<figure"); n < 1 || len(page) > 500_000 {
		l.t.Errorf("report: a page of %d bytes with %d figures", len(page), n)
	}
}

// onScreen watches a script full screen in a terminal of tmux. The function that it returns waits for the end, and
// checks that the screen has shown the script, and that what happened stands below it.
func (l *lab) onScreen(id string) (over func()) {
	l.t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		l.t.Log("SKIPPED: no tmux here, so the screen is tried on no live cluster")
		return func() {}
	}
	tmux := func(args ...string) string {
		out, err := exec.Command("tmux", append([]string{"-L", "paratimer-e2e"}, args...)...).CombinedOutput()
		if err != nil {
			l.t.Fatalf("tmux %v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	tmux("-u", "-f", "/dev/null", "new-session", "-d", "-x", "110", "-y", "34", "-e", "HADOOP_CONF_DIR="+l.conf, "-e",
		"LC_ALL=C.UTF-8", "-e", "NO_COLOR=",
		"-e", "XDG_STATE_HOME="+l.t.TempDir(), "-e", "XDG_CONFIG_HOME="+l.t.TempDir(), "sh")
	l.t.Cleanup(func() { _ = exec.Command("tmux", "-L", "paratimer-e2e", "kill-server").Run() })
	tmux("send-keys", "-l", binary+" attach "+id+"; echo code=$?.")
	tmux("send-keys", "Enter")
	pane := func() string { return tmux("capture-pane", "-p") }
	l.await("the script on the screen", func() bool {
		s := pane()
		return strings.Contains(s, "now") &&
			strings.Contains(s, "maps")
	})
	l.t.Logf("the screen of a script that runs:\n%s", pane())
	return func() {
		l.t.Helper()
		l.await("the end of the screen", func() bool { s := pane(); return strings.Contains(s, "\ncode=0.") })
		if output := pane(); !strings.Contains(output, "succeeded after") {
			l.t.Errorf("below the screen stands\n%s", output)
		}
	}
}
