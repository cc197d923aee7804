package usage

import (
	"bytes"
	"sync"
	"testing"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/program"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/tests/session"
)

// TestRunsAtOnce checks under the race detector that runs of the program at the same time share nothing.
func TestRunsAtOnce(t *testing.T) {
	t.Parallel()
	env := session.Environ(t)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for _, args := range [][]string{{"paratimer", "help", "attach"}, {"paratimer", "config", "attach"}} {
				var out, errs bytes.Buffer
				code := program.Run(t.Context(), args, env, nil, &out, &errs)
				if code != program.ExitOK || out.Len() == 0 {
					t.Errorf("%v: exit code %d: %s", args, code, &errs)
				}
			}
		})
	}
	all.Wait()
}
