//go:build unix

package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The ways in which a tap may stand around a command.
func taps(t testing.TB) map[string]struct {
	side string
	env  []string
} {
	spool := "LOG_DIRS=/nowhere," + t.TempDir()
	return map[string]struct {
		side string
		env  []string
	}{
		"no task":         {"map", nil},
		"map":             {"map", append(mapTask, spool)},
		"map, shown":      {"map --show-keys --lambda 5", append(mapTask, spool)},
		"map, combiner":   {"map", append(mapTask, spool, "mapred_combiner_class=org.x.Combiner")},
		"reduce":          {"reduce", append(reduceTask, spool)},
		"reduce of a map": {"reduce", append(mapTask, spool)},
		"no collector": {"reduce", append(reduceTask, spool, "PARATIMER_COLLECT=127.0.0.1:1",
			"PARATIMER_TOKEN=x")},
		"nowhere to spool":  {"map", append(mapTask, "LOG_DIRS=/nowhere", "PARATIMER_COLLECT=127.0.0.1:1")},
		"cannot be spooled": {"reduce --spool /proc/self", reduceTask},
	}
}

// TestAsWithoutTap compares commands with a tap and without one: their output, exit status, and the rest of
// their input.
func TestAsWithoutTap(t *testing.T) {
	records := func(n int) string {
		r := rand.New(rand.NewPCG(uint64(n), 1))
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "key%03d\t%s\n", i/20, strings.Repeat("v", r.IntN(60)))
		}
		return b.String()
	}
	folder := t.TempDir()
	write := func(name, text string, mode os.FileMode) {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	write("script", "#!/bin/sh\ncat; exit 4\n", 0o755)
	write("bare", "cat; exit 5\n", 0o755)
	write("plain", "no program\n", 0o644)
	if err := os.Mkdir(filepath.Join(folder, "folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		command []string
		input   string
	}{
		"cat":               {[]string{"cat"}, records(20_000)},
		"cat nothing":       {[]string{"cat"}, ""},
		"cat half a line":   {[]string{"cat"}, "key\tval"},
		"sort":              {[]string{"sort", "-r"}, records(5000)},
		"exits 3":           {[]string{"sh", "-c", "cat; exit 3"}, records(100)},
		"killed":            {[]string{"sh", "-c", "cat; kill -9 $$"}, records(100)},
		"terminated":        {[]string{"sh", "-c", "cat; kill -TERM $$"}, records(10)},
		"reads one line":    {[]string{"sh", "-c", "head -n 1"}, records(40_000)},
		"reads nothing":     {[]string{"sh", "-c", "exit 0"}, records(40_000)},
		"closes its input":  {[]string{"sh", "-c", "exec <&-; echo closed"}, records(40_000)},
		"closes its output": {[]string{"sh", "-c", "exec >&-; cat >&2"}, records(10)},
		"writes only":       {[]string{"sh", "-c", "yes | head -n 100000"}, ""},
		"reporter lines": {[]string{
			"sh", "-c",
			"echo reporter:counter:a,b,1 >&2; cat; echo reporter:status:ok >&2",
		}, records(50)},
		"large standard error": {[]string{"sh", "-c", "cat >&2"}, records(20_000)},
		"quotes":               {[]string{"sh", "-c", `printf '%s|' "$@"`, "x", "a b", "", "--", "-x", "'"}, ""},
		"a child of its own":   {[]string{"sh", "-c", "(cat) | cat"}, records(1000)},
		"script":               {[]string{filepath.Join(folder, "script")}, records(5)},
		"script without #!":    {[]string{filepath.Join(folder, "bare")}, records(5)},
		"binary":               {[]string{"cat"}, string(random(9, 300_000))},
		"no line ends":         {[]string{"cat"}, strings.Repeat("k", 300_000)},
		"empty lines":          {[]string{"cat"}, strings.Repeat("\n", 100_000)},
		"CR":                   {[]string{"cat"}, strings.Repeat("a\tb\r\nc\td\r", 10_000)},
		"not there":            {[]string{"no-such-command-1"}, ""},
		"no such file":         {[]string{filepath.Join(folder, "none")}, ""},
		"not runnable":         {[]string{filepath.Join(folder, "plain")}, ""},
		"a folder":             {[]string{folder + "/folder"}, ""},
		"below a file":         {[]string{folder + "/plain/x"}, ""},
	} {
		var want result
		if _, err := exec.LookPath(c.command[0]); err != nil || strings.HasSuffix(c.command[0], "bare") {
			// The status of a shell.
			want = play(t, exec.Command("sh", append([]string{"-c", `"$@"`, "sh"}, c.command...)...),
				strings.NewReader(c.input))
		} else {
			want = play(t, exec.Command(c.command[0], c.command[1:]...), strings.NewReader(c.input))
		}
		for way, tap := range taps(t) {
			cmd := tapped(t, tap.side, c.command...)
			cmd.Env = append(cmd.Env, tap.env...)
			got := play(t, cmd, strings.NewReader(c.input))
			if got.code != want.code || got.out != want.out {
				t.Errorf("%s, %s: exit %d, %d bytes; without a tap %d, %d bytes; messages %q", name, way, got.code,
					len(got.out), want.code, len(want.out), got.messages)
			}
			if want.code != notFound && want.code != notRunnable && got.err != want.err {
				t.Errorf("%s, %s: standard error %.200q; without a tap %.200q", name, way, got.err, want.err)
			}
			// A tap may have read what is in the pipe already, but not a megabyte.
			if got.inputBroken != want.inputBroken && len(c.input) > 1<<20 {
				t.Errorf("%s, %s: input broken off: %v; without a tap %v", name, way, got.inputBroken, want.inputBroken)
			}
			if len(got.messages) > 2 {
				t.Errorf("%s, %s: messages %q", name, way, got.messages)
			}
		}
	}
}

func random(seed uint64, n int) []byte {
	b := make([]byte, n)
	r := rand.New(rand.NewPCG(seed, 1))
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// TestAnyBytes checks that any bytes come through, in any pieces.
func TestAnyBytes(t *testing.T) {
	ways := taps(t)
	rapid.Check(t, func(rt *rapid.T) {
		way := ways[rapid.SampledFrom([]string{"map", "map, shown", "reduce"}).Draw(rt, "way")]
		data := random(rapid.Uint64().Draw(rt, "seed"), rapid.IntRange(0, 200_000).Draw(rt, "size"))
		if rapid.Bool().Draw(rt, "text") {
			letters := []byte("a\t\n\rb\n")
			for i := range data {
				data[i] = letters[int(data[i])%len(letters)]
			}
		}
		cmd := tapped(t, way.side, "cat")
		cmd.Env = append(cmd.Env, way.env...)
		got := play(t, cmd, bytes.NewReader(data))
		if got.code != 0 || got.out != string(data) || len(got.messages) > 0 {
			rt.Fatalf("exit %d, %d bytes of %d, messages %q", got.code, len(got.out), len(data), got.messages)
		}
	})
}

// TestFullDisk checks that a command whose output cannot be written ends as it does without a tap.
func TestFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skipf("SKIPPED: %v", err)
	}
	defer full.Close()
	for _, side := range []string{"map", "reduce"} {
		cmd := tapped(t, side, "cat")
		cmd.Env = append(cmd.Env, taps(t)[side].env...)
		cmd.Stdin, cmd.Stdout = strings.NewReader(strings.Repeat("a\tb\n", 100_000)), full
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		_ = cmd.Run()
		if code := exitCode(cmd.ProcessState); code != 1 ||
			!strings.Contains(stderr.String(), "o space left on device") {
			t.Errorf("%s: exit %d, %s", side, code, &stderr)
		}
	}
}
