package hadoop

import (
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// TestPreempted: an attempt whose container the scheduler has taken back is killed, by nobody's fault, and its task waits again.
// The answers are those of a real ResourceManager that preempts.
func TestPreempted(t *testing.T) {
	l := newLab()
	l.apps("1 RUNNING UNDEFINED 1024")
	l.conf("0001", "a", "")
	l.runs("0001", 0, "RUNNING", "RUNNING")
	src := NewSource(l, Target{})
	if s := l.tick(t, src, 0); mapStates(s, 0)[dag.AttemptRunning] != 2 {
		t.Fatalf("%+v", s.Jobs[0].Map)
	}
	attempts := l.am["0001/tasks/task_1_0001_m_000001/attempts"]
	l.runs("0001", 0, "RUNNING", "SCHEDULED")
	// The master's kill is under way, so that it has no end yet; the next attempt waits.
	l.am["0001/tasks/task_1_0001_m_000001/attempts"] = strings.NewReplacer(`"RUNNING"`, `"KILLED","diagnostics":"Container preempted by scheduler"`, `"progress":30`, `"progress":100.0`, "}]}",
		`},{"id":"attempt_1_0001_m_000001_1","state":"STARTING","startTime":0,"finishTime":0,"progress":0.0}]}`).Replace(attempts)
	l.am["0001"] = strings.Replace(l.am["0001"], `"mapsTotal"`, `"mapsPending":1,"mapsTotal"`, 1)
	s := l.tick(t, src, time.Second)
	all := s.Jobs[0].Map.Attempts
	killed := mapStates(s, 0)[dag.AttemptKilled]
	if killed != 1 || mapStates(s, 0)[dag.AttemptFailed] != 0 || all[0].State != dag.AttemptRunning || all[1].State != dag.AttemptKilled {
		t.Fatalf("%+v", all)
	}
	for range 3 {
		s = l.tick(t, src, time.Second)
	}
	if s.State != dag.Running || s.Jobs[0].State != dag.Running || len(s.Warnings) != 0 {
		t.Errorf("%s, job %s, warnings %v", s.State, s.Jobs[0].State, s.Warnings)
	}
}
