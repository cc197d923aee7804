package notify_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/notify"
)

func TestCommand(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	env := append(os.Environ(), "PARATIMER_WEBHOOK_SECRET=hush", "PARATIMER_WEBHOOK=http://h/tok",
		"OPENLINEAGE_API_KEY=hush", "PAGER=me")
	k := newDesk(t, nil, newCommand(t, "cat >> "+out+"; env >> "+out+".env; echo fine", time.Minute, env))
	k.keep(frame.AtRisk, "")
	k.keep(frame.Ended, frame.Met)
	b, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	if len(lines) != 2 {
		t.Fatalf("standard input was %s", b)
	}
	for i, want := range []notify.Status{notify.Firing, notify.Resolved} {
		var n notify.Notification
		if err := json.Unmarshal([]byte(lines[i]), &n); err != nil || n.Status != want || n.Workflow.ID != "wf_1" ||
			n.Alert.Bound != "deadline" {
			t.Errorf("%s: %v", lines[i], err)
		}
	}
	b, err = os.ReadFile(out + ".env")
	if err != nil {
		t.Fatal(err)
	}
	if s := string(b); strings.Contains(s, "PARATIMER_") || strings.Contains(s, "hush") ||
		!strings.Contains(s, "PAGER=me") {
		t.Errorf("environment %s", s)
	}
}

// TestCommandFails: a command that fails is run again, and dropped with an error if it never succeeds.
func TestCommandFails(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	k := newDesk(t, nil, newCommand(t, "echo x >> "+out+`; test "$(wc -l < `+out+`)" -ge 3`, time.Minute,
		os.Environ()))
	k.keep(frame.AtRisk, "")
	k.pass(time.Minute)
	if s := k.d.Stats()[0]; s.Sent != 1 || s.Failed != 2 {
		t.Errorf("%+v, want it taken the third time", s)
	}
	k = newDesk(t, nil, newCommand(t, "echo it is broken >&2; exit 7", time.Minute, os.Environ()))
	k.keep(frame.AtRisk, "")
	k.pass(time.Hour)
	if s := k.d.Stats()[0]; s.Dropped != 1 || s.Failed != 10 || s.Waiting != 0 {
		t.Errorf("got %+v, want it dropped after ten attempts", s)
	}
	if log := k.log.String(); !strings.Contains(log, "it is broken") || !strings.Contains(log, "exit code 7") {
		t.Errorf("log %s", log)
	}
}

// TestCommandTooSlow: a command that takes too long is killed with its children.
func TestCommandTooSlow(t *testing.T) {
	out := filepath.Join(t.TempDir(), "pid")
	c := newCommand(t, "sleep 1000 & echo $! > "+out+"; wait", 300*time.Millisecond, os.Environ())
	_, err := c.Send(context.Background(), notify.Notification{})
	if err == nil || !strings.Contains(err.Error(), "exec-timeout 300ms") {
		t.Fatalf("%v: want an error that names the limit", err)
	}
	b, err := os.ReadFile(out)
	if err != nil {
		t.Skipf("SKIPPED: the machine is too loaded for the command to begin within its limit: %v", err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil {
		t.Fatal(err)
	}
	isDead := func() bool {
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		return err != nil && syscall.Kill(pid, 0) != nil || strings.Contains(string(stat), ") Z ")
	}
	for end := time.Now().Add(time.Minute); !isDead(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("its child lives on")
		}
	}
}

// TestCommandLeaves: what a command leaves running does not hold us up.
func TestCommandLeaves(t *testing.T) {
	c := newCommand(t, "sleep 5 & exit 0", time.Minute, os.Environ())
	if _, err := c.Send(context.Background(), notify.Notification{}); err != nil {
		t.Error(err)
	}
}

func newCommand(t *testing.T, line string, limit time.Duration, env []string) *notify.Sink {
	t.Helper()
	c, err := notify.NewCommand(line, "", limit, env)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
