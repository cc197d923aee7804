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

// TestSchemas checks that the published JSON Schemas are those of the types, and that what the program writes is valid
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

// TestWheel installs the wheel in clean environments by pip and by uv, and runs the program and the notebook's magics.
func TestWheel(t *testing.T) {
	t.Parallel()
	python := cmp.Or(os.Getenv("PARATIMER_PYTHON"), "python3")
	if err := exec.CommandContext(t.Context(), python, "-c", "import nbclient, ipykernel, uv").Run(); err != nil {
		t.Skip("SKIPPED: no nbclient, ipykernel and uv in PARATIMER_PYTHON, so the wheel was not installed")
	}
	dir := t.TempDir()
	run := func(environ []string, name string, args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Env = append(append(session.Environ(t), "PYTHONDONTWRITEBYTECODE=1"), environ...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
		}
		return strings.TrimSpace(string(out))
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	wheel := run(nil, python, "../../deploy/wheel/build.py", self, "v1.2.3", "linux/amd64", dir)
	if want := "paratimer-1.2.3-py3-none-manylinux2014_x86_64.musllinux_1_1_x86_64.whl"; filepath.Base(wheel) != want {
		t.Errorf("the wheel is %s, want %s", wheel, want)
	}
	for _, installer := range []string{"uv", "pip"} {
		venv := filepath.Join(dir, installer)
		own := filepath.Join(venv, "bin", "python")
		if run(nil, python, "-m", "venv", venv); installer == "pip" {
			run(nil, own, "-m", "pip", "install", "--quiet", "--no-index", wheel)
		} else {
			run([]string{"UV_CACHE_DIR=" + filepath.Join(dir, "cache")}, python, "-m", "uv", "pip", "install", "--offline",
				"--python", own, wheel)
		}
		if out := run(nil, filepath.Join(venv, "bin", "paratimer"), "version"); !strings.HasPrefix(out, "paratimer ") {
			t.Errorf("%s installs %q", installer, out)
		}
		if out := run(nil, own, "-c", "import paratimer; print(paratimer.program())"); out != filepath.Join(venv, "bin", "paratimer") {
			t.Errorf("%s: the module finds the program at %s", installer, out)
		}
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	site := run(nil, filepath.Join(dir, "pip", "bin", "python"), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))")
	for cell, want := range map[string]string{
		"%paratimer replay join.jsonl.zst\nrunning.join()":                 `value="1.000"`,
		"%paratimer replay no-such-file.tape\nrunning.join()":              "no-such-file.tape",
		"%%paratimer replay join.jsonl.zst --speed 1\nprint('it has run')": "it has run",
	} {
		script := fmt.Sprintf(`
import nbclient, nbformat
cells = [nbformat.v4.new_code_cell(c) for c in ("%%load_ext paratimer", %q)]
book = nbformat.v4.new_notebook(cells=cells)
nbclient.NotebookClient(book, timeout=300, resources={"metadata": {"path": %q}}).execute()
print([o.get("text") or o["data"]["text/html"] for o in book.cells[1].outputs])
`, strings.ReplaceAll(cell, "running.", "__import__('paratimer').running[0]."), filepath.Join(root, "examples"))
		if out := run([]string{"PYTHONPATH=" + site}, python, "-c", script); !strings.Contains(out, want) {
			t.Errorf("%s shows %s, want %s", cell, out, want)
		}
	}
}
