package main

import (
	"bytes"
	"sync"
	"testing"
)

// TestRunsAtOnce holds under the race detector that runs of the program at the same time share nothing.
func TestRunsAtOnce(t *testing.T) {
	t.Parallel()
	env := environ(t)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for _, args := range [][]string{{"paratimer", "help", "attach"}, {"paratimer", "config", "show", "attach"}} {
				var out, errs bytes.Buffer
				if code := run(t.Context(), args, env, nil, &out, &errs); code != exitOK || out.Len() == 0 {
					t.Errorf("%v: exit code %d: %s", args, code, &errs)
				}
			}
		})
	}
	all.Wait()
}
