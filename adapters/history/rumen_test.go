package history

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/internal/testkit/fixtures"
)

// Two jobs, as Rumen of Hadoop 0.21 writes them: pretty-printed, concatenated.
const two = `{
  "priority" : "NORMAL", "jobID" : "job_201009241532_0001", "user" : "johndoe", "jobName" : "first",
  "submitTime" : 1285322645148, "launchTime" : 1285322645614, "finishTime" : 1285322675837, "outcome" : "SUCCESS",
  "totalMaps" : 1, "totalReduces" : 1, "queue" : null,
  "mapTasks" : [ { "taskID" : "task_201009241532_0001_m_000000", "attempts" : [
    { "attemptID" : "attempt_201009241532_0001_m_000000_0", "result" : "FAILED", "hostName" : "/rack/a\\.b", "startTime" : 1285322650000, "finishTime" : 1285322651000 },
    { "attemptID" : "attempt_201009241532_0001_m_000000_1", "result" : "SUCCESS", "hostName" : "/rack/a\\.b", "startTime" : 1285322651366,
      "finishTime" : 1285322658262, "hdfsBytesRead" : 704270, "fileBytesRead" : -1, "fileBytesWritten" : 7, "mapInputRecords" : 13427,
      "resourceUsageMetrics" : { "cumulativeCpuUsage" : 14350, "heapUsage" : 1 }, "mapOutputRecords" : 126063,
      "clockSplits" : [ 1000, 500, 500, 500, 500, 500, 500, 500, 10, 10, 10, 10 ] } ] } ],
  "reduceTasks" : [ { "attempts" : [
    { "attemptID" : "attempt_201009241532_0001_r_000000_0", "result" : "SUCCESS", "hostName" : "/rack/c", "startTime" : 1285322660807,
      "finishTime" : 1285322670759, "shuffleFinished" : 1285322667962, "sortFinished" : 1285322668146, "reduceInputRecords" : 17866,
      "reduceOutputRecords" : 11713, "reduceShuffleBytes" : 127823, "resourceUsageMetrics" : 3 } ] } ],
  "otherTasks" : [ { "attempts" : [ { "attemptID" : "attempt_201009241532_0001_m_000002_0", "result" : "SUCCESS" } ] } ]
}
{ "jobID" : "job_201009241532_0002", "submitTime" : 1285322676000, "finishTime" : -1, "outcome" : null, "totalMaps" : 1, "totalReduces" : 0,
  "mapTasks" : [ ], "reduceTasks" : [ ] }
`

func TestTrace(t *testing.T) {
	jobs, err := readTrace(strings.NewReader(two))
	if err != nil || len(jobs) != 2 {
		t.Fatalf("%d jobs, %v", len(jobs), err)
	}
	j := jobs[0]
	if j.Name != "first" || j.User != "johndoe" || j.Submitted != 1285322645148 || j.State != dag.Succeeded ||
		!j.Slots || j.Maps != 1 || j.Reduces != 1 || j.Bad != 0 {
		t.Errorf("the first is %+v", j)
	}
	m := j.Attempts[dag.Map]
	if len(m) != 2 || m[0].State != dag.AttemptFailed || m[1].Number != 1 || m[1].Node != "a.b" ||
		m[1].Counts.MapIn != 13427 || m[1].Counts.Read != 704270 || m[1].Splits[0] != 1000 {
		t.Errorf("its maps are %+v", m)
	}
	r := j.Attempts[dag.Reduce][0]
	if r.CopyEnd != 1285322667962 || r.SortEnd != 1285322668146 || r.Counts.Shuffled != 127823 ||
		r.Counts.ReduceOut != 11713 || len(r.Splits) > 0 || !math.IsNaN(r.Counts.MapIn) {
		t.Errorf("its reduce is %+v", r)
	}
	if u := m[1].Usage; u.CPU != 14.35 || u.Read != 704270 || !math.IsNaN(u.FileRead) || u.FileWritten != 7 ||
		!math.IsNaN(r.Usage.CPU) || r.Usage.Shuffled != 127823 {
		t.Errorf("they used %+v and %+v", u, r.Usage)
	}
	if k := jobs[1]; k.Ended() || k.Attempts[0] != nil {
		t.Errorf("the second is %+v", k)
	}
}

func TestTornTrace(t *testing.T) {
	for cut := len(two) / 2; cut < len(two)-200; cut += 50 {
		jobs, err := readTrace(strings.NewReader(two[:cut]))
		switch whole := cut > strings.Index(two, "\n{ \"jobID\""); {
		case whole && (err != nil || len(jobs) != 1 || jobs[0].Bad != 1 &&
			strings.TrimSpace(two[strings.Index(two, "\n{ \"jobID\""):cut]) != ""):
			t.Errorf("cut at %d: %d jobs, %v", cut, len(jobs), err)
		case !whole && err == nil:
			t.Errorf("cut at %d there are %d jobs", cut, len(jobs))
		}
	}
}

func TestNoTrace(t *testing.T) {
	for _, bad := range []string{"", "[]", "{}", `{"jobID":7}`, `{"jobID":"job_1_1"}`, "nonsense"} {
		if jobs, err := readTrace(strings.NewReader(bad)); err == nil {
			t.Errorf("%q is a trace of %d jobs", bad, len(jobs))
		}
	}
}

func FuzzTrace(f *testing.F) {
	f.Add(two)
	f.Add(two[:len(two)/2])
	f.Fuzz(func(t *testing.T, text string) {
		jobs, err := readTrace(strings.NewReader(text))
		if err != nil {
			return
		}
		for _, w := range Group(jobs) {
			span := time.Duration(0)
			for _, j := range w.Jobs {
				span = max(span, j.Last.Sub(w.Jobs[0].Submitted))
			}
			src, err := NewSource(w, max(time.Second, span/8))
			if err != nil {
				continue
			}
			for range 20 {
				if _, err := src.Next(context.Background()); err != nil {
					break
				}
			}
		}
	})
}

// TestEndlessBadJobs: a trace of jobs that are none is given up soon.
func TestEndlessBadJobs(t *testing.T) {
	for _, bad := range []string{"1\n", "{}\n", `{"jobID":"job_1_0001"}` + "\n"} {
		if _, err := readTrace(fixtures.Endless(two, bad)); err == nil ||
			!strings.Contains(err.Error(), "rumen: job 1003 of the trace: more than 1000 lines in a row") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
