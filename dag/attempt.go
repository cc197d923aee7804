package dag

import (
	"fmt"
	"strings"
)

// Name names an attempt as Hadoop does where its job has a Hadoop id: attempt_1795222440184_0007_m_000006_0.
// Without such an id it is the end of that: m_000006_0.
func (a *Attempt) Name(job string, k Kind) string {
	letter := "m"
	if k == Reduce {
		letter = "r"
	}
	short := fmt.Sprintf("%s_%06d_%d", letter, a.Task, a.Number)
	if id, ok := strings.CutPrefix(job, "job_"); ok {
		return "attempt_" + id + "_" + short
	}
	return short
}

// Preempted says that the attempt was killed to make room, by the scheduler or by its own job: its diagnosis has YARN's word for it.
func (a *Attempt) Preempted() bool {
	return a.State == AttemptKilled && strings.Contains(strings.ToLower(a.Diagnosis), "preempted")
}
