package history

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// A nodeTask is a task by the JobTracker's clock and its attempt by the clock of a node, in seconds.
type nodeTask struct {
	kind                 string
	number               int
	node                 string
	from, to, begin, end int
	shuffled, sorted     int
}

const trackerOrigin = 1_700_000_000

// trackerHistory is the history of a job that runs from second 0 to 34.
func trackerHistory(tasks ...nodeTask) string {
	var b strings.Builder
	at := func(second int) string { return fmt.Sprintf("%d000", trackerOrigin+second) }
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+" .\n", args...) }
	line(`Meta VERSION="1"`)
	line(`Job JOBID="job_201109281530_0001" JOBNAME="wordcount" USER="me" SUBMIT_TIME="%s"`, at(0))
	line(`Job JOBID="job_201109281530_0001" LAUNCH_TIME="%s" TOTAL_MAPS="2" TOTAL_REDUCES="1" JOB_STATUS="PREP"`, at(1))
	for _, t := range tasks {
		id := fmt.Sprintf("201109281530_0001_%s_%06d", strings.ToLower(t.kind[:1]), t.number)
		kind := t.kind[:1] + strings.ToLower(t.kind[1:]) + "Attempt"
		line(`Task TASKID="task_%s" TASK_TYPE="%s" START_TIME="%s" SPLITS=""`, id, t.kind, at(t.from))
		line(`%s TASK_TYPE="%s" TASKID="task_%s" TASK_ATTEMPT_ID="attempt_%s_0" START_TIME="%s" TRACKER_NAME="tracker_%s:localhost/127\.0\.0\.1:1" HTTP_PORT="50060"`,
			kind, t.kind, id, id, at(t.begin), t.node)
		more := ""
		if t.shuffled != 0 {
			more = fmt.Sprintf(` SHUFFLE_FINISHED="%s" SORT_FINISHED="%s"`, at(t.shuffled), at(t.sorted))
		}
		line(`%s TASK_TYPE="%s" TASKID="task_%s" TASK_ATTEMPT_ID="attempt_%s_0" TASK_STATUS="SUCCESS"%s FINISH_TIME="%s" HOSTNAME="/default-rack/%s" COUNTERS=""`,
			kind, t.kind, id, id, more, at(t.end), t.node)
		line(`Task TASKID="task_%s" TASK_TYPE="%s" TASK_STATUS="SUCCESS" FINISH_TIME="%s" COUNTERS=""`, id, t.kind, at(t.to))
	}
	line(`Job JOBID="job_201109281530_0001" FINISH_TIME="%s" JOB_STATUS="SUCCESS" FINISHED_MAPS="2" FINISHED_REDUCES="1" COUNTERS=""`, at(34))
	return b.String()
}

// TestNodeClocks holds that attempts lie within their tasks although the clock of a node is wrong, and that a warning
// says by how much.
func TestNodeClocks(t *testing.T) {
	t.Parallel()
	for _, off := range []int{0, -500, 500, -968, 86_400, -7} {
		history := trackerHistory(
			nodeTask{kind: "MAP", node: "n1", from: 3, to: 15, begin: 4, end: 14},
			nodeTask{kind: "MAP", number: 1, node: "n2", from: 3, to: 15, begin: 4 + off, end: 14 + off},
			nodeTask{
				kind: "REDUCE", node: "n2", from: 15, to: 33, begin: 16 + off, end: 32 + off, shuffled: 25 + off, sorted: 26 + off,
			})
		j := readTracker(t, history)
		if j.Last != second(34) {
			t.Errorf("%d s: the history ends at %d", off, j.Last-second(0))
		}
		r := j.Attempts[dag.Reduce][0]
		for _, w := range []struct{ got, want dag.Instant }{
			{j.Attempts[dag.Map][0].Start, second(4)},
			{j.Attempts[dag.Map][1].Start, second(4)},
			{j.Attempts[dag.Map][1].End, second(14)},
			{r.Start, second(16)},
			{r.CopyEnd, second(25)},
			{r.SortEnd, second(26)},
			{r.End, second(32)},
		} {
			if w.got != w.want {
				t.Errorf("%d s: at %d ms instead of %d", off, w.got-second(0), w.want-second(0))
			}
		}
		way := "behind"
		if off > 0 {
			way = "ahead"
		}
		warned := len(j.Clocks) == 1 && strings.Contains(j.Clocks[0], "the clock of node n2 is about ") &&
			strings.Contains(j.Clocks[0], way)
		if warned != (off != 0) || off == -500 && !strings.Contains(j.Clocks[0], "8m20s behind") {
			t.Errorf("%d s: %q", off, j.Clocks)
		}
	}
}

// TestNodeClockThatSteps holds that attempts lie within their tasks also if the clock of their node was set between
// them, or while one ran.
func TestNodeClockThatSteps(t *testing.T) {
	t.Parallel()
	for name, tasks := range map[string][]nodeTask{
		"between": {
			{kind: "MAP", node: "n2", from: 3, to: 15, begin: -496, end: -486},
			{kind: "MAP", number: 1, node: "n2", from: 3, to: 15, begin: 4, end: 14},
			{kind: "REDUCE", node: "n2", from: 15, to: 33, begin: 16, end: 32, shuffled: 25, sorted: 26},
		},
		"while one ran": {
			{kind: "MAP", node: "n1", from: 3, to: 15, begin: 4, end: 14},
			{kind: "MAP", number: 1, node: "n2", from: 3, to: 15, begin: -3596, end: 14},
			{kind: "REDUCE", node: "n2", from: 15, to: 33, begin: 16, end: 3632, shuffled: 3625, sorted: 3626},
		},
	} {
		j := readTracker(t, trackerHistory(tasks...))
		for k, list := range j.Attempts {
			for _, a := range list {
				from, to := second(3), second(15)
				if k == int(dag.Reduce) {
					from, to = second(15), second(33)
				}
				if a.Start < from-1000 || a.End > to+1000 || a.End < a.Start {
					t.Errorf("%s: %s attempt %d from %d to %d ms", name, []string{"map", "reduce"}[k], a.Task, a.Start-second(0),
						a.End-second(0))
				}
			}
		}
		if len(j.Clocks) == 0 || j.Last != second(34) {
			t.Errorf("%s: it ends at %d ms, %q", name, j.Last-second(0), j.Clocks)
		}
	}
}

func second(n int) dag.Instant {
	return dag.Instant(trackerOrigin * 1000).Add(time.Duration(n) * time.Second)
}

func readTracker(t *testing.T, history string) *Job {
	t.Helper()
	jobs, err := readEvents(strings.NewReader(history))
	if err != nil || len(jobs) != 1 {
		t.Fatal(len(jobs), err)
	}
	return jobs[0]
}
