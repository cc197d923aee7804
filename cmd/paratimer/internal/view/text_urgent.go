package view

import (
	"fmt"
	"strings"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
)

// urgent writes the lines of a quiet watch: lost nodes, failures, alerts that fire and their changes, and the end.
func (t *Text) urgent(b *strings.Builder, f frame.Frame) {
	t.warnings(b, f, func(w dag.Warning) bool { return w.Code == dag.WarnNodeLost })
	t.failures(b, f)
	t.jobLines(b, f, func(s dag.State) bool { return s == dag.Failed || s == dag.Killed })
	t.alertLines(b, f)
	if k := kind(f); f.Workflow.State.Ended() && k != t.kind {
		t.kind = k
		b.WriteString(t.say.last(t.time(f), t.over(f)) + "\n")
	}
}

// failures writes the newest one of the new failures: a lost node causes many.
func (t *Text) failures(b *strings.Builder, f frame.Frame) {
	news := f.FailedAttempts - t.failed
	t.failed = f.FailedAttempts
	if news <= 0 || len(f.Failures) == 0 {
		return
	}
	x := &f.Failures[0]
	text := t.paint(red, "failed:") + " " + Escape(x.Attempt)
	if !f.IsWhole() {
		text += " of job " + Escape(x.Job)
	}
	if x.Node != nil {
		text += " on " + Escape(*x.Node)
	}
	if x.Why != nil {
		text += ": " + Escape(*x.Why)
	}
	if news > 1 {
		text += fmt.Sprintf(" (and %d more)", news-1)
	}
	t.line(b, f, text)
}
