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

// TestLivePageFollows opens the page of a run that is being played: it says more as the run goes on, by itself, and that it has ended.
func TestLivePageFollows(t *testing.T) {
	if chromium == nil {
		t.Skip("no chromium here: apt-get install chromium")
	}
	cmd := exec.Command(paratimer, "report", "--live", "--speed", "20", example(t, "examples/join-failure.tape.gz"))
	said, err := cmd.StdoutPipe()
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
	at, lines := "", bufio.NewScanner(said)
	for at == "" && lines.Scan() {
		at = strings.TrimRight(link.FindString(lines.Text()), ".,")
	}
	if at == "" {
		t.Fatal("the program says no address")
	}
	go func() {
		for lines.Scan() { // so that it is not held up
		}
	}()
	p := open(t, at, look{online: true})
	states := make(map[string]bool)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for tick := time.NewTicker(100 * time.Millisecond); ; {
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
	if !states["running"] || !states["succeeded"] {
		t.Errorf("the page was in the states %v", states)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range p.requests {
		if !strings.HasPrefix(r, strings.TrimSuffix(at, "/")) {
			t.Error("the page asks for ", r)
		}
	}
	for _, w := range p.wrong {
		t.Error("in the page: ", w)
	}
}
