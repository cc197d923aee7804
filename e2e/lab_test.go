//go:build e2e

package e2e

import (
	"context"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// A lab is a running cluster of hadoop.sh that belongs to one test.
type lab struct {
	t       *testing.T
	ctx     context.Context // ends early enough for the cluster to be taken down
	root    string          // PARATIMER_LAB
	dir     string          // what the test leaves behind
	rm, jhs string
	conf    string // HADOOP_CONF_DIR
	spark   spark
	// transport carries the test's own requests; nil is the usual one.
	transport http.RoundTripper
}

// spare is the part of its time limit that a test needs to clean up.
const spare = 45 * time.Second

// up starts a cluster that is down again when the test has ended, however it ends.
func up(t *testing.T, options ...string) *lab {
	t.Helper()
	l := newLab(t, "a real Hadoop", "java", "mvn", "python3", "curl")
	env := l.begin("hadoop/hadoop.sh", options...)
	l.rm, l.jhs, l.conf = env["PARATIMER_RM"], env["PARATIMER_JHS"], env["HADOOP_CONF_DIR"]
	return l
}

// newLab is a lab without a cluster. The test is skipped where a tool is missing that its cluster needs.
func newLab(t *testing.T, against string, tools ...string) *lab {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skipf("SKIPPED: the cluster needs Linux, this is %s", runtime.GOOS)
	}
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("SKIPPED: no %s on the PATH, so nothing was tried against %s", tool, against)
		}
	}
	l := &lab{}
	l.of(t)
	return l
}

// of makes a test the owner of the lab.
func (l *lab) of(t *testing.T) {
	l.t, l.ctx = t, t.Context()
	if end, ok := t.Deadline(); ok {
		var cancel context.CancelFunc
		l.ctx, cancel = context.WithDeadline(l.ctx, end.Add(-spare))
		t.Cleanup(cancel)
	}
}

// part runs a scenario as a test of its own on the cluster that is up.
func (l *lab) part(name string, run func(l *lab)) {
	l.t.Run(name, func(t *testing.T) {
		own := *l
		own.of(t)
		own.dir = filepath.Join(l.dir, name)
		own.must(os.MkdirAll(own.dir, 0o755))
		run(&own)
	})
}

// begin starts the cluster of a script, which is down again when the test has ended, and returns its settings.
func (l *lab) begin(of string, options ...string) map[string]string {
	l.t.Helper()
	l.output(of, append([]string{"up"}, options...)...)
	l.t.Cleanup(func() {
		// The test's context has ended by now.
		if out, err := exec.Command(script(of), "down").CombinedOutput(); err != nil {
			l.t.Errorf("the cluster does not go down: %v\n%s", err, out)
		}
	})
	env := settings(l.output(of, "env"))
	l.root = env["PARATIMER_LAB"]
	l.dir = filepath.Join(l.root, "e2e", strings.ReplaceAll(l.t.Name(), "/", "-"))
	l.must(os.RemoveAll(l.dir))
	l.must(os.MkdirAll(l.dir, 0o755))
	l.t.Logf("files: %s", l.dir)
	return env
}

// settings reads the lines `export NAME=value`, the value perhaps in single quotes.
func settings(lines string) map[string]string {
	env := map[string]string{}
	for line := range strings.Lines(lines) {
		if name, value, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "export "), "="); ok {
			env[name] = strings.Trim(value, "'")
		}
	}
	return env
}

// script is the absolute path of a script of this folder, which is a test's working directory.
func script(name string) string {
	path, err := filepath.Abs(name)
	if err != nil {
		panic(err)
	}
	return path
}

func (l *lab) must(err error) {
	l.t.Helper()
	if err != nil {
		l.t.Fatal(err)
	}
}

// hadoop runs a verb of hadoop.sh and returns its output.
func (l *lab) hadoop(args ...string) string {
	l.t.Helper()
	return l.output("hadoop/hadoop.sh", args...)
}

// fault breaks something; it waits a minute for it to be there.
func (l *lab) fault(args ...string) string {
	l.t.Helper()
	output := strings.TrimSpace(l.output("fault.sh", append([]string{"--wait", "60"}, args...)...))
	l.t.Log(output)
	return output
}

func (l *lab) output(name string, args ...string) string {
	l.t.Helper()
	cmd := exec.CommandContext(l.ctx, script(name), args...)
	// A daemon inherits what is not a file, and Output would wait for its end.
	var output strings.Builder
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &output, os.Stderr, time.Second
	if err := cmd.Run(); err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		l.t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, output.String())
	}
	return output.String()
}

// A process is a command in the background, its output in files.
type process struct {
	lab            *lab
	name           string
	stdout, stderr string // files
	done           chan struct{}
	exit           int
}

// start runs a command in the background, with stdout and stderr in files of its name.
func (l *lab) start(name string, cmd *exec.Cmd) *process {
	l.t.Helper()
	p := &process{
		lab: l, name: name, done: make(chan struct{}),
		stdout: filepath.Join(l.dir, name+".out"), stderr: filepath.Join(l.dir, name+".err"),
	}
	out, err := os.Create(p.stdout)
	l.must(err)
	errs, err := os.Create(p.stderr)
	l.must(err)
	cmd.Stdout, cmd.Stderr = out, errs
	l.must(cmd.Start())
	go func() {
		defer close(p.done)
		cmd.Wait() //nolint:errcheck // its exit code shows it
		p.exit = cmd.ProcessState.ExitCode()
		out.Close()
		errs.Close()
	}()
	// No process outlives its test: the context kills it, and its files are closed then.
	l.t.Cleanup(func() { <-p.done })
	return p
}

// client runs a verb of hadoop.sh in the background: a script, a job.
func (l *lab) client(name string, args ...string) *process {
	l.t.Helper()
	l.t.Logf("%s: hadoop.sh %s", name, strings.Join(args, " "))
	return l.start(name, exec.CommandContext(l.ctx, script("hadoop/hadoop.sh"), args...))
}

// wait returns the exit code.
func (p *process) wait() int {
	p.lab.t.Helper()
	select {
	case <-p.done:
		return p.exit
	case <-p.lab.ctx.Done():
		p.lab.t.Fatalf("%s has not ended in the test's time: %s\n%s", p.name, p.stderr, tail(p.stderr))
		return -1
	}
}

// succeed waits for exit code 0.
func (p *process) succeed() {
	p.lab.t.Helper()
	if code := p.wait(); code != 0 {
		p.lab.t.Fatalf("%s: exit code %d\n%s", p.name, code, tail(p.stderr))
	}
}

// tail is the end of a file.
func tail(file string) string {
	b, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}
	return string(b[max(0, len(b)-2000):])
}
