package live

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/paratimer/paratimer/adapters/simulate"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/program"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/tests/session"
	"github.com/paratimer/paratimer/internal/testkit/restsim"
)

// TestAttachOpenLineage: a watched query is a run of OpenLineage, with a start and an end, in the cluster's namespace.
func TestAttachOpenLineage(t *testing.T) {
	t.Parallel()
	session.Setenv(t, "XDG_CONFIG_HOME", t.TempDir())
	session.Setenv(t, "XDG_STATE_HOME", t.TempDir())
	session.Setenv(t, "OPENLINEAGE_NAMESPACE", "yarn://here")
	var mu sync.Mutex
	var sent []string
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var e struct {
			EventType string
			Job       struct{ Namespace, Name string }
		}
		if err := json.NewDecoder(r.Body).Decode(&e); err != nil {
			t.Error(err)
		}
		mu.Lock()
		defer mu.Unlock()
		sent = append(sent, r.URL.Path+" "+e.EventType+" "+e.Job.Namespace)
	}))
	defer receiver.Close()
	url := restsim.HadoopServer(t, "../../examples/pig-join.yaml", simulate.Options{})
	code, _, stderr := session.Run(t, "attach", "--rm", url, "--jhs", url, "--user", "alice", "--every", "100ms",
		"--set", "openlineage="+receiver.URL)
	mu.Lock()
	defer mu.Unlock()
	const path = "/api/v1/lineage "
	n := len(sent)
	if code != program.ExitOK || n < 2 || sent[0] != path+"START yarn://here" || sent[n-1] != path+"COMPLETE yarn://here" {
		t.Errorf("exit code %d, sent %s\n%s", code, strings.Join(sent, ", "), stderr)
	}
	code, _, stderr = session.Run(t, "attach", "--rm", url, "--jhs", url, "--user", "alice", "--set", "openlineage=marquez")
	if code != program.ExitUsage || !strings.Contains(stderr, "openlineage: it is not a URL") {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
}
