package live

import (
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/paratimer/paratimer/adapters/simulate"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/program"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/tests/session"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/internal/testkit/restsim"
)

// lateArgs attach to a short query that is late at once.
func lateArgs(t *testing.T, plan string, more ...string) []string {
	t.Helper()
	session.Setenv(t, "XDG_CONFIG_HOME", t.TempDir())
	session.Setenv(t, "XDG_STATE_HOME", t.TempDir())
	url := restsim.HadoopServer(t, plan, simulate.Options{})
	return append([]string{
		"attach", "--rm", url, "--jhs", url, "--user", "alice", "--every", "100ms", "--within",
		"1s",
	}, more...)
}

// TestTellsWithoutState checks that without a state folder a warning is logged, and alerts are sent all the same.
func TestTellsWithoutState(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for what, dir := range map[string]string{
		"no folder":               filepath.Join(file, "state"),
		"one that takes no files": "/proc/self/fdinfo",
	} {
		out := filepath.Join(t.TempDir(), "sent")
		code, _, stderr := session.Run(t, lateArgs(t, session.JoinPlan, "--state-dir", dir, "--exec", "cat >> "+out)...)
		sent, err := os.ReadFile(out)
		if code != program.ExitOK || err != nil || strings.Count(string(sent), "\n") != 2 ||
			!strings.Contains(stderr, "--state-dir") {
			t.Errorf("%s: exit code %d, sent %q, %v\n%s", what, code, sent, err, stderr)
		}
	}
}

// TestTellsOverTLS checks that a webhook gets alerts if its certificate is in ca-file, and none if it is untrusted.
func TestTellsOverTLS(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	sent := 0
	hook := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		sent++
	}))
	defer hook.Close()
	ca := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: hook.Certificate().Raw}),
		0o600); err != nil {
		t.Fatal(err)
	}
	code, _, stderr := session.Run(t, lateArgs(t, session.JoinPlan, "--webhook", hook.URL, "--set", "ca-file="+ca, "--set", "drain=1m")...)
	if code != program.ExitOK || sent != 2 {
		t.Errorf("exit code %d, sent %d times\n%s", code, sent, stderr)
	}
	code, _, stderr = session.Run(t, lateArgs(t, session.JoinPlan, "--webhook", hook.URL, "--set", "drain=0s", "--set", "insecure=true")...)
	if code != program.ExitOK || sent != 2 || !strings.Contains(stderr, "not all alerts could be sent") {
		t.Errorf("exit code %d, sent %d times\n%s", code, sent, stderr)
	}
}

// TestHostileName: a name of any signs and any length reaches Alertmanager as it is, and the state and the metrics
// whole.
func TestHostileName(t *testing.T) {
	t.Parallel()
	am := startAlertmanager(t)
	name := "a\nb\"b'c\\d{}=,|\tä→\u202e " + strings.Repeat("x", 10_000)
	b, err := os.ReadFile(session.JoinPlan)
	if err != nil {
		t.Fatal(err)
	}
	quoted, err := json.Marshal(name)
	if err != nil {
		t.Fatal(err)
	}
	plan := filepath.Join(t.TempDir(), "plan.yaml")
	_, rest, _ := strings.Cut(string(b), "\ncluster:")
	if err := os.WriteFile(plan, fmt.Appendf(nil, "name: %s\ncluster:%s", quoted, rest), 0o600); err != nil {
		t.Fatal(err)
	}
	prom := filepath.Join(t.TempDir(), "m.prom")
	code, _, stderr := session.Run(t, lateArgs(t, plan, "--alertmanager", am.URL, "--set", "metrics-textfile="+prom)...)
	if code != program.ExitOK {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	eventually(t, "Alertmanager has resolved the alert", func() bool {
		all := am.Received()
		return len(all) > 0 && all[len(all)-1].Status == "resolved" &&
			all[len(all)-1].Labels["workflow"] == dag.Clean(name)
	})
	code, list, _ := session.Run(t, "history", "list", "--output", "json")
	if code != program.ExitOK || !json.Valid([]byte(list)) || !strings.Contains(list, strings.Repeat("x", 4000)) {
		t.Errorf("the history has, with exit code %d, %.200s", code, list)
	}
	text, err := os.ReadFile(prom)
	if err != nil || !strings.Contains(string(text), `workflow="a\\nb\"b'c\\d{}`) ||
		strings.Contains(string(text), strings.Repeat("x", 200)) {
		t.Errorf("%v: %.300s", err, text)
	}
}
