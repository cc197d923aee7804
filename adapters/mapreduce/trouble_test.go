package mapreduce

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// A troubled lab has services that hang: requests time out.
type troubled struct {
	*lab
	am, jhs bool
	after   string        // only requests to masters with this end of the path
	timeout time.Duration // until a request times out, once for concurrent ones

	mu  sync.Mutex
	let int // requests that did not hang
}

func (l *troubled) hang(path string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.let++; l.let == 1 {
		l.now = l.now.Add(l.timeout)
	}
	return &rest.Error{URL: path, Err: context.DeadlineExceeded, Text: "not done in time"}
}

func (l *troubled) Now() dag.Instant {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.now
}

func (l *troubled) AM(ctx context.Context, app, path string) ([]byte, error) {
	if l.am && strings.HasSuffix(path, l.after) {
		return nil, l.hang(path)
	}
	return l.lab.AM(ctx, app, path)
}

func (l *troubled) JHS(ctx context.Context, path string) ([]byte, error) {
	if l.jhs {
		return nil, l.hang(path)
	}
	return l.lab.JHS(ctx, path)
}

// running is a lab with a job of three maps that runs, and a source that has seen it.
func running(t *testing.T) (*troubled, *Source) {
	t.Helper()
	l := &troubled{lab: newLab()}
	l.apps("1 RUNNING UNDEFINED 1024")
	l.conf("0001", "a", "")
	l.runs("0001", 0, "SUCCEEDED", "RUNNING", "SCHEDULED")
	src := NewSource(l, yarn.Target{})
	l.tick(t, src, 10*time.Second)
	return l, src
}

func (l *troubled) misses(t *testing.T, src *Source, after time.Duration) *dag.MissedError {
	t.Helper()
	l.now, l.let = l.now.Add(after), 0
	s, err := src.Next(context.Background())
	var missed *dag.MissedError
	if !errors.As(err, &missed) {
		t.Fatalf("%v %v, want a missed observation", s, err)
	}
	return missed
}

func hasWarning(s *dag.Snapshot, part string) bool {
	for _, w := range s.Warnings {
		if strings.Contains(w.Text, part) {
			return true
		}
	}
	return false
}

// TestMasterHangs: while the only master lets questions go by, the workflow is not observed; then it goes on as if
// nothing had been.
func TestMasterHangs(t *testing.T) {
	l, src := running(t)
	l.am = true
	if s := l.tick(t, src, time.Second); s.State != dag.Running || len(s.Warnings) > 0 {
		t.Errorf("a moment of silence: %v %v", s.State, s.Warnings)
	}
	l.timeout = 20 * time.Second
	before := l.now
	if missed := l.misses(t, src, 2*time.Second); missed.At != before.Add(22*time.Second) ||
		!strings.Contains(missed.Error(), "the master of job_1_0001") {
		t.Errorf("missed at %v: %v", missed.At, missed)
	}
	l.am = false
	l.runs("0001", 0, "SUCCEEDED", "SUCCEEDED", "RUNNING")
	if s := l.tick(t, src, time.Second); mapStates(s, 0) != [5]int{0, 1, 2, 0, 0} || s.Jobs[0].Attempt != 1 ||
		len(s.Warnings) > 0 {
		t.Errorf("%v %+v", mapStates(s, 0), s.Warnings)
	}
}

// TestHangCostsOneLimit: a master that falls silent between two questions of a tick is not asked for each of its tasks,
// and what comes late counts as of when it came.
func TestHangCostsOneLimit(t *testing.T) {
	l, src := running(t)
	maps := make([]string, 200)
	for i := range maps {
		maps[i] = "RUNNING"
	}
	maps[0] = "SUCCEEDED"
	l.runs("0001", 0, maps...)
	l.am, l.after, l.timeout, l.let = true, "/attempts", 20*time.Second, 0
	before := l.now
	s := l.tick(t, src, time.Second)
	if l.let > 4 {
		t.Errorf("%d questions went by", l.let)
	}
	if s.At != before.Add(21*time.Second) {
		t.Errorf("the snapshot is of %v after the tick's beginning", s.At.Sub(before.Add(time.Second)))
	}
	l.am = false
	if s = l.tick(t, src, time.Second); mapStates(s, 0)[dag.AttemptRunning] != 199 {
		t.Errorf("%v", mapStates(s, 0))
	}
}

// TestOneMasterOfTwoHangs: the other one responds, so the workflow is seen.
func TestOneMasterOfTwoHangs(t *testing.T) {
	l := &troubled{lab: newLab()}
	l.apps("1 RUNNING UNDEFINED 1024", "2 RUNNING UNDEFINED 1024")
	l.conf("0001", "a", "a:c b:c")
	l.conf("0002", "b", "a:c b:c")
	l.runs("0001", 0, "RUNNING")
	l.runs("0002", 0, "RUNNING")
	src := NewSource(l, yarn.Target{})
	l.tick(t, src, 10*time.Second)
	l.am, l.after = true, "job_1_0001"
	if s := l.tick(t, src, 10*time.Second); !hasWarning(s, "the master of job_1_0001 cannot be read") {
		t.Errorf("%v", s.Warnings)
	}
}

// TestHistoryServerIsAway: at the hand-over no service responds. That the job has succeeded is known, that the workflow
// has not yet.
func TestHistoryServerIsAway(t *testing.T) {
	for _, back := range []bool{true, false} {
		l, src := running(t)
		l.jhs = true
		l.apps("1 FINISHED SUCCEEDED 0")
		if s := l.tick(t, src, time.Second); s.Jobs[0].State != dag.Running || len(s.Warnings) > 0 {
			t.Errorf("in the tick of the end: %v %v", s.Jobs[0].State, s.Warnings)
		}
		for range 6 {
			s := l.tick(t, src, 15*time.Second)
			if s.State != dag.Running || s.Jobs[0].State != dag.Succeeded || s.Jobs[0].Finished != labStart+20_001 ||
				!hasWarning(s, "the history server does not report how") {
				t.Fatalf("%v, job %v until %v: %v", s.State, s.Jobs[0].State, s.Jobs[0].Finished, s.Warnings)
			}
		}
		l.jhs = !back
		l.ends("0001", "SUCCEEDED")
		s := l.tick(t, src, 40*time.Second)
		want := dag.Instant(labStart + 30_000)
		if !back {
			want = labStart + 20_001
		}
		if s.State != dag.Succeeded || s.Jobs[0].Finished != want || hasWarning(s, "the ResourceManager reports") == back {
			t.Errorf("back %v: %v, finished %v, want %v: %v", back, s.State, s.Jobs[0].Finished, want, s.Warnings)
		}
	}
}

// TestHistoryServerIsAwayBetweenWaves: the next job is not held up by it.
func TestHistoryServerIsAwayBetweenWaves(t *testing.T) {
	l := &troubled{lab: newLab(), jhs: true}
	l.apps("1 RUNNING UNDEFINED 1024")
	l.conf("0001", "a", "a:b")
	l.runs("0001", 0, "RUNNING")
	src := NewSource(l, yarn.Target{})
	l.tick(t, src, 10*time.Second)
	l.apps("1 FINISHED SUCCEEDED 0", "2 RUNNING UNDEFINED 512")
	l.conf("0002", "b", "a:b")
	l.runs("0002", 0, "RUNNING")
	l.tick(t, src, time.Second)
	if s := l.tick(t, src, 10*time.Second); s.Jobs[0].State != dag.Succeeded || s.Jobs[1].State != dag.Running ||
		s.State != dag.Running {
		t.Errorf("%v and %v", s.Jobs[0].State, s.Jobs[1].State)
	}
}

// TestMasterDiesForGood: the last attempt of the master was killed. It leaves no history; the ResourceManager has the
// reason.
func TestMasterDiesForGood(t *testing.T) {
	for _, c := range []struct {
		state string
		want  dag.State
	}{{"FAILED", dag.Failed}, {"KILLED", dag.Killed}} {
		l, src := running(t)
		l.apps("1 " + c.state + " " + c.state + " 0")
		l.rm["apps"] = strings.Replace(l.rm["apps"], `"id"`,
			`"diagnostics":"AM Container exited with exitCode: 137","id"`, 1)
		if s := l.tick(t, src, 10*time.Second); s.State != dag.Running {
			t.Errorf("%s: %v before its history had time to come", c.state, s.State)
		}
		if s := l.tick(t, src, 15*time.Second); s.State != c.want || !strings.Contains(s.Jobs[0].Diagnosis, "137") {
			t.Errorf("%s: %v, %q", c.state, s.State, s.Jobs[0].Diagnosis)
		}
	}
}

// TestForgottenByAll: the ResourceManager came again without its memory, and the master that it dropped left no
// history: how the job ended is unknown, and the snapshot reports that.
func TestForgottenByAll(t *testing.T) {
	l, src := running(t)
	l.err = &rest.Error{URL: "http://rm", Text: "connection refused"}
	l.misses(t, src, 10*time.Second)
	l.err = nil
	l.apps()
	delete(l.rm, "apps/application_1_0001")
	for range 6 {
		if s := l.tick(t, src, 9*time.Second); s.State != dag.Running || s.Jobs[0].State.Ended() {
			t.Fatalf("%v, job %v", s.State, s.Jobs[0].State)
		}
	}
	s := l.tick(t, src, 20*time.Second)
	if s.State != dag.EndedUnconfirmed || s.Jobs[0].State != dag.EndedUnconfirmed || !hasWarning(s, "has no result of it") {
		t.Errorf("%v, job %v: %v", s.State, s.Jobs[0].State, s.Warnings)
	}
}

// TestWatchBeginsAfterFailover: who comes when applications are ACCEPTED again finds a job that runs, and no restart.
func TestWatchBeginsAfterFailover(t *testing.T) {
	l := &troubled{lab: newLab()}
	l.apps("1 ACCEPTED UNDEFINED 1024")
	l.conf("0001", "a", "")
	l.runs("0001", 0, "SUCCEEDED", "RUNNING", "SCHEDULED")
	src := NewSource(l, yarn.Target{ID: "application_1_0001"})
	if s := l.tick(t, src, 10*time.Second); s.State != dag.Running || s.Jobs[0].State != dag.Submitted {
		t.Errorf("%v, job %v", s.State, s.Jobs[0].State)
	}
	l.apps("1 RUNNING UNDEFINED 1024")
	if s := l.tick(t, src, time.Second); mapStates(s, 0) != [5]int{0, 1, 1, 0, 0} || s.Jobs[0].Attempt != 1 ||
		len(s.Warnings) > 0 {
		t.Errorf("%v %+v %v", mapStates(s, 0), s.Jobs[0].Attempt, s.Warnings)
	}
}

// TestStandbyInWords: a ResourceManager whose page only reports that it is on standby is skipped; a lone one
// is reported as such.
func TestStandbyInWords(t *testing.T) {
	standby := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain;charset=utf-8")
		_, _ = io.WriteString(w, "This is standby RM. The redirect url is: /cluster/apps\n")
	})
	active := serve(t, func(w http.ResponseWriter, r *http.Request) { sendJSON(w, `{"apps":{}}`) })
	if body, err := clientOf(t, rest.Options{}, standby.URL, active.URL).RM(t.Context(), "apps"); err != nil ||
		string(body) != `{"apps":{}}` {
		t.Errorf("%s, %v", body, err)
	}
	_, err := clientOf(t, rest.Options{}, standby.URL).RM(t.Context(), "apps")
	if e, ok := errors.AsType[*rest.Error](err); !ok || !strings.Contains(e.Hint, "on standby") {
		t.Errorf("%v", err)
	}
}

// TestFailoverTwice: each time no ResourceManager responds, then applications are ACCEPTED, then they run; nothing is
// lost in either.
func TestFailoverTwice(t *testing.T) {
	l, src := running(t)
	l.rm["apps/application_1_0001/appattempts"] = `{"appAttempts":{"appAttempt":[{"id":1}]}}`
	for range 2 {
		l.err = &rest.Error{URL: "http://rm", Text: "connection refused"}
		for range 3 {
			l.misses(t, src, 5*time.Second)
		}
		l.err = nil
		// Recovered, but not all of it yet: neither containers nor the master's page.
		l.apps("1 ACCEPTED UNDEFINED 0")
		for range 2 {
			if s := l.tick(t, src, time.Second); mapStates(s, 0) != [5]int{0, 1, 1, 0, 0} ||
				s.Jobs[0].State != dag.Running {
				t.Errorf("%v %v", mapStates(s, 0), s.Jobs[0].State)
			}
		}
		l.apps("1 RUNNING UNDEFINED 1024")
		if s := l.tick(t, src, time.Second); mapStates(s, 0) != [5]int{0, 1, 1, 0, 0} ||
			warned(s, dag.WarnMasterRestarted) {
			t.Errorf("%v %v", mapStates(s, 0), s.Warnings)
		}
	}
}

// TestFailoverInARecording: what a recording repeats of masters is older than the change of ResourceManagers. A
// failed request a moment ago shows that change, though no container is known yet.
func TestFailoverInARecording(t *testing.T) {
	l := &troubled{lab: newLab()}
	l.apps("1 RUNNING UNDEFINED 1024")
	l.conf("0001", "a", "")
	l.runs("0001", 0, "SUCCEEDED", "RUNNING", "SCHEDULED")
	l.rm["apps/application_1_0001/appattempts"] = `{"appAttempts":{"appAttempt":[{"id":1}]}}`
	src := NewSource(l, yarn.Target{Made: func(path string) dag.Instant {
		if strings.HasSuffix(path, "/appattempts") {
			return labStart
		}
		return dag.NoInstant
	}})
	l.tick(t, src, 10*time.Second)
	l.err = &rest.Error{URL: "http://rm", Text: "connection refused"}
	l.misses(t, src, 10*time.Second)
	l.err = nil
	l.apps("1 ACCEPTED UNDEFINED 0")
	if s := l.tick(t, src, time.Second); mapStates(s, 0) != [5]int{0, 1, 1, 0, 0} || s.Jobs[0].Attempt != 1 ||
		warned(s, dag.WarnMasterRestarted) {
		t.Errorf("%v %+v %v", mapStates(s, 0), s.Jobs[0].Attempt, s.Warnings)
	}
}
