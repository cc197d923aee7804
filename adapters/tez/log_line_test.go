package tez

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// Lines of masters' logs of Tez 0.10.5, long parts of them cut.
const (
	dagLine     = `2026-11-22 16:49:21,750 [INFO] [IPC Server handler 1 on default port 32975] |HistoryEventHandler.criticalEvents|: [HISTORY][DAG:dag_1795366040025_0002_1][Event:DAG_SUBMITTED]: dagID=dag_1795366040025_0002_1, submitTime=1795366161719, queueName=root.default`
	runningLine = `2026-11-22 16:49:21,701 [INFO] [IPC Server handler 1 on default port 32975] |app.DAGAppMaster|: Running DAG: report-3, callerContext={ context=HIVE, callerType=HIVE_QUERY_ID, callerId=root_20261122164915_b16fc803-fc1b-4a54-afc5-a2a7709a6272_User:root }`
	memoryLine  = `2026-11-22 16:49:21,836 [INFO] [IPC Server handler 1 on default port 32975] |impl.VertexImpl|: Default container context for vertex_1795366040025_0002_1_03 [Reducer 2]=LocalResources: [[ name=tez-conf.pb ],], javaOpts: -Xmx160m, vertex: vertex_1795366040025_0002_1_03 [Reducer 2], Default Resources=<memory:256, vCores:1>`
	pluginLine  = `2026-11-22 16:49:22,008 [INFO] [Dispatcher thread {Central}] |impl.VertexImpl|: Setting user vertex manager plugin: org.apache.tez.dag.library.vertexmanager.ShuffleVertexManager on vertex: vertex_1795366040025_0002_1_03 [Reducer 2]`
	rootLine    = `2026-11-22 16:50:46,008 [INFO] [Dispatcher thread {Central}] |impl.VertexImpl|: Setting vertexManager to RootInputVertexManager for vertex_1795366040025_0002_1_01 [Map 1]`
	slowLine    = `2026-11-22 16:49:22,012 [INFO] [Dispatcher thread {Central}] |vertexmanager.ShuffleVertexManagerBase|: Settings minFrac: 0.25 maxFrac: 0.75 auto: true desiredTaskIput: 6000`
	sourceLine  = `2026-11-22 16:49:22,477 [INFO] [Dispatcher thread {Central}] |impl.VertexImpl|: Source vertex started: vertex_1795366040025_0002_1_02 for vertex: vertex_1795366040025_0002_1_03 [Reducer 2] numStartedSources: 1 numSources: 1`
	initLine    = `2026-11-22 16:49:22,061 [INFO] [Dispatcher thread {Central}] |HistoryEventHandler.criticalEvents|: [HISTORY][DAG:dag_1795366040025_0002_1][Event:VERTEX_INITIALIZED]: vertexName=Reducer 2, vertexId=vertex_1795366040025_0002_1_03, initRequestedTime=1795366162008, initedTime=1795366162060, numTasks=6, processorName=org.apache.hadoop.hive.ql.exec.tez.ReduceTezProcessor`
	launchLine  = `2026-11-22 16:49:24,010 [INFO] [ContainerLauncher #0] |HistoryEventHandler.criticalEvents|: [HISTORY][DAG:N/A][Event:CONTAINER_LAUNCHED]: containerId=container_1795366040025_0002_01_000007, launchTime=1795366164007`
	startLine   = `2026-11-22 16:49:27,324 [INFO] [Dispatcher thread {Central}] |HistoryEventHandler.criticalEvents|: [HISTORY][DAG:dag_1795366040025_0002_1][Event:TASK_ATTEMPT_STARTED]: vertexName=Reducer 2, taskAttemptId=attempt_1795366040025_0002_1_03_000005_0, startTime=1795366167324, containerId=container_1795366040025_0002_01_000007, nodeId=localhost:41749`
	finishLine  = `2026-11-22 16:49:37,924 [INFO] [Dispatcher thread {Central}] |HistoryEventHandler.criticalEvents|: [HISTORY][DAG:dag_1795366040025_0002_1][Event:TASK_ATTEMPT_FINISHED]: vertexName=Reducer 2, taskAttemptId=attempt_1795366040025_0002_1_03_000005_0, creationTime=1795366162503, allocationTime=1795366163889, startTime=1795366167324, finishTime=1795366177923, timeTaken=10599, status=SUCCEEDED, diagnostics=`
	taskLine    = `2026-11-22 16:49:37,930 [INFO] [Dispatcher thread {Central}] |HistoryEventHandler.criticalEvents|: [HISTORY][DAG:dag_1795366040025_0002_1][Event:TASK_FINISHED]: vertexName=Reducer 2, taskId=task_1795366040025_0002_1_03_000005, startTime=1795366167324, finishTime=1795366177930, timeTaken=10606, status=SUCCEEDED, successfulAttemptID=attempt_1795366040025_0002_1_03_000005_0, diagnostics=, counters=Counters: 22, File System Counters, FILE_BYTES_READ=2402, org.apache.tez.common.counters.TaskCounter, REDUCE_INPUT_RECORDS=134, NUM_SHUFFLED_INPUTS=18, OUTPUT_RECORDS=77, SHUFFLE_BYTES_DECOMPRESSED=2356, SHUFFLE_PHASE_TIME=46, MERGE_PHASE_TIME=63, HIVE, OUTPUT_RECORDS=999`
	lostLine    = `2026-11-22 16:50:01,000 [INFO] [Dispatcher thread {Central}] |HistoryEventHandler.criticalEvents|: [HISTORY][DAG:dag_1795366040025_0002_1][Event:TASK_ATTEMPT_FINISHED]: vertexName=Reducer 2, taskAttemptId=attempt_1795366040025_0002_1_03_000005_0, creationTime=1795366162503, allocationTime=1795366163889, startTime=1795366167324, finishTime=1795366200999, timeTaken=33675, status=FAILED, taskFailureType=NON_FATAL, errorEnum=OUTPUT_LOST, diagnostics=attempt_1795366040025_0002_1_03_000005_0 being failed for too many output errors, counters=Counters: 1`
	endLine     = `2026-11-22 16:50:45,033 [INFO] [Dispatcher thread {Central}] |HistoryEventHandler.criticalEvents|: [HISTORY][DAG:dag_1795366040025_0002_1][Event:DAG_FINISHED]: dagId=dag_1795366040025_0002_1, startTime=1795366161919, finishTime=1795366245033, timeTaken=83114, status=FAILED, diagnostics=Vertex failed, vertexName=Map 5, status=SUCCEEDED, counters=Counters: 57`
)

// testState returns the state of a DAG in a cluster with one node.
func testState(id string) *state { return newState(id, oneNode{}) }

// oneNode are the surroundings of a DAG whose attempts run on one node.
type oneNode struct{ *historySource }

func (oneNode) NodeIndex(string) int32 { return 3 }

// newTestSource returns a source of a DAG at an instant.
func newTestSource(st *state, now dag.Instant) *Source {
	return &Source{st: st, lines: lineReader{st: st}, now: now}
}

func read(lines ...string) *state {
	st := testState("dag_1795366040025_0002_1")
	q := newTestSource(st, 1795366178000)
	for _, l := range lines {
		q.lines.read(l, q.now)
	}
	return st
}

func TestLog(t *testing.T) {
	t.Parallel()
	g := read(runningLine, dagLine, memoryLine, pluginLine, slowLine, rootLine, initLine, sourceLine, launchLine,
		startLine)
	v := g.vertices[3]
	if g.title.name != "report-3" || g.submitted != 1795366161719 || v.name != "Reducer 2" || v.memoryMB != 256 ||
		v.tasks != 6 || !v.hasTasks {
		t.Errorf("%+v, vertex %+v", g, v)
	}
	if v.slowStart != (slowStart{0.25, 0.75}) || len(v.sources) != 1 ||
		v.sources[0] != (source{g.vertices[2], scatterGather}) || g.vertices[1].movement != broadcast {
		t.Errorf("%+v", v)
	}
	a := v.table.Find(5).attempts[0]
	if a.State != dag.AttemptRunning || a.Start != 1795366167324 || a.Slot != 0 || a.Node != 3 || !a.firstInContainer ||
		g.setupMedian() != 1795366167324-1795366164007 {
		t.Errorf("%+v, set-up %v", a, g.setupMedian())
	}
}

// TestMasterBoot checks that both files of a master have the start of its JVM and the time when it was ready; for a DAG
// that was submitted much later, these times are not used.
func TestMasterBoot(t *testing.T) {
	t.Parallel()
	const launched, ready = 1795366160000, 1795366161216
	text := read(
		`[HISTORY][DAG:N/A][Event:AM_LAUNCHED]: appAttemptId=appattempt_1795366040025_0002_000001, appSubmitTime=1795366157937, launchTime=1795366160000`,
		`[HISTORY][DAG:N/A][Event:AM_STARTED]: appAttemptId=appattempt_1795366040025_0002_000001, startTime=1795366161216`)
	history := testState("dag_1795366040025_0002_1")
	r := newTestSource(history, 0)
	r.record(`{"entity":"tez_appattempt_1795366040025_0002_000001","entitytype":"TEZ_APPLICATION_ATTEMPT","events":[{"ts":1795366160000,"eventtype":"AM_LAUNCHED"}]}`)
	r.record(`{"entity":"tez_appattempt_1795366040025_0002_000001","entitytype":"TEZ_APPLICATION_ATTEMPT","events":[{"ts":1795366161216,"eventtype":"AM_STARTED"}]}`)
	for _, g := range []*state{text, history} {
		if g.boot != (boot{launched, ready}) {
			t.Errorf("%+v", g.boot)
		}
		if got := g.boot.took(ready + 500); got != 1216*time.Millisecond {
			t.Errorf("the master took %v to start, want 1.216s", got)
		}
		if got := g.boot.took(ready + 11*60_000); got != 0 {
			t.Errorf("eleven minutes later that is still reported: %v", got)
		}
	}
	text.apply(&event{Kind: "AM_LAUNCHED", At: launched + 60_000}, 0)
	if got := text.boot.took(ready + 70_000); got != 0 {
		t.Errorf("a new master that is not ready took %v", got)
	}
}

func TestLogOfAnEnd(t *testing.T) {
	t.Parallel()
	g := read(initLine, sourceLine, launchLine, startLine, finishLine, taskLine)
	a := g.vertices[3].table.Find(5).attempts[0]
	if a.State != dag.AttemptSucceeded || a.End != 1795366177923 || a.reportsLeft != 0 || a.Done[0] != 134 ||
		a.Out != 77 ||
		a.Bytes != 2356 {
		t.Errorf("%+v", a)
	}
	if a.CopyEnd != a.Start+46 || a.SortEnd != a.Start+63 || g.setupMedian() != 1795366167324-1795366163889 {
		t.Errorf("%+v, set-up %v", a, g.setupMedian())
	}
	if g.final.Ended() {
		t.Error("over before its end")
	}
	g = read(startLine, finishLine, taskLine, lostLine, endLine)
	if a := g.vertices[3].table.Find(5).attempts[0]; a.State != dag.AttemptFailed ||
		!strings.HasSuffix(a.Diagnosis, "too many output errors") {
		t.Errorf("%+v", a)
	}
	if g.final != dag.Failed || g.finished != 1795366245033 || !strings.HasPrefix(g.diagnosis, "Vertex failed") {
		t.Errorf("%q at %v: %q", g.final, g.finished, g.diagnosis)
	}
}

func TestLogOfAnotherDAG(t *testing.T) {
	t.Parallel()
	other := func(s string) string { return strings.ReplaceAll(s, "0002_1", "0002_2") }
	g := read(other(dagLine), other(memoryLine), other(initLine), other(startLine), other(endLine))
	if len(g.vertices) != 0 || g.final.Ended() || g.submitted.Known() {
		t.Errorf("%+v", g)
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ id, dag, context, query, name, title string }{
		{"dag_1_1_1", "PigLatin:join.pig-0_scope-0", "PIG", "", "join.pig", ""},
		{"dag_1_1_2", "PigLatin:join.pig-0_scope-2", "PIG", "", "join.pig #2", ""},
		{"dag_1_1_1", "PigLatin:a-0_scope-1.pig", "PIG", "", "a-0_scope-1.pig", ""},
		{
			"dag_1_1_2", "report-3", "HIVE", "-- c\nselect a from b where c = 'secret'", "report-3",
			"select a from b where c = '…'",
		},
		{
			"dag_1_1_2", "root_20261122164915_b16fc803-fc1b-4a54-afc5-a2a7709a6272", "HIVE",
			"\nselect a from b\nwhere c = 'x'", "select a from b", "",
		},
		{"dag_1_1_1", "OrderedWordCount", "", "", "OrderedWordCount", ""},
		{"dag_1_1_1", "a\x1b[31m", "", "", `a\x1b[31m`, ""},
	} {
		b := &planBody{DAGName: text(c.dag)}
		b.DAGContext.Context, b.DAGContext.Description = text(c.context), text(c.query)
		if got := titleOf(c.id, b); got.name != c.name || got.query != c.title {
			t.Errorf("%q: %q, %q", c.dag, got.name, got.query)
		}
	}
}

func TestOrder(t *testing.T) {
	t.Parallel()
	g := testState("dag_1_1_1")
	edge := func(from, to int32) {
		g.vertexAt(max(from, to))
		g.vertices[to].sources = append(g.vertices[to].sources, source{g.vertices[from], scatterGather})
	}
	edge(4, 0)
	edge(2, 1)
	edge(0, 3)
	edge(3, 3+2) // 5 reads 3
	edge(5, 2)   // and closes no cycle
	if got := g.order(); !equal(got, 4, 0, 3, 5, 2, 1) {
		t.Error(got)
	}
	edge(1, 4) // a cycle
	if got := g.order(); len(got) != 6 || len(g.edges(g.vertices[0], map[int32]dag.StageIndex{})) != 0 {
		t.Error(got)
	}
	if e := g.edges(g.vertices[0], map[int32]dag.StageIndex{4: 7}); len(e) != 1 ||
		e[0] != (dag.Edge{From: 7, Kind: dag.SlowStart, Ratio: 0.25, Full: 0.75}) {
		t.Error(e)
	}
}

func equal(got []*vertex, want ...int32) bool {
	if len(got) != len(want) {
		return false
	}
	for i := range got {
		if got[i].index != want[i] {
			return false
		}
	}
	return true
}

// A task of a vertex without its own progress and one whose cached table hides it are distinguished from one that has
// done nothing.
func TestProgress(t *testing.T) {
	t.Parallel()
	g := testState("dag_1_1_1")
	g.vertexAt(0)
	attemptOf := func(status string, progress, records float64) *attempt {
		w := wireAttempt{ID: "attempt_1_1_1_00_000000_0", Status: text(status), Progress: number(progress)}
		if records > 0 {
			w.Counters = map[string]map[string]number{taskCounters: {"INPUT_RECORDS_PROCESSED": number(records)}}
		}
		g.report(&w, 900, 1000)
		return g.find(attemptKey{})
	}
	if a := attemptOf("STARTING", 0, 0); a != nil {
		t.Errorf("%+v", a)
	}
	if a := attemptOf("RUNNING", 0, 0); a.State != dag.AttemptRunning || a.Ratio != 0 || a.Start != 1000 {
		t.Errorf("%+v", a)
	}
	if a := attemptOf("RUNNING", 0.25, 7); a.Ratio != 0.25 || a.Done[0] != 7 {
		t.Errorf("%+v", a)
	}
	if a := attemptOf("RUNNING", 0, 7); !math.IsNaN(a.Ratio) {
		t.Errorf("%+v", a)
	}
	if a := attemptOf("SUCCEEDED", 1, 9); a.State != dag.AttemptSucceeded || a.End != 1000 || a.reportsLeft != 0 || a.Ratio != 1 {
		t.Errorf("%+v", a)
	}
}

// What a task threw first is the engine's wrapper; the cause follows on lines of its own.
func TestReason(t *testing.T) {
	t.Parallel()
	const wrapper = "Error: Node: vm/127.0.0.1 : Error while running task ( failure ) : attempt_1795366040025_0002_1_03_000005_0:"
	const outer = "java.lang.RuntimeException: java.lang.RuntimeException: Hive Runtime Error while processing row"
	const inner = "org.apache.hadoop.hive.ql.metadata.HiveException: ASSERT_TRUE(): assertion failed."
	for diagnosis, want := range map[string]string{
		wrapper + outer: outer,
		wrapper + outer + "\n\tat a.B.c(B.java:7)\nCaused by: x.Y: z\n\tat d\nCaused by: " + inner + "\n\t... 17 more": inner,
		"Container exited with a non-zero exit code 137":                                                               "Container exited with a non-zero exit code 137",
	} {
		if got := reason(diagnosis); got != want {
			t.Errorf("%q: got %q, want %q", diagnosis, got, want)
		}
	}
	r := newTestSource(testState("dag_1795366040025_0002_1"), 0)
	why := func() string { return r.st.find(attemptKey{3, 5, 0}).Diagnosis }
	failed := strings.Replace(finishLine, "status=SUCCEEDED, diagnostics=", "status=FAILED, diagnostics="+wrapper+outer, 1)
	r.lines.read(failed, 0)
	if why() != outer {
		t.Errorf("%q", why())
	}
	for _, line := range []string{"\tat a.B.c(B.java:7)", "Caused by: x.Y: z", "Caused by: " + inner, "\t... 17 more"} {
		r.lines.read(line, 0)
	}
	r.lines.read(", nodeHttpAddress=n0:8042, counters=Counters: 42", 0)
	r.lines.read(strings.Replace(finishLine, "000005_0", "000006_0", 1), 0)
	r.lines.read("Caused by: of something else", 0)
	if why() != inner {
		t.Errorf("%q", why())
	}
}

// A query without a name is called by its first line, not by what Hive makes of it: that is cut in the middle, where a
// literal may have begun.
func TestUnnamedQuery(t *testing.T) {
	t.Parallel()
	const cut = "SELECT k, v\nFROM a WH......nter2hunter2' (Stage-1)"
	body := planBody{DAGName: cut}
	const id = "dag_1_1_1"
	if g := titleOf(id, &body); g.name != "SELECT k, v FROM a WH… (Stage-1)" && g.name != "SELECT k, v (Stage-1)" {
		t.Errorf("%q", g.name)
	}
	body.DAGContext.Context, body.DAGContext.Description = "HIVE", "SELECT k, v\nFROM a WHERE c <> 'hunter2hunter2hunter2'"
	if g := titleOf(id, &body); g.name != "SELECT k, v" || g.query != "" {
		t.Errorf("%q, %q", g.name, g.query)
	}
	body.DAGName = "nightly"
	if g := titleOf(id, &body); g.name != "nightly" || g.query != "SELECT k, v" {
		t.Errorf("%q, %q", g.name, g.query)
	}
}

// TestDAGReason checks that a diagnosis of a log or a history file is cut to the vertex and the reason, without ids and
// stack traces.
func TestDAGReason(t *testing.T) {
	const want = "Map 5: ROOT_INPUT_INIT_FAILURE, Vertex Input: v1 initializer failed, java.lang.ExceptionInInitializerError"
	vertex := "Vertex failed, vertexName=Map 5, vertexId=vertex_1_7_1_00, diagnostics=[Vertex vertex_1_7_1_00 [Map 5] killed/failed due to:ROOT_INPUT_INIT_FAILURE"
	why := "Vertex Input: v1 initializer failed, vertex=vertex_1_7_1_00 [Map 5], java.lang.ExceptionInInitializerError"
	for diagnosis, want := range map[string]string{
		vertex + ", " + why:                         want,
		vertex + "\n" + why + "\n\tat a.b.C(D:1)\n": want,
		"DAG killed by user":                        "DAG killed by user",
		"Vertex failed, vertexName=a], x, vertexId=vertex_1_7_1_00, diagnostics=[Task failed, taskId=task_1": "a], x: Task failed, taskId=task_1",
		"": "",
	} {
		if got := dagReason(diagnosis); got != want {
			t.Errorf("%q: %q, want %q", diagnosis, got, want)
		}
	}
}

// TestSplitLog splits responses of NodeManagers that add a line end after the content, and of those that do not.
func TestSplitLog(t *testing.T) {
	const end = "End of LogType:syslog"
	for _, c := range []struct {
		text string
		size int64
		want string
	}{
		{"abcdef\n" + end, 0, "abcdef"},
		{"abcde\n" + end, 0, "abcde\n"},
		{"def\n" + end, -3, "def"},
		{"abc\n" + end, 3, "abc"},
		{"ef\n" + end, -3, "ef\n"},
		{"abcdef\n" + end, -100, "abcdef"},
	} {
		length, content, ok := SplitLog("LogType:syslog\nLogLength:6\nLogContents:\n"+c.text, c.size)
		if length != 6 || content != c.want || !ok {
			t.Errorf("%q of size %d: %d, %q, %v, want %q", c.text, c.size, length, content, ok, c.want)
		}
	}
}
