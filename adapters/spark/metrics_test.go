package spark

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/paratimer/paratimer/dag"
)

const loggedTask = `{"Event":"SparkListenerTaskEnd","Stage ID":3,"Stage Attempt ID":0,"Task End Reason":{"Reason":"Success"},
"Task Info":{"Task ID":7,"Index":1,"Launch Time":1000000,"Executor ID":"1","Finish Time":1005000,"Getting Result Time":1004900,
"Accumulables":[{"Name":"time to run Python workers","Update":"700"},{"Name":"other","Update":"9"}]},
"Task Metrics":{"Executor Deserialize Time":100,"Executor Run Time":4500,"Executor CPU Time":2000000000,"JVM GC Time":300,
"Result Serialization Time":20,"Disk Bytes Spilled":4096,"Input Metrics":{"Bytes Read":10,"Records Read":2},
"Shuffle Read Metrics":{"Fetch Wait Time":40,"Remote Bytes Read":50,"Local Bytes Read":6,"Total Records Read":8},
"Shuffle Write Metrics":{"Shuffle Bytes Written":70,"Shuffle Write Time":5000000,"Shuffle Records Written":9}}}`

const listedTask = `[{"taskId":7,"index":1,"launchTime":"2026-11-22T15:30:42.878GMT","duration":5000,"executorId":"1","status":%q,
"gettingResultTime":100,"taskMetrics":{"executorDeserializeTime":100,"executorRunTime":4500,"executorCpuTime":2000000000,
"jvmGcTime":300,"resultSerializationTime":20,"diskBytesSpilled":4096,"inputMetrics":{"bytesRead":10,"recordsRead":2},
"shuffleReadMetrics":{"fetchWaitTime":40,"remoteBytesRead":50,"localBytesRead":6,"recordsRead":8},
"shuffleWriteMetrics":{"bytesWritten":70,"writeTime":5000000,"recordsWritten":9}}}]`

// TestTaskMetrics checks that an ended task has the same counters from a log and from the driver's list, but the time
// of its Python worker, which only a log has. A running task has none.
func TestTaskMetrics(t *testing.T) {
	t.Parallel()
	want := dag.TaskMetrics{
		Deserialize: 100, Run: 4500, CPU: 2000, GC: 300, FetchWait: 40, ShuffleWriteTime: 5, Python: 700, Result: 120,
		InputBytes: 10, InputRecords: 2, ShuffleReadBytes: 56, ShuffleReadRecords: 8, ShuffleWriteBytes: 70,
		ShuffleWriteRecords: 9, SpilledBytes: 4096,
	}
	kind, w, ok := parseEvent([]byte(loggedTask))
	if !ok {
		t.Fatal("the line is no event")
	}
	if got := w.event(kind, 1).task.metrics; *got != want {
		t.Errorf("a log has %+v, want %+v", *got, want)
	}
	want.Python = 0
	for state, has := range map[string]bool{"SUCCESS": true, "FAILED": true, "RUNNING": false} {
		a := NewApp("app-1")
		if !took(a, 0, "stages/3/0/taskList", fmt.Sprintf(listedTask, state)) {
			t.Fatal("the answer was not taken")
		}
		got := a.stages[3].tries[0].list[0].Metrics
		if (got != nil) != has || has && *got != want {
			t.Errorf("%s: the driver's list has %+v, want %+v", state, got, want)
		}
	}
}

// TestBroadcastJobs checks that the last stage of a job whose output is broadcast is marked, by the tag of Spark 3.5 or
// the description of earlier versions.
func TestBroadcastJobs(t *testing.T) {
	t.Parallel()
	const stages = `[{"stageId":1,"attemptId":0,"name":"b","numTasks":2,"rddIds":[3],"status":"ACTIVE"},
		{"stageId":0,"attemptId":0,"name":"a","numTasks":2,"rddIds":[1],"status":"COMPLETE"}]`
	for field, want := range map[string]bool{
		`"jobTags":["broadcast exchange (runId 2d4989a1-3fda)"]`:   true,
		`"description":"broadcast exchange (runId 2d4989a1-3fda)"`: true,
		`"jobTags":["mine"],"description":"a broadcast exchange"`:  false,
	} {
		a := NewApp("app-1")
		took(a, 0, "jobs", `[{"jobId":0,"stageIds":[0,1],"status":"RUNNING","submissionTime":"2026-11-22T15:30:42.878GMT",`+
			field+`}]`)
		took(a, 0, "stages", stages)
		s, _ := a.Snapshot(1795366700000, false)
		of := s.Plan.Jobs[0].Stages
		if len(of) != 2 || of[0].Broadcast || of[1].Broadcast != want {
			t.Errorf("%s: %+v", field, of)
		}
	}
}

// TestExecutorsSince checks that executors have the instant at which they registered.
func TestExecutorsSince(t *testing.T) {
	t.Parallel()
	l, err := openLog(filepath.Join("testdata", "skew-3.eventlog.gz"))
	if err != nil {
		t.Fatal(err)
	}
	s, _ := l.Reader("").At(l.Last)
	if len(s.Nodes) == 0 || slices.ContainsFunc(s.Nodes, func(n dag.NodeState) bool {
		return n.Since <= 0 || n.Since >= s.At
	}) {
		t.Errorf("%+v", s.Nodes)
	}
}
