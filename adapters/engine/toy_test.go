package engine

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestToyEngine builds the program with a fourth engine, of one package and one row, and plays a file of it.
func TestToyEngine(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	table, err := os.ReadFile("table.go")
	if err != nil {
		t.Fatal(err)
	}
	const imports, row = "import (\n", `	{Name: "Toy", Type: "TOY", IsPast: toy.IsHistory, Past: toy.NewPastReader},` + "\n}\n"
	if !bytes.HasSuffix(table, []byte("\n}\n")) || !bytes.Contains(table, []byte(imports)) {
		t.Fatal("table.go does not end with the table")
	}
	table = append(bytes.TrimSuffix(table, []byte("}\n")), row...)
	table = bytes.Replace(table, []byte(imports), []byte(imports+"\t\"github.com/paratimer/paratimer/adapters/toy\"\n"), 1)
	changed := filepath.Join(dir, "table.go")
	if err := os.WriteFile(changed, table, 0o600); err != nil {
		t.Fatal(err)
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {
		filepath.Join(here, "table.go"):      changed,
		filepath.Join(here, "../toy/toy.go"): filepath.Join(here, "testdata/toy/toy.go.txt"),
	}})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, overlay, 0o600); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "paratimer")
	build := exec.CommandContext(t.Context(), "go", "build", "-overlay", file, "-o", program, "../../cmd/paratimer")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	run := exec.CommandContext(t.Context(), program, "replay", "testdata/toy/run.toy", "--speed", "0")
	run.Env = append(os.Environ(), "HOME="+dir, "XDG_STATE_HOME="+dir)
	out, err := run.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "succeeded after 1m5s") || !strings.Contains(string(out), "work") {
		t.Errorf("%v\n%s", err, out)
	}
}
