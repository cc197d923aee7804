package spark

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// A busy driver runs 16 and then 8 tasks of 3 s on 4 cores, from second 1 to 19.3. It has dropped the ends of some
// tasks, and maybe that of its job, so that its answers never have them.
type busy struct {
	dropped []int // task ids
	job     bool
}

func (b *busy) timestamp(second float64) string {
	return time.UnixMilli(1_760_000_000_000+int64(second*1000)).UTC().Format("2006-01-02T15:04:05.000") + "GMT"
}

// report gives an application the driver's responses at a second.
func (b *busy) report(a *App, now float64) {
	at := dag.Instant(1_760_000_000_000 + int64(now*1000))
	a.round++
	a.TakeApplication([]byte(`{"id":"app-1","name":"nightly","attempts":[{"completed":false}]}`))
	took(a, at, "allexecutors", `[{"id":"1","hostPort":"node1:1","isActive":true,"maxTasks":4,"addTime":"`+b.timestamp(0.5)+`"}]`)
	status, end := "RUNNING", ""
	if now >= 19.3 && !b.job {
		status, end = "SUCCEEDED", fmt.Sprintf(`,"completionTime":%q`, b.timestamp(19.3))
	}
	took(a, at, "jobs", fmt.Sprintf(`[{"jobId":0,"stageIds":[0,1],"status":%q,"submissionTime":%q%s}]`, status, b.timestamp(1), end))
	id := 0
	for stage, of := range []struct {
		tasks      int
		begin, end float64
	}{{16, 1, 13}, {8, 13.2, 19.2}} {
		var rows []string
		complete := 0
		for i := range of.tasks {
			launch := of.begin + float64(i/4)*3
			run := launch+3 > now || slices.Contains(b.dropped, id)
			row := fmt.Sprintf(`{"taskId":%d,"index":%d,"partitionId":%d,"launchTime":%q,"executorId":"1","status":"RUNNING"}`,
				id, i, i, b.timestamp(launch))
			if !run {
				row = strings.Replace(row, `"RUNNING"`, `"SUCCESS","duration":3000`, 1)
				complete++
			}
			if id++; launch <= now {
				rows = append(rows, row)
			}
		}
		status, more := "PENDING", ""
		if now >= of.begin {
			status, more = "ACTIVE", fmt.Sprintf(`,"submissionTime":%q`, b.timestamp(of.begin))
		}
		if now >= of.end {
			status, more = "COMPLETE", more+fmt.Sprintf(`,"completionTime":%q`, b.timestamp(of.end))
		}
		took(a, at, "stages", fmt.Sprintf(`[{"stageId":%d,"attemptId":0,"numTasks":%d,"numCompleteTasks":%d,"status":%q,"rddIds":[%d]%s}]`,
			stage, of.tasks, complete, status, stage, more))
		if now >= of.begin {
			took(a, at, fmt.Sprintf("stages/%d/0/taskList", stage), "["+strings.Join(rows, ",")+"]")
		}
	}
}

// TestDroppedLive checks that a completed stage has no running task, that no more tasks run than there are cores, and
// that a job is over once its last stage is, although the driver never saw their ends.
func TestDroppedLive(t *testing.T) {
	t.Parallel()
	b := &busy{dropped: []int{5, 9, 14, 18}, job: true}
	a := NewApp("")
	var s *dag.Snapshot
	for now := 1.5; now < 60; now++ {
		b.report(a, now)
		var ok bool
		if s, ok = a.Snapshot(dag.Instant(1_760_000_000_000+int64(now*1000)), false); !ok {
			t.Fatal("no job")
		}
		valid(t, s)
		first, second := s.Jobs[0].Stages[0].Running(), s.Jobs[0].Stages[1].Running()
		if first+second > 4 || now > 13 && first > 0 || now > 19.2 && second > 0 {
			t.Fatalf("at second %v %d and %d tasks run on 4 cores", now, first, second)
		}
	}
	if n := s.Jobs[0].Stages[0].Succeeded() + s.Jobs[0].Stages[1].Succeeded(); n != 24 || !a.jobs[0].hasEnded() {
		t.Errorf("%d tasks succeeded, the job is %s", n, a.jobs[0].status)
	}
	if !slices.ContainsFunc(s.Warnings, func(w dag.Warning) bool {
		return strings.Contains(w.Text, "missing: 4 events")
	}) {
		t.Errorf("warnings %+v", s.Warnings)
	}
}
