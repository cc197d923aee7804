package main

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"
)

// fileBlock is a file that docs/ernest.md shows, behind its name.
var fileBlock = regexp.MustCompile("(?s)```(?:csv|yaml) (\\S+)\n(.*?)```\n")

// TestErnestDocs runs what docs/ernest.md shows, in order, in one folder with the files that it shows.
func TestErnestDocs(t *testing.T) {
	text, err := os.ReadFile("../../docs/ernest.md")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	for _, file := range fileBlock.FindAllStringSubmatch(string(text), -1) {
		if err := os.WriteFile(file[1], []byte(file[2]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ran := 0
	for _, s := range sessions(t, string(text)) {
		ran++
		var stdout, stderr bytes.Buffer
		if code := run(t.Context(), strings.Fields(s.command), strings.NewReader(""), &stdout, &stderr); code != exitOK {
			t.Errorf("docs/ernest.md:%d: %s: exit code %d\n%s", s.line, s.command, code, &stderr)
			continue
		}
		if !promised(s.output).MatchString(stdout.String()) {
			t.Errorf("docs/ernest.md:%d: %s does not print what stands there, but\n%s", s.line, s.command, &stdout)
		}
	}
	if ran < 5 {
		t.Fatalf("only %d commands found: nothing is guarded", ran)
	}
}
