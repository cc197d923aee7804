package tap

import (
	"fmt"
	"regexp"
	"strconv"
)

// An Attempt is a parsed id of a task attempt.
type Attempt struct {
	Job    string // job_1700000000000_0001
	Reduce bool   // else a map
	Task   int    // index within the job's maps or reduces
	Number int    // 0 for the first; after a restart of the application master from 1000 on
}

// Hadoop's ids of jobs that run within the client contain "local".
var attemptID = regexp.MustCompile(`^attempt_((?:local)?[0-9]{1,19}_[0-9]{4,9})_([mr])_([0-9]{6,8})_([0-9]{1,9})$`)

// ParseAttempt parses an id such as attempt_1700000000000_0001_r_000003_0.
func ParseAttempt(id string) (Attempt, error) {
	m := attemptID.FindStringSubmatch(id)
	if m == nil {
		return Attempt{}, fmt.Errorf("%.80q is not an id of a task attempt: attempt_TIME_JOB_r_TASK_NUMBER is one", id)
	}
	task, _ := strconv.Atoi(m[3])
	number, _ := strconv.Atoi(m[4])
	return Attempt{Job: "job_" + m[1], Reduce: m[2] == "r", Task: task, Number: number}, nil
}
