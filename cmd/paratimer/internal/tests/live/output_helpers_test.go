package live

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"sync"
	"testing"
	"time"
)

// Difference shows the first byte in which two outputs differ, with the text around it.
func Difference(live, replay []byte) string {
	i := 0
	for i < min(len(live), len(replay)) && live[i] == replay[i] {
		i++
	}
	part := func(b []byte) []byte { return b[max(0, i-200):min(len(b), i+100)] }
	return fmt.Sprintf("live   …%s…\nreplay …%s…", part(live), part(replay))
}

// Eventually calls try until it succeeds, for as long as a loaded machine may take.
func Eventually(t *testing.T, what string, try func() error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		err := try()
		if err == nil {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("%s: %v", what, err)
		}
	}
}

// Output collects what a command prints while it is running.
type Output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *Output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(b)
}

func (o *Output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

// Tool returns the path of a program of the distribution. It skips the test if the program is missing.
func Tool(t *testing.T, name, pkg string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not installed: apt-get install %s", name, pkg)
	}
	return path
}
