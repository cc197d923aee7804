package usage

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/paratimer/paratimer/adapters/simulate"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/program"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/settings"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/tests/session"
	"github.com/paratimer/paratimer/internal/testkit/restsim"
)

// wholeManual is the manual of the real tree.
func wholeManual(t *testing.T) *settings.Command {
	t.Helper()
	root := program.Manual(program.New(strings.NewReader(""), io.Discard, io.Discard))
	if n := len(root.All()); n < 20 {
		t.Fatalf("only %d commands: nothing is guarded", n)
	}
	return root
}

// TestManualWhole checks that every command is documented whole: examples, a heading, what its flags do; and
// that no text is of a command that there is not.
func TestManualWhole(t *testing.T) {
	t.Parallel()
	root := wholeManual(t)
	b, err := os.ReadFile("internal/program/manual.txt")
	if err != nil {
		t.Fatal(err)
	}
	texts := settings.ParseTexts(string(b))
	for _, c := range root.All() {
		if len(c.Text.Examples) == 0 && len(c.Commands) == 0 {
			t.Errorf("%s: no example in manual.txt", c.Path)
		}
		if c.Heading == "" && strings.Count(c.Path, " ") == 1 {
			t.Errorf("%s: under no heading of app.go", c.Path)
		}
		for _, f := range c.Flags {
			if f.Help == "" || strings.Count(f.Does(), "`")%2 != 0 || strings.Contains(f.Value(), "`") {
				t.Errorf("%s --%s: %q %q", c.Path, f.Name, f.Value(), f.Does())
			}
		}
		delete(texts, c.Path)
	}
	for path := range texts {
		t.Errorf("manual.txt: there is no %s", path)
	}
}

// TestHelpFits checks that help fits a terminal of 80 columns, but for examples, which must be whole to be copied, and
// that of a single command a screen of 24 lines.
func TestHelpFits(t *testing.T) {
	t.Parallel()
	for _, c := range wholeManual(t).All() {
		if n := strings.Count(settings.Help(c), "\n"); n > 24 && len(c.Commands) == 0 {
			t.Errorf("%s: help of %d lines", c.Path, n)
		}
		example := map[string]bool{}
		for _, line := range c.Text.Examples {
			example["  "+strings.TrimPrefix(line, "$ ")] = true
		}
		for _, line := range strings.Split(settings.Help(c)+settings.HelpAll(c), "\n") {
			if utf8.RuneCountInString(line) > 80 && !example[line] {
				t.Errorf("%s: %q", c.Path, line)
			}
		}
	}
}

// words splits a command line as a shell does: quotes, and what follows ">" is the shell's.
func words(t *testing.T, line string) []string {
	t.Helper()
	line, _, _ = strings.Cut(line, " > ")
	line = strings.TrimSuffix(strings.TrimPrefix(line, "source <("), ")")
	var all []string
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			all = append(all, part)
			continue
		}
		all = append(all, strings.Fields(part)...)
	}
	if len(all) == 0 || all[0] != "paratimer" {
		t.Fatalf("%q: not a command of ours", line)
	}
	return all
}

// clustered reports whether a command line needs a server. Those run against one of ours, or only their flags are read.
func clustered(args []string) bool {
	switch args[1] {
	case "attach", "watch", "doctor", "list", "status", "wait", "run":
		return true
	case "history":
		return slices.Contains(args, "--out")
	case "check":
		return !slices.Contains(args, "--recording")
	case "whatif", "report":
		return !slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "examples/") })
	}
	return false
}

// TestExamples runs every example of the help that needs no cluster, all in one folder, and has the flags of the others
// read.
func TestExamples(t *testing.T) {
	t.Parallel()
	examples, err := filepath.Abs("../../examples")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Symlink(examples, filepath.Join(dir, "examples")); err != nil {
		t.Fatal(err)
	}
	session.Setenv(t, "XDG_CONFIG_HOME", t.TempDir())
	session.Setenv(t, "XDG_STATE_HOME", t.TempDir())
	url := restsim.HadoopServer(t, filepath.Join(examples, "pig-join.yaml"), simulate.Options{})
	ran, read := 0, 0
	seen := map[string]bool{}
	try := func(c *settings.Command, line string) {
		line, isCommand := strings.CutPrefix(line, "$ ")
		if seen[line] || !isCommand {
			return
		}
		seen[line] = true
		args := words(t, line)
		live := clustered(args) || args[1] == "demo" // which scripts and the pages of the docs run
		switch {
		case live && args[1] == "doctor" && slices.Contains(args, "--rm"):
			args = []string{"paratimer", "doctor", "--rm", url, "--jhs", url}
			ran++
		case live:
			args = slices.Insert(args, 2, "--help") // the flags are read before it is shown
			read++
		default:
			ran++
		}
		if code, _, stderr := runIn(t, dir, args[1:]...); code != program.ExitOK {
			t.Errorf("%s: %s: exit code %d\n%s", c.Path, line, code, stderr)
		}
	}
	// A run must be added before it can be shown, and is deleted last.
	root := wholeManual(t)
	last := []string{
		"paratimer history list", "paratimer history show", "paratimer history profile",
		"paratimer history forget",
	}
	for _, c := range root.All() {
		for _, e := range c.Text.Examples {
			if !slices.Contains(last, c.Path) {
				try(c, e)
			}
		}
	}
	for _, path := range last {
		c := root
		for _, word := range strings.Fields(path)[1:] {
			c = c.Find(word)
		}
		for _, e := range c.Text.Examples {
			try(c, e)
		}
	}
	t.Logf("%d examples ran, of %d the flags were read", ran, read)
	if ran < 30 || read < 10 {
		t.Errorf("only %d examples ran, and of %d the flags were read: nothing is guarded", ran, read)
	}
}

// TestReference checks that docs/reference.md is of this tree.
func TestReference(t *testing.T) {
	t.Parallel()
	want, err := os.ReadFile("../../docs/reference.md")
	if err != nil {
		t.Fatal(err)
	}
	var stdout bytes.Buffer
	if code := program.Run(t.Context(), []string{"paratimer", "man", "--output", "markdown"}, session.Environ(t), strings.NewReader(""),
		&stdout, io.Discard); code != program.ExitOK {
		t.Fatalf("exit code %d", code)
	}
	if stdout.String() != string(want) {
		t.Error("docs/reference.md is not of this command tree any more: run `make reference`")
	}
}

// TestManPages checks that mandoc finds nothing wrong with any page.
func TestManPages(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("mandoc"); err != nil {
		t.Skip("SKIPPED: no mandoc here, so no man page is checked")
	}
	root := wholeManual(t)
	dir := t.TempDir()
	pages := []string{"../paratimer-tap/paratimer-tap.1"}
	for _, c := range root.All() {
		path := filepath.Join(dir, c.Page()+".1")
		if err := os.WriteFile(path, []byte(settings.Man(c, "v1.2.3", "2026-11-22")),
			0o600); err != nil {
			t.Fatal(err)
		}
		pages = append(pages, path)
	}
	out, _ := exec.CommandContext(t.Context(), "mandoc", append([]string{"-Tlint"}, pages...)...).CombinedOutput()
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		// NAME and examples are lines that must be whole; other pages are those that are not installed.
		if line != "" && !strings.Contains(line, "longer than 80 bytes") &&
			!strings.Contains(line, "referenced manual not found") {
			t.Error(line)
		}
	}
}
