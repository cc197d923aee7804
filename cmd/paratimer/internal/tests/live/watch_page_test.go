package live

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
	"github.com/paratimer/paratimer/cmd/paratimer/internal/program"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/tests/session"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/internal/testkit/restsim"
)

// TestFleetPage watches everything on a cluster, without rules: the page lists each workflow, without bounds,
// and links to its live report.
func TestFleetPage(t *testing.T) {
	t.Parallel()
	session.Setenv(t, "XDG_CONFIG_HOME", t.TempDir())
	session.Setenv(t, "XDG_STATE_HOME", t.TempDir())
	args := []string{"watch", "--listen", "127.0.0.1:0", "--every", "100ms", "--output", "none", "--log-level", "info"}
	url := restsim.ServeSteps(t, restsim.Crowd(t, "../../examples/pig-join.yaml", 3, dag.InstantOf(time.Now()), 40*time.Second), 500*time.Millisecond)
	ctx, cancel := context.WithCancelCause(t.Context())
	output, ended := &Output{}, make(chan int, 1)
	all := append(append([]string{"paratimer"}, args...), "--rm", url, "--jhs", url)
	go func() { ended <- program.Run(ctx, all, session.Environ(t), strings.NewReader(""), output, output) }()
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
	Eventually(t, "the page of all queries", func() error {
		at := regexp.MustCompile(`(http://127[^/]+/)`).FindStringSubmatch(output.String())
		if at == nil {
			return fmt.Errorf("got %q, want an address", output)
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
