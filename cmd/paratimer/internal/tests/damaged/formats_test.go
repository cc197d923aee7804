package damaged

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/program"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/tests/session"
	"github.com/paratimer/paratimer/internal/testkit/fixtures"
)

// eventLog is the log of an application's attempt that ran four tasks of 2 s on two cores.
func eventLog(id, attempt string) []byte {
	l := fixtures.NewSparkLog(2)
	l.End(l.Job(time.Second, 2*time.Second, 4, -1) + time.Second)
	return []byte(strings.ReplaceAll(string(l.Bytes()), `"App ID":"`+fixtures.SparkID+`"`,
		`"App ID":"`+id+`","App Attempt ID":"`+attempt+`"`))
}

func write(t *testing.T, path string, b []byte) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestFolderOfEventLogs checks that history add makes a recording or a stored run of each log of a folder, and that the
// other commands choose one by its application.
func TestFolderOfEventLogs(t *testing.T) {
	t.Parallel()
	logs := filepath.Join(t.TempDir(), "logs")
	for n := range 4 {
		write(t, filepath.Join(logs, fmt.Sprintf("application_1_7_%d", n+1)), eventLog("application_1_7", fmt.Sprint(n+1)))
	}
	write(t, filepath.Join(logs, "eventlog_v2_app-2", "events_1_app-2"), eventLog("app-2", ""))
	torn := eventLog("app-3", "")
	write(t, filepath.Join(logs, "app-3.inprogress"), torn[:len(torn)*2/3])
	write(t, filepath.Join(logs, "nothing-ran"), []byte(`{"Event":"SparkListenerLogStart"}`+"\n"))

	out := t.TempDir()
	code, stdout, stderr := session.Run(t, "history", "add", logs, "-o", out, "--output", "json")
	var result struct {
		Runs []struct {
			ID    string `json:"run_id"`
			State string
		}
	}
	if err := json.Unmarshal([]byte(stdout), &result); err != nil || code != program.ExitUsage {
		t.Fatalf("exit code %d, %s, %v", code, stderr, err)
	}
	const want = "[{app-3 running} {application_1_7 succeeded} {application_1_7_2 succeeded} {application_1_7_3 succeeded} " +
		"{application_1_7_4 succeeded} {app-2 succeeded}]"
	if got := fmt.Sprint(result.Runs); got != want || strings.Count(stderr, "nothing-ran") != 1 {
		t.Errorf("%s, want %s; %s", got, want, stderr)
	}
	if tapes, err := filepath.Glob(filepath.Join(out, "*.jsonl.zst")); err != nil || len(tapes) != 6 {
		t.Errorf("%v, %v", tapes, err)
	}
	for id, want := range map[string]int{"application_1_7_3": 1, "app-2": 1, "app-9": 0} {
		_, stdout, _ := session.Run(t, "history", "add", logs, "-o", t.TempDir(), "--workflow", id)
		if got := strings.Count(stdout, "succeeded"); got != want || want > 0 && !strings.Contains(stdout, id+".jsonl.zst") {
			t.Errorf("import of %s: %s", id, stdout)
		}
	}

	state := t.TempDir()
	_, stdout, _ = session.Run(t, "history", "add", logs, "--state-dir", state)
	if n := strings.Count(stdout, "succeeded after 4"); n != 5 || strings.Count(stdout, "added") != 5 {
		t.Errorf("%d runs are added: %s", n, stdout)
	}

	if code, _, stderr := session.Run(t, "replay", logs, "--speed", "0"); code != program.ExitUsage ||
		!strings.Contains(stderr, "it has 7 event logs") || !strings.Contains(stderr, "application_1_7_2") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
	if code, stdout, stderr := session.Run(t, "replay", logs, "--speed", "0", "--quiet", "--workflow", "app-2"); code != 0 ||
		!strings.Contains(stdout, "succeeded after 4s") {
		t.Errorf("exit code %d, %s%s", code, stdout, stderr)
	}
}

// TestEmptyJob checks that each command that takes a recording answers in one sentence if the only job of an
// application had no tasks, and names the file once at most.
func TestEmptyJob(t *testing.T) {
	t.Parallel()
	log := write(t, filepath.Join(t.TempDir(), "empty"), []byte(`{"Event":"SparkListenerLogStart","Spark Version":"3.5.1"}
{"Event":"SparkListenerApplicationStart","App Name":"nightly","App ID":"app-1","Timestamp":1760000000000,"User":"me"}
{"Event":"SparkListenerJobStart","Job ID":0,"Submission Time":1760000001000,"Stage Infos":[],"Stage IDs":[],"Properties":{}}
{"Event":"SparkListenerJobEnd","Job ID":0,"Completion Time":1760000001001,"Job Result":{"Result":"JobSucceeded"}}
{"Event":"SparkListenerApplicationEnd","Timestamp":1760000002000}
`))
	both := t.TempDir()
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(both, "first"), text)
	write(t, filepath.Join(both, "second"), text)
	if code, _, stderr := session.Run(t, "history", "add", both, "-o", t.TempDir()); code != program.ExitUsage ||
		strings.Count(stderr, "its jobs had no tasks") != 2 {
		t.Errorf("exit code %d, %s", code, stderr)
	}
	out := filepath.Join(t.TempDir(), "out")
	for _, args := range [][]string{
		{"history", "add", log, "-o", out},
		{"report", log, "-o", out},
		{"replay", log, "--speed", "0"},
		{"score", log},
		{"learn", log},
		{"report", "--skew", log},
		{"whatif", log},
		{"compare", log, log},
		{"history", "add", log, "--state-dir", t.TempDir()},
		{"check", "--recording", log, "--within", "10m"},
	} {
		code, stdout, stderr := session.Run(t, args...)
		text := stdout + stderr
		if code == 0 || strings.Count(text, "its jobs had no tasks") != 1 || strings.Count(text, log) > 1 ||
			strings.Contains(text, "goroutine") {
			t.Errorf("%v: exit code %d: %s", args, code, text)
		}
	}
}

// TestTextIsNoPlan checks that a text gets no error of the parser of plans.
func TestTextIsNoPlan(t *testing.T) {
	t.Parallel()
	path := write(t, filepath.Join(t.TempDir(), "driver.log"), []byte("2026-11-22 10:00:00 INFO Driver: started\n  at a: b\n"))
	for _, command := range []string{"skew", "whatif", "estimate", "simulate"} {
		code, _, stderr := session.Run(t, command, path)
		if code != program.ExitUsage || strings.Contains(stderr, "yaml") || strings.Contains(stderr, "line 1") ||
			!strings.Contains(stderr, "is not a plan") || strings.Count(stderr, path) != 1 {
			t.Errorf("%s: exit code %d: %s", command, code, stderr)
		}
	}
}
