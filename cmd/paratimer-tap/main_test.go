//go:build unix

package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// The test binary is the tap too: as a process of its own, with the words of a command line.
func TestMain(m *testing.M) {
	if os.Getenv("TEST_OF_TAP") == "tap" {
		os.Unsetenv("TEST_OF_TAP")
		main()
	}
	os.Exit(m.Run())
}

const (
	mapAttempt    = "attempt_1700000000000_0001_m_000004_0"
	reduceAttempt = "attempt_1700000000000_0001_r_000002_0"
)

// The environments of tasks of Hadoop Streaming, as far as the tap looks at them (seen with 3.4.2).
var (
	mapTask = []string{
		"mapreduce_task_attempt_id=" + mapAttempt, "mapreduce_job_reduces=3", "stream_map_streamprocessor=cat",
		"stream_map_output_reader_class=" + textReader,
	}
	reduceTask = []string{
		"mapreduce_task_attempt_id=" + reduceAttempt, "mapreduce_job_reduces=3", "stream_map_streamprocessor=cat",
		"stream_reduce_input_writer_class=" + textWriter,
	}
)

// A result is the observable result of a command.
type result struct {
	code        int
	out, err    string // err without the tap's own lines
	messages    []string
	inputBroken bool // not all of the input could be written
}

// tapped is the command line of a tap around a command.
func tapped(t testing.TB, side string, command ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	args := strings.Fields(side)
	cmd := exec.Command(self, append(append(args, "--"), command...)...)
	cmd.Env = append(clean(), "TEST_OF_TAP=tap")
	return cmd
}

// clean is an environment in which no task is.
func clean() []string {
	return slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return strings.HasPrefix(name, "mapred") || strings.HasPrefix(name, "stream_") ||
			strings.HasPrefix(name, "PARATIMER_") || name == "LOG_DIRS"
	})
}

// play runs a command with an input.
func play(t testing.TB, cmd *exec.Cmd, input io.Reader) result {
	t.Helper()
	in, out, stderr := must(cmd.StdinPipe())(t), must(cmd.StdoutPipe())(t), must(cmd.StderrPipe())(t)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var r result
	var text bytes.Buffer
	var all sync.WaitGroup
	all.Go(func() {
		_, err := io.Copy(in, input)
		r.inputBroken = errors.Is(err, unix.EPIPE)
		in.Close()
	})
	all.Go(func() { b, _ := io.ReadAll(out); r.out = string(b) })
	all.Go(func() { _, _ = io.Copy(&text, stderr) })
	all.Wait()
	_ = cmd.Wait()
	r.code = exitCode(cmd.ProcessState)
	var own strings.Builder
	for line := range strings.Lines(text.String()) {
		if message, ok := strings.CutPrefix(line, "paratimer-tap: "); ok {
			r.messages = append(r.messages, strings.TrimSpace(message))
		} else {
			own.WriteString(line)
		}
	}
	r.err = own.String()
	return r
}

// rss is the most memory that a process or its child had at a time, in bytes.
func rss(s *os.ProcessState) int64 {
	if usage, ok := s.SysUsage().(*syscall.Rusage); ok {
		return usage.Maxrss << 10
	}
	return 0
}

func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func quoted[T string | []byte](v T) string { return strconv.Quote(string(v)) }

func words(all ...any) string { return strings.TrimSuffix(fmt.Sprintln(all...), "\n") }

func TestOptions(t *testing.T) {
	environment := env("PARATIMER_COLLECT=watcher:9999", "PARATIMER_TOKEN=secret")
	o, err := parse(strings.Fields("map -- ./mapper.py --show-keys -x"), environment)
	if err != nil || o.side != mapSide || words(o.command) != "[./mapper.py --show-keys -x]" ||
		o.collector != "watcher:9999" ||
		o.token != "secret" || o.lambda != 2000 || o.every != 2*time.Second ||
		o.show {
		t.Errorf("%+v, %v", o, err)
	}
	o, err = parse(strings.Fields("--show-keys reduce --collect [::1]:5 --every 500ms --lambda 7 --spool /x sort -k 1"),
		environment)
	if err != nil || o.side != reduceSide || words(o.command) != "[sort -k 1]" || o.collector != "[::1]:5" ||
		o.lambda != 7 ||
		o.every != 500*time.Millisecond || !o.show || o.spool != "/x" {
		t.Errorf("%+v, %v", o, err)
	}
	// What the environment has wrong fails no job.
	if o, err := parse([]string{"map", "cat"}, env("PARATIMER_COLLECT=watcher")); err != nil || o.collector != "" ||
		o.trouble == "" {
		t.Errorf("%+v, %v", o, err)
	}
	for args, want := range map[string]string{
		"":                        "the first word is map or reduce",
		"cat":                     "the first word is map or reduce",
		"combine -- cat":          `not "combine"`,
		"map":                     "no command",
		"map --":                  "no command",
		"map --lambda 0 cat":      "--lambda takes 1 to 8192",
		"map --lambda 10000 cat":  "--lambda takes 1 to 8192",
		"map --lambda x cat":      "lambda",
		"map --every 0s cat":      "--every takes 100ms to 1h",
		"map --what cat":          "-what",
		"map --collect host cat":  "--collect takes HOST:PORT",
		"map --collect host: cat": "--collect takes HOST:PORT",
	} {
		if _, err := parse(strings.Fields(args), env()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", args, err)
		}
	}
	for _, args := range []string{"--help", "map --help", "-h"} {
		if _, err := parse(strings.Fields(args), env()); !errors.Is(err, flag.ErrHelp) {
			t.Errorf("%q: %v", args, err)
		}
	}
}

// TestCommandLine checks the output for a user.
func TestCommandLine(t *testing.T) {
	for args, want := range map[string]string{
		"--help":    "0 " + quoted(usage) + " []",
		"--version": `0 "paratimer-tap `,
		"nothing":   `2 "" [the first word is map or reduce, not "nothing"; see paratimer-tap --help]`,
	} {
		cmd := tapped(t, args)
		cmd.Args = cmd.Args[:len(cmd.Args)-1] // without "--"
		got := play(t, cmd, strings.NewReader(""))
		if text := words(got.code, quoted(got.out), got.messages); !strings.HasPrefix(text, want) {
			t.Errorf("%s: %s", args, text)
		}
	}
	for command, want := range map[string]string{
		"no-such-command-1": "127 no-such-command-1: command not found",
		"/no/such/file":     "127 /no/such/file: no such file or directory",
		"/":                 "126 /: permission denied",
		"/etc/passwd":       "126 /etc/passwd: permission denied",
		"/etc/passwd/x":     "127 /etc/passwd/x: not a directory",
	} {
		for side, env := range sides {
			cmd := tapped(t, side, command)
			cmd.Env = append(append(cmd.Env, env...), "LOG_DIRS="+t.TempDir())
			got := play(t, cmd, strings.NewReader(""))
			if len(got.messages) == 0 || words(got.code, got.messages[len(got.messages)-1]) != want {
				t.Errorf("%s, %s: exit %d, %q", side, command, got.code, got.messages)
			}
		}
	}
}

// TestFault checks that an error of the measurement ends the measurement, and is reported once.
func TestFault(t *testing.T) {
	var c care
	done := 0
	for range 3 {
		c.do(func() { done++; panic("index out of range\x1b[2J") })
	}
	if done != 1 || c.note() != `nothing is measured: a fault of the tap: index out of range\x1b[2J` {
		t.Errorf("done %d times, %q", done, c.note())
	}
}

func TestPrintJob(t *testing.T) {
	t.Parallel()
	got, err := printJob(strings.Fields("hadoop --collect w:9190 --every 20s --show-keys /x/tap.jar"), env())
	want := `-libjars /x/tap.jar -D mapreduce.client.libjars.wildcard=false \
  -D mapreduce.job.map.output.collector.class=com.github.paratimer.tap.MapOutput \
  -D mapreduce.job.reduce.shuffle.consumer.plugin.class=com.github.paratimer.tap.ReduceInput \
  -D paratimer.tap.collect=w:9190 \
  -D paratimer.tap.every=20000ms \
  -D paratimer.tap.show.keys=true \
  -D paratimer.tap.token="$PARATIMER_TOKEN"
`
	if err != nil || got != want {
		t.Errorf("%v\n%s", err, got)
	}
	got, err = printJob(strings.Fields("--lambda 10 pig hdfs://nn/tap.jar"),
		env("PARATIMER_COLLECT=w:9190"))
	want = `REGISTER 'hdfs://nn/tap.jar';
SET mapreduce.job.map.output.collector.class 'com.github.paratimer.tap.MapOutput';
SET mapreduce.job.reduce.shuffle.consumer.plugin.class 'com.github.paratimer.tap.ReduceInput';
SET paratimer.tap.collect 'w:9190';
SET paratimer.tap.lambda '10';
SET paratimer.tap.token '$token';  -- pig -p token="$PARATIMER_TOKEN"
`
	if err != nil || got != want {
		t.Errorf("%v\n%s", err, got)
	}
	for args, want := range map[string]string{
		"":                                   "hadoop or pig",
		"hive --collect a:1 x.jar":           `not "hive"`,
		"hadoop --collect a:1":               "one JAR",
		"hadoop --collect a:1 x.jar y.jar":   "one JAR",
		"hadoop x.jar":                       "for the measurements",
		"hadoop --collect a x.jar":           "--collect takes HOST:PORT",
		"hadoop --spool /x --lambda 0 x.jar": "--lambda takes",
		"hadoop --what":                      "-what",
	} {
		if _, err := printJob(strings.Fields(args), env()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", args, err)
		}
	}
	if _, err := printJob([]string{"--help"}, env()); !errors.Is(err, flag.ErrHelp) {
		t.Error(err)
	}
}

// TestPrintedForAShell checks that a shell reads the words that are meant, whatever is in them.
func TestPrintedForAShell(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "it's $HOME `x`")
	text, err := printJob([]string{"hadoop", "--spool", folder, "--collect", "w:1", "my tap.jar"}, env())
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", "printf '%s\\n' "+text)
	cmd.Env = append(os.Environ(), "PARATIMER_TOKEN=a secret")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Split(string(out), "\n")
	jar, _ := filepath.Abs("my tap.jar")
	for _, want := range []string{jar, "paratimer.tap.spool=" + folder, "paratimer.tap.token=a secret"} {
		if !slices.Contains(words, want) {
			t.Errorf("no word %q in %q", want, words)
		}
	}
}
