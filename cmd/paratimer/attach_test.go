package main

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/adapters/simulate"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/internal/testkit/restsim"
)

// someDay is when simulated runs of tests begin.
var someDay = dag.InstantOf(time.Date(2010, 6, 6, 9, 0, 0, 0, time.UTC))

// hadoopServer plays a run of a plan as Hadoop's REST services, ten seconds of it each time that its applications are
// listed.
func hadoopServer(t *testing.T, plan string, opt simulate.Options) string {
	t.Helper()
	p, err := planfile.ReadFile(plan, planfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	opt.Start, opt.Every = someDay, time.Second
	run, err := simulate.New(p, opt)
	if err != nil {
		t.Fatal(err)
	}
	cluster, err := restsim.New(context.Background(), run)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/ws/v1/cluster/apps" {
			if err := cluster.Advance(r.Context(), cluster.Now().Add(10*time.Second)); err != nil {
				t.Error(err)
			}
		}
		cluster.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// paratimer runs the command in this process.
func paratimer(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	code = run(t.Context(), append([]string{"paratimer"}, args...), environ(t), strings.NewReader(""), &out, &err)
	return code, out.String(), err.String()
}

// TestAttach watches a query over HTTP to its end. Its tape gives the same frames, its capture the same end.
func TestAttach(t *testing.T) {
	t.Parallel()
	setenv(t, "XDG_CONFIG_HOME", t.TempDir())
	setenv(t, "XDG_STATE_HOME", t.TempDir())
	dir := t.TempDir()
	tapeFile, captureFile := filepath.Join(dir, "run.tape.gz"), filepath.Join(dir, "run.capture.gz")
	url := hadoopServer(t, "../../examples/pig-join.yaml", simulate.Options{})
	code, live, stderr := paratimer(t, "attach", "--rm", url, "--jhs", url, "--user", "alice", "--every", "100ms",
		"--output", "ndjson", "--tape", tapeFile, "--capture", captureFile)
	if code != exitOK {
		t.Fatalf("attach: exit code %d\n%s", code, stderr)
	}
	if n := strings.Count(live, "\n"); n < 8 {
		t.Fatalf("only %d frames:\n%s", n, live)
	}
	for _, want := range []string{`"node":"scope-50"`, `"state":"succeeded"},"elapsed_seconds"`} {
		if !strings.Contains(live, want) {
			t.Errorf("no frame has %s", want)
		}
	}
	code, replayed, stderr := paratimer(t, "replay", tapeFile, "--output", "ndjson")
	if code != exitOK || replayed != live {
		t.Errorf("replay of the tape: exit code %d, %s\n%s", code, difference([]byte(live), []byte(replayed)), stderr)
	}
	// In a capture this cluster's time leaps within a tick, so only that it is one can be told of it.
	if code, played, stderr := paratimer(t, "replay", captureFile); code == exitUsage ||
		!strings.HasPrefix(played, "join.pig: ") {
		t.Errorf("replay of the capture: exit code %d\n%s%s", code, played, stderr)
	}
}

func TestAttachToAFailingQuery(t *testing.T) {
	t.Parallel()
	setenv(t, "XDG_CONFIG_HOME", t.TempDir())
	setenv(t, "XDG_STATE_HOME", t.TempDir())
	url := hadoopServer(t, "../../examples/pig-join.yaml", simulate.Options{
		MaxAttempts: 1, Fail: []simulate.Failure{{Job: "scope-40", Task: 3, At: 15 * time.Second}},
	})
	code, out, stderr := paratimer(t, "attach", "--rm", url, "--jhs", url, "--user", "alice", "--every", "100ms")
	if code != exitFailed || !strings.Contains(out, "failed after") {
		t.Errorf("exit code %d, want %d\n%s%s", code, exitFailed, out, stderr)
	}
}

func TestAttachToNothing(t *testing.T) {
	t.Parallel()
	setenv(t, "XDG_CONFIG_HOME", t.TempDir())
	setenv(t, "XDG_STATE_HOME", t.TempDir())
	url := hadoopServer(t, "../../examples/pig-join.yaml", simulate.Options{})
	code, out, stderr := paratimer(t, "attach", "application_1_0001", "--rm", url, "--jhs", url)
	if code != exitBlind || out != "" || !strings.Contains(stderr, "application_1_0001") {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, out, stderr)
	}
}
