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
	var out []yarn.Check
	say := func(name string, grade yarn.Grade, hint, format string, args ...any) {
		out = append(out, yarn.Check{Name: name, Status: grade, Text: fmt.Sprintf(format, args...), Hint: hint})
	}
	say("tez", yarn.OK, "", "the newest application is %s of %s", s.app.ID, s.app.User)
	switch _, none := errors.AsType[*yarn.NoWorkflowError](err); {
	case s.failure != nil:
		say("tez master", yarn.Fail, rest.Hint(s.failure), "%v", s.failure)
	case s.st.reported != "":
		say("tez master", yarn.OK, "", "%s is %s: %d vertices", s.st.id, s.st.reported, len(s.st.vertices))
	case none:
		say("tez master", yarn.OK, "", "not tried: the session has no DAG yet")
	default:
		say("tez master", yarn.OK, "", "not tried: %s has ended", s.st.id)
	}
	hint := ""
	if yarn.Denied(s.files.err) {
		hint = "without these files the DAG has no edges and its times are first seen ones: have tez.am.view-acls of the " +
			"session name this user, or ask as user " + s.app.User
	}
	if s.files.err != nil {
		say("tez files", yarn.Warn, hint, "%v", s.files.err)
	} else {
		say("tez files", yarn.OK, "", "the NodeManager %s gives %d files of the master", s.files.node, len(s.files.sizes))
	}
	switch {
	case err != nil || s.files.sizes == nil:
	case s.st.hasPlan:
		say("tez plan", yarn.OK, "", "the plan of %s is read", s.st.id)
	default:
		say("tez plan", yarn.Warn, "try again in some seconds; if that does not help, set "+
			"tez.history.logging.service.class to org.apache.tez.dag.history.logging.impl.SimpleHistoryLoggingService, or "+
			"give a --profile of an earlier run", "the plan of %s is not in a history file of the master", s.st.id)
	}
	return out
}
