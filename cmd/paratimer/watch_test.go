package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
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

// TestWatch watches several workflows over sockets to their ends, each held to the rules that it matches.
func TestWatch(t *testing.T) {
	t.Parallel()
	setenv(t, "XDG_CONFIG_HOME", t.TempDir())
	setenv(t, "XDG_STATE_HOME", t.TempDir())
	rulesFile := filepath.Join(t.TempDir(), "rules.yaml")
	text := "rules:\n  - {name: short, match: {name: \"PigLatin:nightly_[0-2].pig\"}, within: 1s}\n  - {name: long, match: {user: alice}, within: 1h}\n"
	if err := os.WriteFile(rulesFile, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	const n = 5
	url := serveCrowd(t, crowd(t, "../../examples/pig-join.yaml", n, dag.InstantOf(time.Now()), 40*time.Second), 20)
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	last := map[string]frame.Frame{}
	over := 0
	out := &frameReader{t: t, each: func(f frame.Frame) {
		last[*f.Workflow.Name] = f
		if f.Workflow.State.Ended() {
			if over++; over == n {
				cancel(errInterrupted)
			}
		}
	}}
	var stderr bytes.Buffer
	code := run(ctx, []string{"paratimer", "watch", "--rules", rulesFile, "--rm", url, "--jhs", url, "--every", "100ms", "--output", "ndjson"},
		environ(t), strings.NewReader(""), out, &stderr)
	if code != exitInterrupted {
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
	// Every run is remembered once.
	if code, list, _ := paratimer(t, "history", "list", "--output", "json"); code != exitOK || strings.Count(list, "nightly_") < n {
		t.Errorf("the history has, with exit code %d, %s", code, list)
	}
}

// TestFleetText: a line where something changes, and none in between.
func TestFleetText(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	sink := newFleetText(&out)
	id, name := "pig_1", "a\x1b[31m.pig"
	at := dag.InstantOf(time.Date(2026, 11, 21, 6, 0, 0, 0, time.UTC))
	f := frame.Frame{At: frame.TimeOf(at), Workflow: frame.Workflow{ID: &id, Name: &name, State: dag.Running}}
	missed := frame.Missed
	for _, s := range []frame.AlertState{frame.OnTrack, frame.OnTrack, frame.AtRisk, frame.AtRisk, frame.Late} {
		f.Alerts = []frame.Alert{{Bound: "late", State: s, Text: "it is " + string(s)}}
		if err := sink.Show(f); err != nil {
			t.Fatal(err)
		}
	}
	f.Workflow.State = dag.Succeeded
	f.Alerts = []frame.Alert{{Bound: "late", State: frame.Ended, Outcome: &missed, Text: "it was late"}}
	elapsed := frame.Seconds(65)
	f.ElapsedSeconds = &elapsed
	if err := sink.Show(f); err != nil {
		t.Fatal(err)
	}
	got := out.String()
	if strings.Contains(got, "\x1b") {
		t.Errorf("a name reaches the terminal as a command: %q", got)
	}
	for _, want := range []string{"06:00:00  ", "pig_1  ?", "late: it is at_risk", "late: it is late", "late: it was late", "succeeded after 1m5s"} {
		if strings.Count(got, want) == 0 {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if n := strings.Count(got, "\n"); n != 5 {
		t.Errorf("%d lines, want 5\n%s", n, got)
	}
	if len(sink.told) != 0 {
		t.Error("an ended workflow is remembered")
	}
	if err := newFleetText(brokenPipe{}).Show(f); !errors.Is(err, os.ErrClosed) {
		t.Error(err)
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, os.ErrClosed }
