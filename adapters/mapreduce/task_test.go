package mapreduce

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// reportedTask is a task for which a test sets the task list and the responses about attempts.
type reportedTask struct {
	t *testing.T
	*task
}

func newReportedTask(t *testing.T) *reportedTask {
	return &reportedTask{t, newTask(&job{}, dag.Map, 3)}
}

func (x *reportedTask) list(at dag.Instant, state, success string) {
	line := of[wireTask](x.t, fmt.Sprintf(
		`{"id":"task_1_0001_m_000003","state":"%s","startTime":5,"finishTime":77,"progress":50,"successfulAttempt":"%s"}`, state, success))
	x.listed(&line, at)
}

// attempts reports attempts as "number STATE", separated by commas.
func (x *reportedTask) attempts(at dag.Instant, states string) {
	var list []string
	for a := range strings.SplitSeq(states, ",") {
		var n int
		var state string
		fmt.Sscanf(a, "%d %s", &n, &state)
		list = append(list, fmt.Sprintf(
			`{"id":"attempt_1_0001_m_000003_%d","state":"%s","startTime":6,"finishTime":0,"progress":50}`, n, state))
	}
	b := of[attemptsBody](x.t, `{"taskAttempts":{"taskAttempt":[`+strings.Join(list, ",")+`]}}`)
	x.report(b.of(dag.Map, 3), at, func(string) int32 { return 0 })
}

func (x *reportedTask) check(what, want string) {
	x.t.Helper()
	var got []string
	for _, a := range show(nil, 3, x.task) {
		got = append(got, fmt.Sprintf("%d %v", a.Number, a.State))
	}
	if s := strings.Join(got, ","); s != want {
		x.t.Errorf("%s: %s, want %s", what, s, want)
	}
}

const attempt0, attempt1 = "attempt_1_0001_m_000003_0", "attempt_1_0001_m_000003_1"

func TestStaleAttempts(t *testing.T) {
	x := newReportedTask(t)
	x.list(10, "SCHEDULED", "")
	x.check("not started", "")
	x.list(20, "RUNNING", "")
	x.check("attempts not reported", "0 running")
	x.attempts(21, "0 RUNNING")
	x.list(30, "SUCCEEDED", attempt0)
	x.check("the list is newer", "0 succeeded")
	x.attempts(21, "0 RUNNING")
	x.check("an old answer", "0 succeeded")
	if a := show(nil, 3, x.task)[0]; a.End != 77 || a.Ratio != 1 {
		t.Errorf("%+v", a)
	}
	x.list(40, "SCHEDULED", "")
	x.check("its node is lost", "0 killed")
	if a := show(nil, 3, x.task)[0]; a.Diagnosis == "" {
		t.Error("killed without a reason")
	}
	if !x.isDue() {
		t.Error("the reason is not requested")
	}
	x.attempts(21, "0 SUCCEEDED")
	x.check("an old answer again", "0 killed")
	if x.isDue() {
		t.Error("a waiting task needs no request")
	}
}

func TestStaleList(t *testing.T) {
	x := newReportedTask(t)
	x.list(20, "RUNNING", "")
	x.attempts(21, "0 SUCCEEDED")
	x.check("it ended after the list was made", "0 succeeded")
	x.list(20, "RUNNING", "")
	x.check("the same list again", "0 succeeded")
	if x.state != dag.AttemptSucceeded || x.success != 0 {
		t.Errorf("%+v", x.task)
	}
	y := newReportedTask(t)
	y.list(20, "SCHEDULED", "")
	y.attempts(21, "0 RUNNING")
	if y.state != dag.AttemptRunning {
		t.Errorf("it started after the list was made, and is %v", y.state)
	}
}

func TestSpeculation(t *testing.T) {
	x := newReportedTask(t)
	x.list(20, "RUNNING", "")
	x.attempts(20, "0 RUNNING,1 RUNNING")
	x.check("two at once", "0 running,1 running")
	x.list(30, "SUCCEEDED", attempt1)
	x.check("the second was faster", "0 killed,1 succeeded")
	x.attempts(30, "0 KILLED,1 SUCCEEDED")
	x.check("as the master reports", "0 killed,1 succeeded")
}

func TestForgottenAttempts(t *testing.T) {
	x := newReportedTask(t)
	x.list(20, "RUNNING", "")
	x.attempts(20, "0 FAILED,1 RUNNING")
	x.list(30, "RUNNING", "")
	x.attempts(30, "1000 RUNNING")
	x.check("a new master", "0 failed,1 killed,1000 running")
	if best := x.best(); best == nil || best.Number != 1000 {
		t.Errorf("best is %+v", best)
	}
}

// TestNewMasterRunsAgain: a list shows that a task is done by an attempt that its new master could not recover.
func TestNewMasterRunsAgain(t *testing.T) {
	x := newReportedTask(t)
	x.list(20, "RUNNING", "")
	x.attempts(20, "0 SUCCEEDED")
	x.list(30, "SUCCEEDED", attempt0)
	x.attempts(31, "1000 RUNNING")
	x.check("a new master", "0 killed,1000 running")
	if a := show(nil, 3, x.task)[1]; a.End.Known() || x.state != dag.AttemptRunning {
		t.Errorf("it is %v, %+v", x.state, a)
	}
	if a := show(nil, 3, x.task)[0]; a.Diagnosis == "" {
		t.Error("killed without a reason")
	}
	x.list(30, "SUCCEEDED", attempt0)
	x.check("the old list", "0 killed,1000 running")
	x.list(40, "RUNNING", "")
	x.check("the new one", "0 killed,1000 running")
	x.attempts(50, "1000 SUCCEEDED")
	x.check("done again", "0 killed,1000 succeeded")

	y := newReportedTask(t)
	y.list(20, "SUCCEEDED", attempt0)
	y.attempts(20, "0 SUCCEEDED,1 KILLED")
	y.attempts(21, "0 SUCCEEDED")
	y.check("recovered, without the second attempt", "0 succeeded,1 killed")
}

// TestOldMastersWords: a recording repeats the old master's response about a task that the new one runs.
func TestOldMastersWords(t *testing.T) {
	l := newLab()
	l.apps("1 RUNNING UNDEFINED 1024")
	l.conf("0001", "a", "", "pig.output.committer.recovery.support", "false")
	l.runs("0001", 0, "RUNNING", "SUCCEEDED")
	old := map[string]bool{}
	var before dag.Instant
	src := NewSource(l, yarn.Target{Made: func(path string) dag.Instant {
		if old[path] {
			return before
		}
		return l.now
	}})
	l.tick(t, src, 10*time.Second)
	before = l.now
	const base = "/proxy/application_1_0001/ws/v1/mapreduce/jobs/job_1_0001"
	old["/ws/v1/cluster/apps/application_1_0001/appattempts"] = true
	l.rm["apps/application_1_0001/appattempts"] = `{"appAttempts":{"appAttempt":[{"id":1}]}}`
	l.apps("1 ACCEPTED UNDEFINED 0")
	if s := l.tick(t, src, time.Second); mapStates(s, 0) != [5]int{0, 0, 0, 0, 2} || s.Jobs[0].Attempt != 2 {
		t.Fatalf("a master without a container: %v %+v", mapStates(s, 0), s.Jobs[0])
	}
	l.apps("1 RUNNING UNDEFINED 512")
	old[base] = true
	if s := l.tick(t, src, time.Second); mapStates(s, 0) != [5]int{0, 0, 0, 0, 2} || s.Jobs[0].State != dag.Submitted {
		t.Fatalf("its status is the old one: %v %+v", mapStates(s, 0), s.Jobs[0])
	}
	old[base] = false
	old[base+"/tasks/task_1_0001_m_000000/attempts"] = true
	stale := l.am["0001/tasks/task_1_0001_m_000000/attempts"]
	l.runs("0001", 1000, "RUNNING", "SCHEDULED")
	l.am["0001/tasks/task_1_0001_m_000000/attempts"] = stale
	if s := l.tick(t, src, time.Second); mapStates(s, 0) != [5]int{0, 0, 0, 0, 2} {
		t.Errorf("a task's attempts are the old ones: %v", mapStates(s, 0))
	}
	old[base+"/tasks/task_1_0001_m_000000/attempts"] = false
	l.runs("0001", 1000, "RUNNING", "SCHEDULED")
	if s := l.tick(t, src, time.Second); mapStates(s, 0) != [5]int{0, 1, 0, 0, 2} {
		t.Errorf("in the end: %v", mapStates(s, 0))
	}
}

// TestMapTotal: N = K / (progress / 66.7%) while a map reads; what it has read in the end.
func TestMapTotal(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		what           string
		k, ratio, was  float64
		mapOnly, final bool
		want           float64
	}{
		{"nothing yet", nan, nan, nan, false, false, nan},
		{"no progress", 5, 0, nan, false, false, nan},
		{"hardly begun", 327, 0.002, nan, false, false, nan},
		{"hardly begun, with an earlier total", 327, 0.002, 400, false, false, 400},
		{"half read", 50, 0.3335, nan, false, false, 100},
		{"half read, no reduces", 50, 0.5, nan, true, false, 100},
		{"read", 100, 0.7, 99, false, false, 100},
		{"spilling", 100, 0.9, 101, false, false, 101},
		{"done", 103, 1, 101, false, true, 103},
	} {
		a := dag.BlankAttempt(0, 0)
		a.Done[0], a.Ratio, a.Total[0] = c.k, c.ratio, c.was
		got := mapTotal(&a, c.mapOnly, c.final)
		if !(math.Abs(got-c.want) < 1e-9) && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("%s: %v, want %v", c.what, got, c.want)
		}
	}
}

// TestMarks: the first report that shows work in the last pipeline, and the newest change.
func TestMarks(t *testing.T) {
	nan := math.NaN()
	a := dag.BlankAttempt(0, 0)
	a.State = dag.AttemptRunning
	j := &job{size: size{counted: [2]int{20, 1}}}
	counts := func(at dag.Instant, c Counts) { j.count(&a, &c, dag.Reduce, false, at) }
	counts(1, Counts{})
	if a.FirstReport.Known() {
		t.Error("an empty answer is a report")
	}
	counts(2, Counts{Reported: true, ReduceIn: 0, ReduceOut: 0, Copied: 5, Shuffled: 100, MapIn: nan})
	if a.FirstReport != 2 || a.First.At.Known() || a.Done[dag.Copy] != 5 || a.Total[dag.Copy] != 20 || a.Bytes != 100 {
		t.Errorf("copying: %+v", a)
	}
	counts(3, Counts{Reported: true, ReduceIn: 7, ReduceOut: 0})
	counts(4, Counts{Reported: true, ReduceIn: 7, ReduceOut: 0})
	if a.First != (dag.Mark{At: 3, Done: 7}) || a.Last != a.First {
		t.Errorf("first %+v, last %+v", a.First, a.Last)
	}
	counts(5, Counts{Reported: true, ReduceIn: 7, ReduceOut: 2})
	if a.First.At != 3 || a.Last != (dag.Mark{At: 5, Done: 7, Out: 2}) || a.FirstReport != 2 {
		t.Errorf("first %+v, last %+v", a.First, a.Last)
	}
}
