package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/dag"
)

// TestWatchPage watches everything on a cluster without rules: the page lists each workflow, held to nothing, and leads to its live report.
func TestWatchPage(t *testing.T) {
	t.Parallel()
	setenv(t, "XDG_CONFIG_HOME", t.TempDir())
	setenv(t, "XDG_STATE_HOME", t.TempDir())
	url := serveCrowd(t, crowd(t, "../../examples/pig-join.yaml", 3, dag.InstantOf(time.Now()), 40*time.Second), 20)
	ctx, cancel := context.WithCancelCause(t.Context())
	said, ended := &output{}, make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"paratimer", "watch", "--listen", "127.0.0.1:0", "--rm", url, "--jhs", url, "--every", "100ms", "--log-level", "info"},
			environ(t), strings.NewReader(""), io.Discard, said)
	}()
	t.Cleanup(func() {
		cancel(command.ErrInterrupted)
		<-ended
	})
	get := func(address string) (string, error) {
		r, err := http.Get(address)
		if err != nil {
			return "", err
		}
		defer r.Body.Close()
		b, err := io.ReadAll(r.Body)
		if err == nil && r.StatusCode != http.StatusOK {
			err = fmt.Errorf("%s: %s", address, r.Status)
		}
		return string(b), err
	}
	eventually(t, "the page of all queries", func() error {
		at := regexp.MustCompile(`all queries at (http://[^/]+/)`).FindStringSubmatch(said.String())
		if at == nil {
			return fmt.Errorf("no address is said, but %q", said)
		}
		page, err := get(at[1])
		if err != nil {
			return err
		}
		links := regexp.MustCompile(`<a href="(q/[^"]+)">nightly_\d.pig</a>`).FindAllStringSubmatch(page, -1)
		if len(links) != 3 || strings.Contains(page, ">on track<") {
			return fmt.Errorf("%d links on %.2000s", len(links), page)
		}
		report, err := get(at[1] + links[0][1])
		if err == nil && !strings.Contains(report, "What ran when") {
			err = fmt.Errorf("no report: %.500s", report)
		}
		return err
	})
}
