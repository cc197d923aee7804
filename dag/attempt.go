package dag

import (
	"fmt"
	"strings"
)

// Name names an attempt of a stage as Hadoop does if its job has a Hadoop id: attempt_1795222440184_0007_m_000006_0.
// Without such an id it is the end of that: m_000006_0. A stage that is no map or reduce is named in full: "Reducer
// 2_000006_0".
func (a *Attempt) Name(job, stage string) string {
	letter, hadoop := stage, false
	if stage == "map" || stage == "reduce" {
		letter, hadoop = stage[:1], true
	}
	short := fmt.Sprintf("%s_%06d_%d", letter, a.Task, a.Number)
	if id, ok := strings.CutPrefix(job, "job_"); ok && hadoop {
		return "attempt_" + id + "_" + short
	}
	return short
}

// Preempted says that the attempt was killed to make room, by the scheduler or by its own job: its diagnosis has YARN's
// word for it.
func (a *Attempt) Preempted() bool {
	return a.State == AttemptKilled && strings.Contains(strings.ToLower(a.Diagnosis), "preempted")
}
