package tez

import (
	"context"
	"errors"
	"fmt"

	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/yarn"
)

// Doctor tests all requests that are needed to observe a DAG, with the newest running Tez application. Each check has
// a result and, if it fails, a hint. Without such an application there are no checks.
func Doctor(ctx context.Context, c Cluster) []yarn.Check {
	s := NewSource(c, yarn.Target{})
	_, err := s.Next(ctx)
	if s.app.ID == "" {
		return nil
	}
	running := 0
	for _, a := range s.overview.Listed() {
		if a.Type == "TEZ" && a.Running {
			running++
		}
	}
	var out []yarn.Check
	say := func(name string, grade yarn.Grade, hint, format string, args ...any) {
		out = append(out, yarn.Check{Name: name, Status: grade, Text: fmt.Sprintf(format, args...), Hint: hint})
	}
	many := "applications of Tez run"
	if running == 1 {
		many = "application of Tez runs"
	}
	say("tez", yarn.OK, "", "%d %s, the newest is %s of %s", running, many, s.app.ID, s.app.User)
	_, none := errors.AsType[*yarn.NoWorkflowError](err)
	switch {
	case s.failure != nil:
		say("tez master", yarn.Fail, rest.Hint(s.failure), "%v", s.failure)
	case s.everAnswered:
		say("tez master", yarn.OK, "", "%s is %s: %d vertices", s.st.id, s.st.reported, len(s.st.vertices))
	case none:
		say("tez master", yarn.OK, "", "not tried: the session has no DAG yet")
	default:
		say("tez master", yarn.OK, "", "not tried: %s has ended", s.st.id)
	}
	f := s.files
	switch {
	case f == nil:
		say("tez files", yarn.Warn, "", "the ResourceManager does not report where the master runs")
	case yarn.Denied(f.err):
		say("tez files", yarn.Warn, "without these files the DAG has no edges and its times are first seen ones: have "+
			"tez.am.view-acls of the session name this user, or ask as user "+s.app.User, "%v", f.err)
	case f.err != nil:
		say("tez files", yarn.Warn, "", "%v", f.err)
	default:
		say("tez files", yarn.OK, "", "the NodeManager %s gives %d files of the master", f.node, len(f.sizes))
	}
	if none || !f.areListed() {
		return out
	}
	if s.st.hasPlan {
		say("tez plan", yarn.OK, "", "the plan of %s is read", s.st.id)
	} else {
		say("tez plan", yarn.Warn, "try again in some seconds; if that does not help, set "+
			"tez.history.logging.service.class to org.apache.tez.dag.history.logging.impl.SimpleHistoryLoggingService, or "+
			"give a --profile of an earlier run", "the plan of %s is not in a history file of the master", s.st.id)
	}
	return out
}
