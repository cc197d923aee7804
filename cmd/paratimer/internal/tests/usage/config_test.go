package usage

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/program"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/tests/session"
)

// TestHostileConfig checks that a configuration is read within the bounds of the other files in YAML, and only from a
// regular file.
func TestHostileConfig(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	write := func(text string) string {
		t.Helper()
		f, err := os.CreateTemp(dir, "*.yaml")
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := f.WriteString(text); err != nil {
			t.Fatal(err)
		}
		return f.Name()
	}
	bomb := "a: &a0 [x, x, x, x, x, x, x, x, x]\n"
	for i := range 9 {
		bomb += fmt.Sprintf("b%d: &a%d [%s*a%d]\n", i, i+1, strings.Repeat(fmt.Sprintf("*a%d, ", i), 8), i)
	}
	for path, want := range map[string]string{
		"/dev/zero":                              "give a regular file",
		os.DevNull:                               "",
		pipe:                                     "it is a pipe",
		dir:                                      "is a directory",
		write(""):                                "",
		write(strings.Repeat("x", 1<<20+1)):      "longer than 1024 KiB",
		write(bomb):                              "yaml:",
		write("rm: " + strings.Repeat("[", 1e5)): "yaml:1:",
		write("rm: {a: 1}\n"):                    "yaml:1:6: rm is a mapping",
		write("every:\nuser: x\n"):               "yaml:1:",
		write("- every\n"):                       "a configuration is a mapping",
		write("every: 3s\nuser: \xff\n"):         "not text in UTF-8",
		write("every: 3s\n---\nevery: 4s\n"):     "a second document",
		write("every: 3s\nevery: 4s\n"):          "yaml:2:",
		write("# nothing\n\n---\n# but comments"): "",
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		code, _, stderr := session.Run(t, "--config", path, "version")
		runtime.ReadMemStats(&after)
		if !strings.Contains(stderr, want) || (code == program.ExitOK) != (want == "") ||
			code != program.ExitOK && code != program.ExitUsage {
			t.Errorf("%s: exit code %d: %s; want %q", path, code, stderr, want)
		}
		if took := (after.TotalAlloc - before.TotalAlloc) >> 20; took > 500 {
			t.Errorf("%s: %d MB allocated", path, took)
		}
	}
}
