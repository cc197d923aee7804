package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// binary is paratimer, built as a release is.
func binary(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "paratimer")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-o", path, "github.com/paratimer/paratimer/cmd/paratimer")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

// TestBill holds a bill against what `go version -m` and go.sum say of the binary: every module, with version and hash.
func TestBill(t *testing.T) {
	path := binary(t)
	var first, second bytes.Buffer
	for _, w := range []*bytes.Buffer{&first, &second} {
		if err := run(t.Context(), w, false, []string{path}); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("the same binary gives other bytes")
	}
	var b bom
	if err := json.Unmarshal(first.Bytes(), &b); err != nil {
		t.Fatal(err)
	}
	said := map[string]component{}
	for _, c := range b.Components {
		said[c.Name] = c
		if len(c.Licences) != 1 {
			t.Errorf("%s: no licence that we know", c.Name)
		}
	}
	sums, err := os.ReadFile("../../go.sum")
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), "go", "version", "-m", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	names := []string{"Go "}
	for _, line := range strings.Split(string(out), "\n") {
		f := strings.Fields(line)
		if len(f) != 4 || f[0] != "dep" {
			continue
		}
		checked++
		c, ok := said[f[1]]
		delete(said, f[1])
		names = append(names, f[1])
		want, _ := hexSum(f[3])
		if !ok || c.Version != f[2] || c.Hashes[0].Content != want || c.PURL != "pkg:golang/"+f[1]+"@"+f[2] {
			t.Errorf("%s: the bill says %+v", line, c)
		}
		if !bytes.Contains(sums, []byte(f[1]+" "+f[2]+" "+f[3]+"\n")) {
			t.Errorf("%s: not in go.sum", line)
		}
	}
	delete(said, "std")
	if checked < 10 || len(said) > 0 {
		t.Errorf("%d modules checked; in the bill alone: %v", checked, said)
	}
	t.Logf("%d modules, each with version and hash", checked)
	var texts bytes.Buffer
	if err := run(t.Context(), &texts, true, []string{path}); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if !strings.Contains(texts.String(), name) {
			t.Errorf("no licence of %s", name)
		}
	}
}

func TestBillErrors(t *testing.T) {
	for _, args := range [][]string{nil, {"absent"}, {"main.go"}} {
		if err := run(t.Context(), &bytes.Buffer{}, false, args); err == nil {
			t.Errorf("%q: no error", args)
		}
	}
	for _, bad := range []string{"", "h1:", "h1:!", "h2:AAAA", "h1:AAAA"} {
		if _, err := hexSum(bad); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}
