package live

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/program"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/tests/session"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/internal/testkit/restsim"
)

// A reader of frames calls each for every one.
type frameReader struct {
	mu   sync.Mutex
	rest []byte
	each func(frame.Frame)
	t    *testing.T
}

func (r *frameReader) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rest = append(r.rest, p...)
	for {
		line, rest, ok := bytes.Cut(r.rest, []byte("\n"))
		if !ok {
			return len(p), nil
		}
		r.rest = rest
		var f frame.Frame
		if err := json.Unmarshal(line, &f); err != nil {
			r.t.Errorf("%v: %s", err, line)
		}
		r.each(f)
	}
}

// TestWatch watches several workflows over sockets to their ends, each with the rules that it matches.
func TestWatch(t *testing.T) {
	t.Parallel()
	session.Setenv(t, "XDG_CONFIG_HOME", t.TempDir())
	session.Setenv(t, "XDG_STATE_HOME", t.TempDir())
	rulesFile := filepath.Join(t.TempDir(), "rules.yaml")
	text := "rules:\n  - {name: short, match: {name: \"PigLatin:nightly_[0-2].pig\"}, within: 1s}\n  - {name: long, match: {user: alice}, within: 1h}\n"
	if err := os.WriteFile(rulesFile, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	const n = 5
	url := restsim.ServeSteps(t, restsim.Crowd(t, "../../examples/pig-join.yaml", n, dag.InstantOf(time.Now()), 40*time.Second), 2*time.Second)
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	last := map[string]frame.Frame{}
	over := 0
	out := &frameReader{t: t, each: func(f frame.Frame) {
		last[*f.Workflow.Name] = f
		if f.Workflow.State.Ended() {
			if over++; over == n {
				cancel(command.ErrInterrupted)
			}
		}
	}}
	var stderr bytes.Buffer
	code := program.Run(ctx, []string{
		"paratimer", "watch", "--rules", rulesFile, "--rm", url, "--jhs", url, "--every", "100ms",
		"--output", "ndjson",
	},
		session.Environ(t), strings.NewReader(""), out, &stderr)
	if code != program.ExitInterrupted {
		t.Fatalf("exit code %d\n%s", code, &stderr)
	}
	for name, f := range last {
		if f.Workflow.State != dag.Succeeded || !strings.HasPrefix(*f.Workflow.ID, "pig_") {
			t.Errorf("%s ends as %v under %s", name, f.Workflow.State, *f.Workflow.ID)
		}
		want := map[string]frame.Outcome{"long": frame.Met}
		if strings.ContainsAny(name, "012") {
			want["short"] = frame.Missed
		}
		for _, a := range f.Alerts {
			if a.State != frame.Ended || a.Outcome == nil || *a.Outcome != want[a.Bound] {
				t.Errorf("%s: %s is %s %v, want %s", name, a.Bound, a.State, a.Outcome, want[a.Bound])
			}
			delete(want, a.Bound)
		}
		if len(want) > 0 {
			t.Errorf("%s: no alert of %v", name, want)
		}
	}
	if len(last) != n {
		t.Errorf("%d of %d workflows were seen", len(last), n)
	}
	// Every run is stored once.
	if code, list, _ := session.Run(t, "history", "list", "--output", "json"); code != program.ExitOK ||
		strings.Count(list, "nightly_") < n {
		t.Errorf("the history has, with exit code %d, %s", code, list)
	}
}
