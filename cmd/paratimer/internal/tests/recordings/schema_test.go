package recordings

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/program"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/runreport"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/tests/session"
)

// TestSchemas holds that the published JSON Schemas are those of the types, and that what the program writes is valid
// under them. PARATIMER_UPDATE=1 writes them anew.
func TestSchemas(t *testing.T) {
	t.Parallel()
	tapes := []string{"../../examples/join.jsonl.zst", "../../examples/join-failure.jsonl.zst", skewed}
	for _, c := range []struct {
		file, title string
		of          reflect.Type
		args        []string
		lines       bool // a document a line
	}{
		{
			"frames.schema.json", "A frame of ParaTimer: one line of --output ndjson", reflect.TypeFor[frame.Frame](),
			[]string{"replay", "--output", "ndjson"},
			true,
		},
		{
			"report.schema.json", "A report of ParaTimer: paratimer report --output json",
			reflect.TypeFor[runreport.Report](),
			[]string{"report", "--output", "json"},
			false,
		},
	} {
		t.Run(c.file, func(t *testing.T) {
			t.Parallel()
			published := filepath.Join("../../docs", c.file)
			want, err := schemaOf(c.of, c.title)
			if err != nil {
				t.Fatal(err)
			}
			if os.Getenv("PARATIMER_UPDATE") != "" {
				if err := os.WriteFile(published, want, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if got, err := os.ReadFile(published); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s is not the schema of %v: PARATIMER_UPDATE=1 go test ./cmd/paratimer/... -run TestSchemas (%v)",
					published, c.of, err)
			}
			valid, err := jsonschema.NewCompiler().Compile(published)
			if err != nil {
				t.Fatal(err)
			}
			for _, tape := range tapes {
				code, out, stderr := session.Run(t, append(c.args, tape)...)
				if code != program.ExitOK || out == "" {
					t.Fatalf("%s: exit code %d\n%s", tape, code, stderr)
				}
				documents := []string{out}
				if c.lines {
					documents = strings.Split(strings.TrimSpace(out), "\n")
				}
				for i, d := range documents {
					v, err := jsonschema.UnmarshalJSON(strings.NewReader(d))
					if err == nil {
						err = valid.Validate(v)
					}
					if err != nil {
						t.Fatalf("%s, document %d: %v", tape, i+1, err)
					}
				}
			}
			if err := valid.Validate(map[string]any{"schema_version": "3"}); err == nil {
				t.Error("anything is valid")
			}
		})
	}
}

// TestPythonReader runs the reader that docs/frames.md shows on the frames of a replay.
func TestPythonReader(t *testing.T) {
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("SKIPPED: no python3 on the PATH, so the reader in Python was not run")
	}
	_, frames, _ := session.Run(t, "replay", "--output", "ndjson", "../../examples/join.jsonl.zst")
	cmd := exec.CommandContext(t.Context(), python, "../../examples/read_frames.py")
	cmd.Stdin = strings.NewReader(frames)
	out, err := cmd.CombinedOutput()
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if err != nil || len(lines) != strings.Count(frames, "\n") || !strings.HasSuffix(lines[len(lines)-1], "succeeded") {
		t.Errorf("%v: %d lines of %d\n%s", err, len(lines), strings.Count(frames, "\n"), out)
	}
	page, err := os.ReadFile("../../docs/frames.md")
	if err != nil || !strings.Contains(string(page), "examples/read_frames.py") {
		t.Errorf("docs/frames.md does not name examples/read_frames.py: %v", err)
	}
}

// TestNotebookBar runs the progress bar for notebooks in a kernel of Jupyter, on a replay and on a command that fails.
func TestNotebookBar(t *testing.T) {
	t.Parallel()
	python := cmp.Or(os.Getenv("PARATIMER_PYTHON"), "python3")
	if err := exec.CommandContext(t.Context(), python, "-c", "import nbclient, ipykernel").Run(); err != nil {
		t.Skip("SKIPPED: no nbclient and ipykernel in PARATIMER_PYTHON, so the bar for notebooks was not run")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	for arguments, want := range map[string]string{
		"'replay', 'join.jsonl.zst'":    `value="1.000"`,
		"'replay', 'no-such-file.tape'": "no-such-file.tape",
	} {
		script := fmt.Sprintf(`
import nbclient, nbformat
cell = nbformat.v4.new_code_cell("""import notebook_bar
notebook_bar.watch(%s).join()""")
book = nbformat.v4.new_notebook(cells=[cell])
nbclient.NotebookClient(book, timeout=300, resources={"metadata": {"path": %q}}).execute()
print(book.cells[0].outputs[-1]["data"]["text/html"])
`, arguments, filepath.Join(root, "examples"))
		cmd := exec.CommandContext(t.Context(), python, "-c", script)
		cmd.Env = append(session.Environ(t), "PYTHONDONTWRITEBYTECODE=1")
		out, err := cmd.Output()
		if err != nil || !strings.Contains(string(out), want) {
			t.Errorf("%s shows %v %s, want %s", arguments, err, out, want)
		}
	}
}
