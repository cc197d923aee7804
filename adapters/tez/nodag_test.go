package tez

import (
	"errors"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// TestNoDAG: an application without a DAG is waited for while it runs; the error after that says what is known of it.
func TestNoDAG(t *testing.T) {
	t.Parallel()
	second := strings.TrimSuffix(labDAG, "1") + "2"
	for _, c := range []struct{ id, state, why string }{
		{labApp, "RUNNING", ""},
		{labApp, "FINISHED", labApp + " has ended, and no file of a DAG is left"},
		{second, "RUNNING", labApp + " runs, and has no " + second},
		{second, "FINISHED", labApp + " has ended, and no file of " + second + " is left"},
	} {
		l := newLab(1, 1, 1000)
		l.files, l.runsAnother, l.app = map[string][]byte{"syslog": []byte("x\n")}, true, c.state
		s, err := NewSource(l, yarn.Target{ID: c.id}).Next(t.Context())
		none, is := errors.AsType[*yarn.NoWorkflowError](err)
		switch {
		case c.why == "" && (err != nil || s.State != dag.Submitted):
			t.Errorf("%s %s: %v, %v", c.id, c.state, s, err)
		case c.why != "" && (!is || !strings.Contains(none.Error(), c.why)):
			t.Errorf("%s %s: %v", c.id, c.state, err)
		}
	}
}
