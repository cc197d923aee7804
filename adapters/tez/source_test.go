package tez

import (
	"context"
	"errors"
	"io"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/internal/testkit/fixtures"
)

// watch observes at an interval in milliseconds until the DAG has ended.
func watch(t *testing.T, l *lab, src *Source, every int64, see func(*dag.Snapshot)) *dag.Snapshot {
	t.Helper()
	var last *dag.Snapshot
	for range 10_000 {
		s, err := src.Next(t.Context())
		if errors.Is(err, io.EOF) {
			return last
		}
		if err != nil {
			t.Fatal(err)
		}
		last = s
		if see != nil {
			see(s)
		}
		l.advance(every)
	}
	t.Fatal("not over")
	return nil
}

// To watch a DAG of 10,000 tasks costs a tenth of what the crudest watcher is given, at most, and no request for a DAG
// that is not there.
func TestPolling(t *testing.T) {
	t.Parallel()
	tasks := fixtures.Long(2000, 10_000)
	for _, isDenied := range []bool{false, true} {
		l := newLab(tasks, tasks/20, 30_000)
		l.filesDenied = isDenied
		naive, tick := 0, 0
		last := watch(t, l, NewSource(l, yarn.Target{ID: labDAG}), 5000, func(*dag.Snapshot) {
			if tick++; tick%20 == 10 {
				naive += 20 * l.naive()
			}
		})
		if last.State != dag.Succeeded || last.Jobs[0].Stages[0].Succeeded() != tasks {
			t.Errorf("files denied %v: %v with %d tasks", isDenied, last.State, last.Jobs[0].Stages[0].Succeeded())
		}
		bytes := 0
		for _, n := range l.bytes {
			bytes += n
		}
		t.Logf("files denied %v: %d bytes %v, naive %d: 1/%.1f; requests %v", isDenied, bytes, l.bytes, naive,
			float64(naive)/float64(bytes), l.requests)
		if bytes*10 > naive {
			t.Errorf("files denied %v: %d bytes, naive %d", isDenied, bytes, naive)
		}
	}
}

func TestChoice(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		target, id string
	}{
		{"", labDAG},
		{labApp, labDAG},
		{labDAG, labDAG},
		{"application_1_0001", ""},
		{"dag_" + labID + "_2", ""},
	} {
		l := newLab(2, 1, 1000)
		s, err := NewSource(l, yarn.Target{ID: c.target}).Next(t.Context())
		var none *yarn.NoWorkflowError
		switch {
		case c.id == "" && !errors.As(err, &none):
			t.Errorf("%+v: %v, %v", c.target, s, err)
		case c.id != "" && (err != nil || s.ID != c.id || s.User != "alice" || s.Plan.Name != "count"):
			t.Errorf("%+v: %v, %v", c.target, s, err)
		}
		if c.id == "" && l.requests["dagInfo"] > 0 {
			t.Errorf("%+v: the master got a request for a DAG without a log", c.target)
		}
	}
	l := newLab(2, 1, 1000)
	l.files["syslog_dag_"+labID+"_11"], l.files["syslog_dag_"+labID+"_3_post"] = []byte("x"), []byte("x")
	src := NewSource(l, yarn.Target{ID: labApp})
	if _, err := src.Next(t.Context()); src.st.id != "dag_"+labID+"_11" {
		t.Errorf("%s, %v", src.st.id, err)
	}
}

// end observes a DAG that is half done, then the cluster after change, until the DAG has ended or for twenty
// ticks.
func end(t *testing.T, change func(*lab)) (*dag.Snapshot, *lab) {
	t.Helper()
	l := newLab(4, 2, 10_000)
	src := NewSource(l, yarn.Target{ID: labDAG})
	next := func() *dag.Snapshot {
		s, err := src.Next(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	next()
	l.advance(14_000)
	if s := next(); s.State != dag.Running || s.Jobs[0].Stages[0].Succeeded() != 2 {
		t.Fatalf("%+v", s)
	}
	change(l)
	var s *dag.Snapshot
	for range 20 {
		l.now += 1000
		if s = next(); s.State.Ended() {
			break
		}
	}
	return s, l
}

func TestEnds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		change  func(*lab)
		state   dag.State
		warning string
	}{
		{"by its master", func(l *lab) { l.status = "KILLED" }, dag.Killed, ""},
		{"by its master, without files", func(l *lab) { l.status, l.filesDenied = "FAILED", true }, dag.Failed, ""},
		{"by its log, after the session", func(l *lab) {
			l.app, l.masterDown = "FINISHED", true
			l.log("DAG_FINISHED", "dagId=%s, finishTime=%d, status=KILLED, diagnostics=by alice", labDAG, l.now)
		}, dag.Killed, ""},
		{"by its history", func(l *lab) {
			l.app, l.masterDown = "FINISHED", true
			delete(l.files, labLog)
			l.files["history.txt.x"] = []byte(`{"entity":"` + labDAG +
				`","events":[{"eventtype":"DAG_FINISHED"}],"otherinfo":{"status":"FAILED","endTime":1795366084646,"diagnostics":"why"}}` + "\n\x01")
		}, dag.Failed, ""},
		{"by the manager, all succeeded", func(l *lab) {
			l.app, l.masterDown, l.filesDenied = "FINISHED", true, true
			l.diag = "Session stats:submittedDAGs=3, successfulDAGs=3, failedDAGs=0, killedDAGs=0"
		}, dag.Succeeded, "only the ResourceManager reports"},
		{"by the manager, without the result", func(l *lab) {
			l.app, l.masterDown, l.filesDenied = "FINISHED", true, true
			l.diag = "Session stats:submittedDAGs=3, successfulDAGs=2, failedDAGs=1, killedDAGs=0"
		}, dag.EndedUnconfirmed, "successfulDAGs=2"},
		{
			"by the manager, killed", func(l *lab) { l.app, l.masterDown, l.filesDenied = "KILLED", true, true }, dag.Killed,
			"only the ResourceManager reports",
		},
		{
			"not at all: its master does not respond", func(l *lab) { l.masterDown, l.filesDenied = true, true }, dag.Running,
			"cannot be read",
		},
		{"not at all: another DAG is current", func(l *lab) { l.runsAnother, l.filesDenied = true, true }, dag.Running, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, l := end(t, c.change)
			warnings := ""
			for _, w := range s.Warnings {
				warnings += w.Text + "\n"
			}
			if s.State != c.state || !strings.Contains(warnings, c.warning) {
				t.Errorf("got %v, %s; want %v, %q", s.State, warnings, c.state, c.warning)
			}
			if running := s.Jobs[0].Stages[0].Running(); s.State.Ended() && running > 0 {
				t.Errorf("%d attempts run", running)
			}
			if l.runsAnother && l.requests["dagInfo"] > 3 {
				t.Errorf("got %d requests for a DAG that is not current", l.requests["dagInfo"])
			}
		})
	}
}

// If more attempts start and end at once than a tick may request, the next ticks request them, and before the
// end.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	l := newLab(5_000, 2_500, 10_000)
	l.filesDenied = true
	last := watch(t, l, NewSource(l, yarn.Target{ID: labDAG}), 2000, nil)
	if n := last.Jobs[0].Stages[0].Succeeded(); n != 5_000 || last.State != dag.Succeeded {
		t.Errorf("%v with %d tasks", last.State, n)
	}
}

// TestFilesComeBack: a DAG that ended according to its master waits for files that do not answer now, and not for those
// that are refused.
func TestFilesComeBack(t *testing.T) {
	t.Parallel()
	for _, refused := range []bool{false, true} {
		l := newLab(4, 2, 10_000)
		src := NewSource(l, yarn.Target{ID: labDAG})
		next := func() *dag.Snapshot {
			s, err := src.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			l.now += 3000
			return s
		}
		next()
		l.advance(15_000)
		next()
		l.nodeDown, l.filesDenied = !refused, refused
		l.status = "SUCCEEDED"
		ended := 0
		for range 20 {
			if ended++; next().State.Ended() {
				break
			}
		}
		if refused && ended > 4 || !refused && ended != 20 {
			t.Errorf("refused %v: it ended in look %d", refused, ended)
		}
		if refused {
			continue
		}
		l.nodeDown = false
		l.advance(1000)
		s := next()
		for range retryEach {
			if !s.State.Ended() {
				s = next()
			}
		}
		if s.State != dag.Succeeded || s.Jobs[0].Finished.Sub(labStart) != 23*time.Second {
			t.Errorf("%v after %v", s.State, s.Jobs[0].Finished.Sub(labStart))
		}
	}
}

// A new master recovers what was written down of the DAG, and gives the numbers of the other attempts again: of four
// tasks two had succeeded, and one of these must run again.
func TestNewMaster(t *testing.T) {
	t.Parallel()
	l := newLab(4, 2, 10_000)
	src := NewSource(l, yarn.Target{ID: labDAG})
	next := func() *dag.Snapshot {
		l.now += 1000
		s, err := src.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	l.advance(14_000)
	next()
	warnings := func(s *dag.Snapshot) (text string) {
		for _, w := range s.Warnings {
			text += w.Text
		}
		return text
	}
	l.master, l.masterDown = 2, true
	delete(l.files, labLog)
	if s := next(); s.Jobs[0].Stages[0].Running() != 0 || strings.Contains(warnings(s), "has recovered nothing") {
		t.Errorf("%d attempts run when their master is gone: %s", s.Jobs[0].Stages[0].Running(), warnings(s))
	}
	for _, status := range []string{"NEW", "SUCCEEDED"} { // of a task that is being recovered
		src.addUnknown("task_"+labID+"_1_00_000000", status)
		if a := src.st.find(attemptKey{}); a == nil || a.State != dag.AttemptSucceeded {
			t.Errorf("%s: %+v", status, a)
		}
	}
	l.now += recovery
	if s := next(); !strings.Contains(warnings(s), "has recovered nothing") {
		t.Errorf("%s", warnings(s))
	}
	start := func(task int) {
		l.log("TASK_ATTEMPT_STARTED",
			"vertexName=Map 1, taskAttemptId=attempt_%s_1_00_%06d_0, startTime=%d, containerId=container_%s_02_%06d, nodeId=n0:41749",
			labID, task, l.now, labID, 2+task)
	}
	for _, task := range []int{1, 2, 3} {
		start(task)
	}
	s := next()
	st := &s.Jobs[0].Stages[0]
	if st.Running() != 3 || st.Succeeded() != 1 || len(st.Attempts) != 7 {
		t.Errorf("%d run, %d have succeeded: %+v", st.Running(), st.Succeeded(), st.Attempts)
	}
	for _, a := range st.Attempts {
		if a.State != dag.AttemptKilled && a.Number != min(a.Task, 1) {
			t.Errorf("attempt %d of task %d is %v", a.Number, a.Task, a.State)
		}
	}
	l.log("TASK_ATTEMPT_FINISHED",
		"vertexName=Map 1, taskAttemptId=attempt_%s_1_00_000002_0, creationTime=1, allocationTime=2, startTime=%d, finishTime=%d, timeTaken=1, status=SUCCEEDED, diagnostics=",
		labID, l.now-1000, l.now)
	if s := next(); s.Jobs[0].Stages[0].Running() != 2 || s.Jobs[0].Stages[0].Succeeded() != 2 {
		t.Errorf("%+v", s.Jobs[0].Stages[0].Attempts)
	}
}

// Without access to the master and its files, the tasks of a DAG are unknown. A warning has the reason, and the end is
// known.
func TestRefused(t *testing.T) {
	t.Parallel()
	l := newLab(4, 2, 10_000)
	l.allDenied = true
	src := NewSource(l, yarn.Target{ID: labApp})
	warnings := ""
	var s *dag.Snapshot
	for i := range 40 {
		l.now += 1000
		if i == 30 {
			l.app = "FINISHED"
			l.diag = "Session stats:submittedDAGs=1, successfulDAGs=1, failedDAGs=0, killedDAGs=0"
		}
		var err error
		if s, err = src.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
		if i == 20 {
			for _, w := range s.Warnings {
				warnings += w.Code + ": " + w.Text + "\n"
			}
			if s.State != dag.Running {
				t.Errorf("it is %v", s.State)
			}
		}
		if s.State.Ended() {
			break
		}
	}
	if s.State != dag.Succeeded || s.Jobs[0].Finished.Sub(s.Jobs[0].Submitted) < 20*time.Second {
		t.Errorf("%v, from %v to %v", s.State, s.Jobs[0].Submitted, s.Jobs[0].Finished)
	}
	for _, part := range []string{dag.WarnNoEdges, "Access denied"} {
		if !strings.Contains(warnings, part) {
			t.Errorf("want a warning with %q, got %s", part, warnings)
		}
	}
}

// A warning names a lost node that ran attempts of ours.
func TestNodeLost(t *testing.T) {
	t.Parallel()
	for state, code := range map[string]string{
		"": "", "LOST": dag.WarnNodeLost, "UNHEALTHY": dag.WarnNodeLost, "DECOMMISSIONING": dag.WarnNodeClosed,
	} {
		l := newLab(4, 2, 10_000)
		src := NewSource(l, yarn.Target{ID: labDAG})
		var s *dag.Snapshot
		for range 3 {
			l.advance(3000)
			l.node = ""
			if s != nil {
				l.node = state
			}
			var err error
			if s, err = src.Next(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		warnings := map[string]string{}
		for _, w := range s.Warnings {
			warnings[w.Code] = w.Text
		}
		for _, c := range []string{dag.WarnNodeLost, dag.WarnNodeClosed} {
			if text, is := warnings[c]; is != (c == code) || is && !strings.Contains(text, "2 tasks") {
				t.Errorf("%q: %s: %q", state, c, text)
			}
		}
	}
}

// TestLimits: lists of tasks may be long, those of vertices and attempts less so, and a DAG is short.
func TestLimits(t *testing.T) {
	t.Parallel()
	l := newLab(40, 4, 30_000)
	l.filesDenied = true
	c := &limited{l, map[string]int64{}}
	src := NewSource(c, yarn.Target{ID: labDAG})
	for range 20 {
		if _, err := src.Next(t.Context()); err != nil {
			break
		}
		l.advance(5000)
	}
	want := map[string]int64{
		"ws/v2/tez/dagInfo": 0, "ws/v2/tez/verticesInfo": rest.Middle, "ws/v2/tez/attemptsInfo": rest.Middle,
		"ws/v2/tez/tasksInfo": rest.Long,
	}
	if !maps.Equal(c.limits, want) {
		t.Errorf("%v, want %v", c.limits, want)
	}
}
