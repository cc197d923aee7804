package usage

import (
	"os"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/program"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/tests/session"
)

// TestQueueingDocs: the commands of docs/before-a-run.md on examples give answers, and its job file is the example's.
func TestQueueingDocs(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/before-a-run.md")
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for l := range strings.Lines(string(page)) {
		command, ok := strings.CutPrefix(l, "    paratimer model examples/")
		if !ok {
			continue
		}
		ran++
		args := strings.Fields("model ../../examples/" + command)
		if strings.Contains(l, "--all") {
			args = append(args, "--set", "runs=10")
		}
		if code, out, stderr := session.Run(t, args...); code != program.ExitOK || out == "" || stderr != "" {
			t.Errorf("%v: exit %d: %s", args, code, stderr)
		}
	}
	if ran < 3 {
		t.Errorf("only %d commands were run", ran)
	}
	_, file, _ := strings.Cut(string(page), "\n## The job file\n")
	var job strings.Builder
	for l := range strings.Lines(file) {
		if code, ok := strings.CutPrefix(l, "    "); ok {
			job.WriteString(code)
		} else if strings.HasPrefix(l, "A demand") {
			break
		}
	}
	path := t.TempDir() + "/job.yaml"
	if err := os.WriteFile(path, []byte(job.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	_, of, _ := session.Run(t, "model", path)
	_, want, _ := session.Run(t, "model", "../../examples/hadoop-online.yaml")
	if _, rest, _ := strings.Cut(want, "\n"); of == "" || of != rest { // without the example's name
		t.Errorf("the page's job gives\n%s\nthe example's\n%s", of, want)
	}
}
