package tez

import (
	"errors"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/adapters/mapreduce"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// workflowOf returns a workflow of either engine.
func workflowOf(l *lab, target yarn.Target) *Workflow {
	return NewWorkflow(l, target, func(t yarn.Target) Observer { return mapreduce.NewSource(l, t) })
}

func TestWorkflow(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		target yarn.Target
		engine string
	}{
		{yarn.Target{}, "Tez"},
		{yarn.Target{User: "alice"}, "Tez"},
		{yarn.Target{ID: labApp}, "Tez"},
		{yarn.Target{ID: labDAG}, "Tez"},
		{yarn.Target{User: "bob"}, ""},
		{yarn.Target{ID: "job_" + labID}, ""},
		{yarn.Target{ID: "application_1_0001"}, ""},
	} {
		l := newLab(2, 1, 1000)
		w := workflowOf(l, c.target)
		s, err := w.Next(t.Context())
		var none *yarn.NoWorkflowError
		if c.engine == "" && !errors.As(err, &none) || c.engine != "" && (err != nil || s.Plan.Engine != c.engine) {
			t.Errorf("%+v: %+v, %v", c.target, s, err)
		}
		if c.engine == "" && l.asked["dagInfo"] > 0 {
			t.Errorf("%+v: asked a master of Tez", c.target)
		}
	}
	l := newLab(2, 1, 1000)
	l.app = "ACCEPTED"
	w := workflowOf(l, yarn.Target{User: "alice"})
	if s, err := w.Next(t.Context()); errors.As(err, new(*yarn.NoWorkflowError)) || err == nil &&
		s.State != dag.Submitted {
		t.Errorf("an application that waits for its master: %+v, %v", s, err)
	}
	l.app = "RUNNING"
	if s, err := w.Next(t.Context()); err != nil || s.Plan.Engine != "Tez" {
		t.Errorf("%+v, %v", s, err)
	}
}

// TestNoDAG: an application without a DAG is waited for while it runs; the error after that says what is known of it.
func TestNoDAG(t *testing.T) {
	t.Parallel()
	second := strings.TrimSuffix(labDAG, "1") + "2"
	for _, c := range []struct{ id, state, why string }{
		{labApp, "RUNNING", ""},
		{labApp, "FINISHED", labApp + " has ended, and nothing is left that tells of a DAG"},
		{second, "RUNNING", labApp + " runs, and has no " + second},
		{second, "FINISHED", labApp + " has ended, and nothing is left that tells of " + second},
	} {
		l := newLab(1, 1, 1000)
		l.files, l.runsAnother, l.app = map[string][]byte{"syslog": []byte("x\n")}, true, c.state
		s, err := workflowOf(l, yarn.Target{ID: c.id}).Next(t.Context())
		none, is := errors.AsType[*yarn.NoWorkflowError](err)
		switch {
		case c.why == "" && (err != nil || s.State != dag.Submitted):
			t.Errorf("%s %s: %v, %v", c.id, c.state, s, err)
		case c.why != "" && (!is || !strings.Contains(none.Error(), c.why)):
			t.Errorf("%s %s: %v", c.id, c.state, err)
		}
	}
}
