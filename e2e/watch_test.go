//go:build e2e

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// every is the tick of the watchers in these tests.
const every = time.Second

// A watcher is `paratimer attach` beside a script.
type watcher struct {
	*process
	tape, capture string
	replayFlags   []string // its flags of profiles and bounds, which a replay needs to give the same frames
	raw           []byte   // its frames as printed, once it has ended
	frames        []frame  // the same, read
}

// paratimer is a command with the real binary. Of the environment's settings none is taken over.
func (l *lab) paratimer(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(l.ctx, binary, args...)
	for _, e := range os.Environ() {
		if !strings.HasPrefix(e, "PARATIMER_") && !strings.HasPrefix(e, "HADOOP_") {
			cmd.Env = append(cmd.Env, e)
		}
	}
	// No file of the user's either, and no test learns from another.
	cmd.Env = append(cmd.Env, "HADOOP_CONF_DIR="+l.conf, "XDG_CONFIG_HOME="+l.dir, "PARATIMER_NO_HISTORY=true")
	return cmd
}

// attach watches target, "" for whatever runs, until it has ended. more are further flags.
func (l *lab) attach(name, target string, more ...string) *watcher {
	l.t.Helper()
	w := &watcher{
		tape:    filepath.Join(l.dir, name+".tape"),
		capture: filepath.Join(l.dir, name+".capture.jsonl.gz"),
	}
	for i, flag := range more {
		switch flag {
		case "--profile", "--within", "--no-progress":
			w.replayFlags = append(w.replayFlags, more[i:i+2]...)
		case "--set":
			if strings.HasPrefix(more[i+1], "hold=") {
				w.replayFlags = append(w.replayFlags, more[i:i+2]...)
			}
		case "--drift":
			w.replayFlags = append(w.replayFlags, flag)
		}
	}
	args := append([]string{
		"attach", "--output", "ndjson", "--every", every.String(), "--set", "capture=" + w.capture,
	}, more...)
	if slices.Contains(more, "--session") {
		w.tape = "" // which holds one workflow
	} else {
		args = append(args, "--record", w.tape)
	}
	if target != "" {
		args = append(args, target)
	}
	w.process = l.start(name, l.paratimer(args...))
	return w
}

// ends waits for the watcher's end and checks the exit code and the last frame's state.
func (w *watcher) ends(code int, state string) {
	l := w.lab
	l.t.Helper()
	got := w.wait()
	w.raw, w.frames = l.readFrames(w.stdout)
	if got != code {
		l.t.Fatalf("%s: exit code %d, want %d; %d frames\n%s", w.name, got, code, len(w.frames), tail(w.stderr))
	}
	if len(w.frames) == 0 {
		l.t.Fatalf("%s printed no frame\n%s", w.name, tail(w.stderr))
	}
	if is := w.last().Workflow.State; is != state {
		l.t.Errorf("%s: the last frame: got %q, want %q", w.name, is, state)
	}
}

func (w *watcher) last() frame { return w.frames[len(w.frames)-1] }

// run is a command's output on stdout; its exit code must be code.
func (l *lab) run(name string, code int, args ...string) []byte {
	l.t.Helper()
	p := l.start(name, l.paratimer(args...))
	if got := p.wait(); got != code {
		l.t.Errorf("paratimer %s: exit code %d, want %d\n%s", strings.Join(args, " "), got, code, tail(p.stderr))
	}
	out, err := os.ReadFile(p.stdout)
	l.must(err)
	return out
}
