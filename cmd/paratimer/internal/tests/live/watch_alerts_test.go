package live

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/program"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/tests/session"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/internal/testkit/restsim"
)

// TestWatchTells: of two workflows that are watched by rules one is late, which the real Alertmanager shows once, while
// the metrics have both. A real SIGHUP has the rules read again: faulty ones change nothing, others hold at once.
func TestWatchTells(t *testing.T) {
	am := startAlertmanager(t)
	session.Setenv(t, "XDG_CONFIG_HOME", t.TempDir())
	session.Setenv(t, "XDG_STATE_HOME", t.TempDir())
	path := filepath.Join(t.TempDir(), "rules.yaml")
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const long = "  - {name: long, match: {user: alice}, within: 24h}\n"
	write("rules:\n  - {name: short, match: {name: nightly_0.pig}, within: 1s, severity: page}\n" + long)
	url := restsim.ServeCrowd(t, restsim.Crowd(t, "../../examples/pig-join.yaml", 2, dag.InstantOf(time.Now()), 20*time.Second), 1)
	ctx, cancel := context.WithCancelCause(t.Context())
	out, ended := &Output{}, make(chan int, 1)
	args := []string{
		"paratimer", "watch", "--rules", path, "--rm", url, "--jhs", url, "--every", "100ms", "--output", "none",
		"--log-level", "info",
		"--set", "log-format=json", "--alertmanager", am.URL, "--set", "repost=1s", "--metrics", "127.0.0.1:0",
	}
	go func() {
		ended <- program.Run(ctx, args, session.Environ(t), strings.NewReader(""), &Output{}, out)
	}()
	defer func() {
		cancel(command.ErrInterrupted)
		if code := <-ended; code != program.ExitInterrupted {
			t.Errorf("exit code %d\n%s", code, out)
		}
	}()
	firing := func(want ...string) {
		t.Helper()
		eventually(t, fmt.Sprintf("Alertmanager shows %q", want), func() bool {
			var got []string
			for _, a := range am.Active(t) {
				got = append(got, a.Labels["bound"]+" "+a.Labels["workflow"]+" "+a.Labels["severity"])
			}
			slices.Sort(got)
			return slices.Equal(got, want)
		})
	}
	firing("short nightly_0.pig page")
	eventually(t, "the metrics have both workflows", func() bool {
		at := Serving.FindStringSubmatch(out.String())
		if at == nil {
			return false
		}
		text, err := Fetch("http://" + at[1] + "/metrics")
		return err == nil && strings.Contains(text,
			`paratimer_remaining_seconds{scenario="standard",workflow="nightly_0.pig"}`) &&
			strings.Contains(text, `paratimer_remaining_seconds{scenario="standard",workflow="nightly_1.pig"}`) &&
			strings.Contains(text, `paratimer_notifications_dropped_total{sink="alertmanager"} 0`)
	})

	hangup := func(want string) {
		t.Helper()
		if err := syscall.Kill(os.Getpid(), syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		eventually(t, want, func() bool { return strings.Contains(out.String(), want) })
	}
	write("rules:\n  - {name: short, within: soon}\n")
	hangup("cannot be read again")
	firing("short nightly_0.pig page")
	write("rules:\n  - {name: short, match: {name: nightly_1.pig}, within: 1s}\n" + long)
	hangup("were read again")
	firing("short nightly_1.pig ") // and of the other workflow it was taken back
}
