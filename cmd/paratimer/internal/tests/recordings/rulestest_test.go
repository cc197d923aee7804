package recordings

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/program"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/tests/session"
)

// TestRulesOnAnArchive: rules are tried on each workflow of a folder of job history, and its row names it.
func TestRulesOnAnArchive(t *testing.T) {
	t.Parallel()
	session.Setenv(t, "XDG_CONFIG_HOME", t.TempDir())
	path := filepath.Join(t.TempDir(), "rules.yaml")
	if err := os.WriteFile(path, []byte("rules: [{name: a, within: 60s}]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	archive := "../../adapters/history/testdata"
	code, stdout, stderr := session.Run(t, "watch", "--rules", path, "--test", archive, "--output", "json")
	if code != program.ExitOK {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	var got struct {
		Rules []struct{ Matched int }
		Runs  []struct {
			Late       *bool
			WorkflowID *string `json:"workflow_id"`
		}
	}
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatal(err)
	}
	late := map[string]bool{}
	for _, r := range got.Runs {
		late[*r.WorkflowID] = *r.Late
	}
	if len(got.Runs) != 2 || len(late) != 2 || got.Rules[0].Matched != 2 {
		t.Fatalf("%d runs of %v", len(got.Runs), late)
	}
	_, text, _ := session.Run(t, "watch", "--rules", path, "--test", archive)
	for id, is := range late {
		if !strings.Contains(text, "testdata "+id) || is != (id != "job_1795222440184_0020") {
			t.Errorf("%s late: %v\n%s", id, is, text)
		}
	}
	if code, _, stderr := session.Run(t, "watch", "--rules", path, "--test", "/nowhere"); code != program.ExitUsage ||
		!strings.Contains(stderr, "cannot read the recording") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}
