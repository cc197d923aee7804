package live

import (
	"encoding/json"
	"io"
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
	"github.com/paratimer/paratimer/internal/testkit/restsim"
)

// TestAttachTells checks that a late query is reported by Alertmanager, webhook and command, and no secret is left
// anywhere.
func TestAttachTells(t *testing.T) {
	t.Parallel()
	session.Setenv(t, "XDG_CONFIG_HOME", t.TempDir())
	stateDir := t.TempDir()
	session.Setenv(t, "XDG_STATE_HOME", stateDir)
	session.Setenv(t, "PARATIMER_WEBHOOK_SECRET", "hu-sh")
	var mu sync.Mutex
	var hook []string
	var ends []string
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		mu.Lock()
		defer mu.Unlock()
		if r.URL.Path == "/api/v2/alerts" {
			var all []struct{ Labels map[string]string }
			if err := json.Unmarshal(b, &all); err != nil {
				t.Error(err)
			}
			for _, a := range all {
				ends = append(ends, a.Labels["alertname"]+" "+a.Labels["bound"])
			}
			return
		}
		var m struct {
			Status    string
			ParaTimer struct {
				Alert struct{ State, Bound string }
			}
		}
		if err := json.Unmarshal(b, &m); err != nil {
			t.Error(err)
		}
		if !strings.HasPrefix(r.Header.Get("X-ParaTimer-Signature"), "sha256=") {
			t.Errorf("headers %v", r.Header)
		}
		if m.ParaTimer.Alert.Bound == "within" {
			hook = append(hook, m.Status+" "+m.ParaTimer.Alert.State)
		}
	}))
	defer receiver.Close()
	out := filepath.Join(t.TempDir(), "exec")
	url := restsim.HadoopServer(t, "../../examples/pig-join.yaml", simulate.Options{})
	withToken := strings.Replace(receiver.URL, "http://", "http://me:pass-word@", 1)
	session.Setenv(t, "PARATIMER_WEBHOOK", withToken+"/hook/tok-en")
	code, stdout, stderr := session.Run(t, "attach", "--rm", url, "--jhs", url, "--user", "alice", "--every", "100ms",
		"--log-level", "debug",
		"--within", "40s", "--set", "hold=1", "--alertmanager", receiver.URL, "--exec", "cat >> "+out)
	if code != program.ExitOK {
		t.Fatalf("attach: exit code %d\n%s", code, stderr)
	}
	sent := strings.Join(hook, ", ")
	if !strings.HasSuffix(sent, "firing late, resolved ended") {
		t.Errorf("the webhook got %q\n%s", sent, stdout)
	}
	if len(ends) == 0 || ends[0] != "ParaTimer within" {
		t.Errorf("Alertmanager got %q", ends)
	}
	ran, err := os.ReadFile(out)
	if err != nil || strings.Count(string(ran), "\n") < 2 {
		t.Errorf("the command read %s: %v", ran, err)
	}
	left := stdout + stderr + string(ran)
	files := 0
	err = filepath.WalkDir(stateDir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			var b []byte
			b, err = os.ReadFile(path)
			left += string(b)
			files++
		}
		return err
	})
	if err != nil || files == 0 {
		t.Errorf("%d files of state: %v", files, err)
	}
	for _, secret := range []string{"hu-sh", "tok-en", "pass-word"} {
		if strings.Contains(left, secret) {
			t.Errorf("%s is left somewhere", secret)
		}
	}
}
