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

	"github.com/paratimer/paratimer/cmd/paratimer/internal/program"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/tests/session"
)

// completions are the expected offers of shells for a typed line; the last word is the one to complete.
var completions = []struct {
	typed []string
	want  []string // all that is offered, in any order
	some  bool     // among others
}{
	{typed: []string{"atta"}, want: []string{"attach"}},
	{typed: []string{"history", ""}, want: []string{"list", "show", "forget", "profile", "add"}},
	{typed: []string{"--log-level", "debug", "history", "pro"}, want: []string{"profile"}},
	{typed: []string{"attach", "--set", "metrics-l"}, want: []string{"metrics-linger="}},
	{typed: []string{"attach", "--output", ""}, want: []string{"text", "json", "ndjson"}},
	{typed: []string{"plan", "--output", ""}, want: []string{"text", "json", "ndjson"}},
	{typed: []string{"history", "add", "--spo"}, want: []string{"--spool"}},
	{typed: []string{"replay", "a b"}, want: []string{"a blank.tape"}},
	{typed: []string{"history", "profile", "--out", "a b"}, want: []string{"a blank.tape"}},
	{typed: []string{"attach", "--state-dir", "fol"}, want: []string{"folder"}, some: true},
	{typed: []string{"completion", "z"}, want: []string{"zsh"}},
	{typed: []string{"help", "pla"}, want: []string{"plan"}},
}

// completionScript is a script of ours in a file, beside a file and a folder to complete.
func completionScript(t *testing.T, shell string) string {
	t.Helper()
	if _, err := exec.LookPath(shell); err != nil {
		t.Skipf("SKIPPED: no %s here, so its completions are not tried", shell)
	}
	dir := t.TempDir()
	var script, stderr bytes.Buffer
	if code := program.Run(t.Context(), []string{"paratimer", "completion", shell}, session.Environ(t), strings.NewReader(""), &script,
		&stderr); code != program.ExitOK {
		t.Fatalf("exit code %d: %s", code, &stderr)
	}
	for name, body := range map[string]string{"script": script.String(), "a blank.tape": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "script")
}

// offered are the lines that a shell prints in the folder of a script.
func offered(t *testing.T, script, name string, args ...string) []string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir, cmd.Env = filepath.Dir(script), append(session.Environ(t), "HOME="+t.TempDir(), "TERM=xterm")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil || stderr.Len() > 0 {
		t.Fatalf("%s %q: %v\n%s", name, args, err, &stderr)
	}
	if len(out) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
}

func checkOffer(t *testing.T, typed, got, want []string, some bool) {
	t.Helper()
	got, want = slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))
	if some {
		got = slices.DeleteFunc(got, func(s string) bool { return !slices.Contains(want, s) })
	}
	if !slices.Equal(got, want) {
		t.Errorf("paratimer %q: offered %q, want %q", typed, got, want)
	}
}

func TestCompletionBash(t *testing.T) {
	t.Parallel()
	script := completionScript(t, "bash")
	complete := func(typed ...string) []string {
		return offered(t, script, "bash", append([]string{"--norc", "-c", `
source "$1"; shift
COMP_WORDS=(paratimer "$@"); COMP_CWORD=$#
_paratimer 2>/dev/null
((${#COMPREPLY[@]} == 0)) || printf '%s\n' "${COMPREPLY[@]}"`, "bash", script}, typed...)...)
	}
	for _, c := range completions {
		checkOffer(t, c.typed, complete(c.typed...), c.want, c.some)
	}
	checkOffer(t, nil, complete("attach", "--output", "=", "nd"), []string{"ndjson"}, false) // as bash cuts --output=nd
	checkOffer(t, nil, complete("attach", "--output", "=", "text", "--sess"), []string{"--session"}, false)
	checkOffer(t, nil, complete("attach", "--rm", ""), nil, false) // no request is sent
}

func TestCompletionFish(t *testing.T) {
	t.Parallel()
	script := completionScript(t, "fish")
	for _, c := range completions {
		words := slices.Clone(c.typed)
		for i := range words {
			words[i] = strings.ReplaceAll(words[i], " ", `\ `)
		}
		got := offered(t, script, "fish", "--no-config", "-c", `source $argv[1]; complete --do-complete $argv[2]`,
			script, "paratimer "+strings.Join(words, " "))
		for i := range got {
			got[i], _, _ = strings.Cut(got[i], "\t")
			got[i] = strings.TrimSuffix(strings.ReplaceAll(got[i], `\ `, " "), "/")
		}
		checkOffer(t, c.typed, got, c.want, c.some)
	}
}

// TestCompletionZsh types into a real zsh and reads the completed line.
func TestCompletionZsh(t *testing.T) {
	t.Parallel()
	script := completionScript(t, "zsh")
	for _, c := range completions {
		if len(c.want) != 1 {
			continue // several candidates are on the screen only
		}
		words := slices.Clone(c.typed)
		for i := range words {
			words[i] = strings.ReplaceAll(words[i], " ", `\ `)
		}
		got := offered(t, script, "zsh", "-f", "-c", `
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1= RPS1= PS2=; unsetopt beep zle_bracketed_paste; unset zle_bracketed_paste; autoload -Uz compinit; compinit -u -D; source $1; paratimer() { print -rl -- args '>'\$^@'<' done; }; print ready"
zpty -r shell line '*ready*ready*'
zpty -w shell "$2"$'\t'
zpty -r shell line '*args*done*'
print -r -- "$line"
zpty -d shell`, "zsh", script, "paratimer "+strings.Join(words, " "))
		var last string
		for _, line := range got {
			line = strings.TrimSpace(line)
			if strings.HasPrefix(line, ">") && strings.HasSuffix(line, "<") {
				last = strings.TrimSuffix(line[1:len(line)-1], "/")
			}
		}
		checkOffer(t, c.typed, []string{last}, c.want, false)
	}
}

// TestCompletionAsks checks that a line that a shell completes does not run, with anything in it.
func TestCompletionAsks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ typed, want string }{
		{"attach --output=n", "--output=text\n--output=json\n--output=ndjson\n"},
		{"attach --log-file=", program.Files + "\n"},
		{"--output json plan a", program.Files + "\n"},
		{"attach --no-such-flag=", ""},
		{"version --", "--output\twrite FORMAT: text, json\n"},
		{"version -- x", ""},
	} {
		var stdout, stderr bytes.Buffer
		args := append(append([]string{"paratimer"}, strings.Split(c.typed, " ")...), program.Completing)
		code := program.Run(t.Context(), args, session.Environ(t), strings.NewReader(""), &stdout, &stderr)
		if got := stdout.String(); code != program.ExitOK || stderr.Len() > 0 || !strings.HasPrefix(got, c.want) ||
			c.want == "" && got != "" {
			t.Errorf("%s: exit code %d, %q, %s", c.typed, code, got, &stderr)
		}
	}
}

// TestCompletionUnknown checks that the error for an unknown shell lists the known ones.
func TestCompletionUnknown(t *testing.T) {
	t.Parallel()
	var stderr bytes.Buffer
	if code := program.Run(t.Context(), []string{"paratimer", "completion", "tcsh"}, session.Environ(t), strings.NewReader(""),
		io.Discard, &stderr); code != program.ExitUsage {
		t.Errorf("exit code %d", code)
	}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		if !strings.Contains(stderr.String(), shell) {
			t.Errorf("%q does not name %s", &stderr, shell)
		}
	}
}
