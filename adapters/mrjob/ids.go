package mrjob

import (
	"strconv"
	"strings"

	"github.com/paratimer/paratimer/dag"
)

// MaxTasks bounds the tasks of a phase, whatever a response claims.
const MaxTasks = 4 << 20

// TaskOf parses task_TS_JOB_m_000003, the id of a task; ok is false for anything else.
func TaskOf(id string) (job string, kind dag.StageIndex, task int32, ok bool) {
	part := strings.Split(id, "_")
	if len(part) != 5 || part[0] != "task" {
		return "", 0, 0, false
	}
	kind, task, ok = kindIndex(part[3], part[4])
	return "job_" + part[1] + "_" + part[2], kind, task, ok
}

// AttemptOf parses attempt_TS_JOB_r_000003_1, the id of an attempt; ok is false for anything else.
func AttemptOf(id string) (kind dag.StageIndex, task, number int32, ok bool) {
	part := strings.Split(id, "_")
	if len(part) != 6 || part[0] != "attempt" {
		return 0, 0, 0, false
	}
	n, err := strconv.ParseInt(part[5], 10, 31)
	if err != nil || n < 0 {
		return 0, 0, 0, false
	}
	kind, task, ok = kindIndex(part[3], part[4])
	return kind, task, int32(n), ok
}

func kindIndex(letter, index string) (dag.StageIndex, int32, bool) {
	n, err := strconv.ParseInt(index, 10, 31)
	if err != nil || n < 0 || n >= MaxTasks {
		return 0, 0, false
	}
	switch letter {
	case "m":
		return dag.Map, int32(n), true
	case "r":
		return dag.Reduce, int32(n), true
	}
	return 0, 0, false
}
