package browser

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestLivePageFollows opens the page of a run that is being played: it shows more as the run goes on, by itself, and
// that it has ended. Where the browser is so slow that the run is over when the page is open, the run is played more
// slowly.
func TestLivePageFollows(t *testing.T) {
	t.Parallel()
	if chromium == nil {
		t.Skip("no chromium here: apt-get install chromium")
	}
	var states map[string]bool
	for _, speed := range []string{"20", "5", "2"} {
		if states = follow(t, speed); states["running"] {
			break
		}
	}
	if !states["running"] || !states["succeeded"] {
		t.Errorf("the page was in the states %v", states)
	}
}

// follow reads the page of a run that is replayed at a multiple of its speed until the end, and returns the
// states that it was in.
func follow(t *testing.T, speed string) map[string]bool {
	t.Helper()
	cmd := exec.Command(paratimer, "report", "--live", "--speed", speed, example(t, "examples/join-failure.jsonl.zst"))
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt) // it may have ended
		if err := cmd.Wait(); err != nil && !errors.As(err, new(*exec.ExitError)) {
			t.Error(err)
		}
	})
	link := regexp.MustCompile(`http://\S+`)
	at, lines := "", bufio.NewScanner(stdout)
	for at == "" && lines.Scan() {
		at = strings.TrimRight(link.FindString(lines.Text()), ".,")
	}
	if at == "" {
		t.Fatal("the program prints no address")
	}
	go func() {
		for lines.Scan() { // so that it is not held up
		}
	}()
	p := open(t, at, viewport{online: true})
	states := make(map[string]bool)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		var now struct {
			State string
			Over  bool
		}
		p.eval(t, `({State: document.querySelector(".state").textContent, Over: document.querySelector("[data-over=true]") !== null})`, &now)
		states[now.State] = true
		if now.Over {
			break
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("the page does not end; its states were %v", states)
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range p.requests {
		if !strings.HasPrefix(r, strings.TrimSuffix(at, "/")) {
			t.Error("the page sent a request to ", r)
		}
	}
	for _, w := range p.wrong {
		t.Error("in the page: ", w)
	}
	return states
}
