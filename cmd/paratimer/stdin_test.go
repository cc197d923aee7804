package main

import (
	"bytes"
	"os"
	"testing"
)

// TestReplayStdin holds that a recording through a pipe gives what its file gives.
func TestReplayStdin(t *testing.T) {
	t.Parallel()
	setenv(t, "XDG_CONFIG_HOME", t.TempDir())
	setenv(t, "XDG_STATE_HOME", t.TempDir())
	const path = "../../examples/join.tape.gz"
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out, stderr bytes.Buffer
	if code := run(t.Context(), []string{"paratimer", "replay", "-"}, environ(t), f, &out, &stderr); code != exitOK {
		t.Fatalf("exit code %d\n%s", code, stderr.String())
	}
	if _, want, _ := paratimer(t, "replay", path); out.String() != want {
		t.Errorf("from stdin:\n%s\nfrom the file:\n%s", out.String(), want)
	}
}
