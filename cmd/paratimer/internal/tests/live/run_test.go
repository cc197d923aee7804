package live

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/adapters/simulate"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/program"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/tests/session"
	"github.com/paratimer/paratimer/internal/testkit/restsim"
)

// TestListWaitRun lists what runs, waits for it, and runs a command that submits it.
func TestListWaitRun(t *testing.T) {
	t.Parallel()
	session.Setenv(t, "XDG_CONFIG_HOME", t.TempDir())
	session.Setenv(t, "XDG_STATE_HOME", t.TempDir())
	url := restsim.HadoopServer(t, "../../examples/pig-join.yaml", simulate.Options{})
	code, out, stderr := session.Run(t, "list", "--rm", url, "--output", "json")
	var got struct {
		Applications []struct{ ID, Name, Engine, User, Queue string }
	}
	if err := json.Unmarshal([]byte(out), &got); code != program.ExitOK || err != nil || len(got.Applications) != 2 {
		t.Fatalf("list: exit code %d, %v\n%s%s", code, err, out, stderr)
	}
	app := got.Applications[0]
	if app.Engine != "MapReduce" || app.User != "alice" || !strings.HasPrefix(app.ID, "application_") {
		t.Errorf("list: %+v", app)
	}
	if code, out, stderr := session.Run(t, "list", "--rm", url); code != program.ExitOK || !strings.Contains(out, app.ID) ||
		!strings.Contains(out, app.Name) {
		t.Errorf("list: exit code %d\n%s%s", code, out, stderr)
	}
	code, out, stderr = session.Run(t, "run", "--rm", url, "--jhs", url, "--user", "alice", "--every", "100ms", "--",
		"sh", "-c", "echo Submitted application "+app.ID+"; exit 7")
	if code != 7 || out != "Submitted application "+app.ID+"\n" || !strings.Contains(stderr, "succeeded after") {
		t.Errorf("run: exit code %d, stdout %q\n%s", code, out, stderr)
	}
	if code, out, stderr := session.Run(t, "run", "--rm", url, "--", "no-such-command-here"); code != program.ExitUsage ||
		out != "" || !strings.Contains(stderr, "no-such-command-here") {
		t.Errorf("a command that does not exist: exit code %d, %q\n%s", code, out, stderr)
	}
	url = restsim.HadoopServer(t, "../../examples/pig-join.yaml", simulate.Options{})
	code, out, stderr = session.Run(t, "wait", "--rm", url, "--jhs", url, "--user", "alice", "--every", "100ms")
	if lines := strings.Count(out, "\n"); code != program.ExitOK || lines != 1 || !strings.Contains(out, "succeeded after") {
		t.Errorf("wait: exit code %d\n%s%s", code, out, stderr)
	}
}
