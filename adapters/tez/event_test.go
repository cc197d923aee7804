package tez

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/dag"
)

// TestSourcesAgree checks that a log, a history of each service and the web service yield the same facts about an
// attempt.
func TestSourcesAgree(t *testing.T) {
	t.Parallel()
	const id = "attempt_1795366040025_0002_1_03_000005_0"
	logged := func(line string) event {
		t.Helper()
		_, history, _ := strings.Cut(line, "[HISTORY][DAG:")
		e := (&lineReader{st: testState("dag_1795366040025_0002_1")}).history(history)
		if e == nil {
			t.Fatal(line)
		}
		return *e
	}
	start, finish, counted := logged(startLine), logged(finishLine), logged(taskLine)

	simple := func(s string) event {
		t.Helper()
		events, ok := recordEvents([]byte(s))
		if !ok || len(events) != 1 {
			t.Fatalf("%d events, %v: %s", len(events), ok, s)
		}
		return events[0]
	}
	startRecord := simple(`{"entity":"tez_` + id + `","relatedEntities":[` +
		`{"entity":"localhost:41749","entitytype":"nodeId"},` +
		`{"entity":"container_1795366040025_0002_01_000007","entitytype":"containerId"}],` +
		`"events":[{"ts":1795366167324,"eventtype":"TASK_ATTEMPT_STARTED"}]}`)
	const counterJSON = `{"counterGroups":[` +
		`{"counterGroupName":"HIVE","counters":[{"counterName":"OUTPUT_RECORDS","counterValue":9}]},` +
		`{"counterGroupName":"` + taskCounters + `","counters":[` +
		`{"counterName":"OUTPUT_RECORDS","counterValue":77},` +
		`{"counterName":"REDUCE_INPUT_RECORDS","counterValue":134}]}]}`
	finishRecord := simple(`{"entity":"tez_` + id + `",` +
		`"events":[{"ts":1795366177923,"eventtype":"TASK_ATTEMPT_FINISHED"}],"otherinfo":{"status":"SUCCEEDED",` +
		`"allocationTime":1795366163889,"startTime":1795366167324,"counters":` + counterJSON + `}}`)

	put := func(b []byte, field byte, s string) []byte {
		return append(binary.AppendUvarint(append(b, field<<3|2), uint64(len(s))), s...)
	}
	entry := func(b []byte, key, value string) []byte { return put(b, 10, string(put(put(nil, 1, key), 2, value))) }
	body := put(nil, 1, "TASK_ATTEMPT_FINISHED")
	body = binary.AppendUvarint(append(body, 2<<3), 1795366177923)
	body = put(put(body, 6, "dag_1795366040025_0002_1"), 9, id)
	body = entry(entry(body, "allocationTime", "1795366163889"), "startTime", "1795366167324")
	body = entry(entry(body, "status", "SUCCEEDED"), "counters", counterJSON)
	messages, ok := message(append(binary.AppendUvarint(nil, uint64(len(body))), body...))
	if !ok {
		t.Fatal("the message is invalid")
	}

	if start.Kind != startRecord.Kind || start.Entity != startRecord.Entity || start.At != startRecord.At ||
		start.ContainerID != startRecord.ContainerID || start.NodeID != startRecord.NodeID || start.NodeID == "" {
		t.Errorf("log %+v\nrecord %+v", start, startRecord)
	}
	for name, e := range map[string]event{"record": finishRecord, "message": messages[0]} {
		if e.Kind != finish.Kind || e.Entity != finish.Entity || e.At != finish.At || e.Status != finish.Status ||
			e.AllocationTime != finish.AllocationTime || e.StartTime != finish.StartTime || e.end() != finish.end() {
			t.Errorf("log %+v\n%s %+v", finish, name, e)
		}
		if e.Counters["OUTPUT_RECORDS"] != counted.Counters["OUTPUT_RECORDS"] ||
			e.Counters["REDUCE_INPUT_RECORDS"] != counted.Counters["REDUCE_INPUT_RECORDS"] {
			t.Errorf("log %+v\n%s %+v", counted.Counters, name, e.Counters)
		}
	}
	st := testState("dag_1795366040025_0002_1")
	st.report(&wireAttempt{ID: id, Status: "SUCCEEDED", Counters: map[string]map[string]number{
		taskCounters: {"OUTPUT_RECORDS": 77, "REDUCE_INPUT_RECORDS": 134},
	}}, 900, 1000)
	if a := st.find(attemptKey{3, 5, 0}); a == nil || a.State != dag.AttemptSucceeded ||
		a.Out != counted.Counters.of("OUTPUT_RECORDS") || a.Done[0] != counted.Counters.of("REDUCE_INPUT_RECORDS") {
		t.Errorf("log %+v\nweb service %+v", counted, a)
	}
}

// TestUnlaunchedAttempt checks that an attempt that was killed before its launch is none.
func TestUnlaunchedAttempt(t *testing.T) {
	t.Parallel()
	killed := strings.NewReplacer("status=SUCCEEDED", "status=KILLED", "startTime=1795366167324", "startTime=0").
		Replace(finishLine)
	if st := read(initLine, killed); st.find(attemptKey{3, 5, 0}) != nil {
		t.Error("an attempt that never ran is known")
	}
	st := read(initLine, startLine, killed)
	if a := st.find(attemptKey{3, 5, 0}); a == nil || a.State != dag.AttemptKilled || a.Start != 1795366167324 {
		t.Errorf("%+v", a)
	}
}

// TestContainerOfEarlierDAG checks that a container that was launched before the DAG was submitted has no set-up time.
func TestContainerOfEarlierDAG(t *testing.T) {
	t.Parallel()
	earlier := strings.Replace(launchLine, "launchTime=1795366164007", "launchTime=1795366161000", 1)
	for line, want := range map[string]float64{launchLine: 1795366167324 - 1795366164007, earlier: 0} {
		if st := read(dagLine, initLine, line, startLine); st.setupMedian() != want {
			t.Errorf("%s: %v ms, want %v", line, st.setupMedian(), want)
		}
	}
}
