package mapreduce

import (
	"slices"
	"strconv"
	"strings"

	"github.com/paratimer/paratimer/adapters/internal/loose"
	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/dag"
)

// Responses about a job. ApplicationMaster and JobHistoryServer use the same names (docs/facts/hadoop.md A4, A5).

type jobBody struct {
	Job rest.Box[wireJob] `json:"job"`
}

type wireJob struct {
	ID          loose.Label     `json:"id"`
	Name        loose.Label     `json:"name"`
	State       loose.Label     `json:"state"`
	Diagnostics loose.Diagnosis `json:"diagnostics"`
	Submitted   loose.Optional  `json:"submitTime"` // history server only
	Started     loose.Optional  `json:"startTime"`
	Finished    loose.Optional  `json:"finishTime"`
	Maps        loose.Optional  `json:"mapsTotal"`
	Reduces     loose.Optional  `json:"reducesTotal"`
	MapsDone    loose.Optional  `json:"mapsCompleted"`
	ReducesDone loose.Optional  `json:"reducesCompleted"`
	// Tasks in state SCHEDULED, in the master's response only.
	MapsPending    loose.Optional `json:"mapsPending"`
	ReducesPending loose.Optional `json:"reducesPending"`
	MapsRunning    loose.Optional `json:"mapsRunning"`
	ReducesRunning loose.Optional `json:"reducesRunning"`
	MapProgress    loose.Optional `json:"mapProgress"`
	ReduceProgress loose.Optional `json:"reduceProgress"`
}

type tasksBody struct {
	Tasks rest.Box[struct {
		Task rest.List[wireTask] `json:"task"`
	}] `json:"tasks"`
}

type wireTask struct {
	ID         loose.Label    `json:"id"`
	State      loose.Label    `json:"state"`
	Started    loose.Optional `json:"startTime"` // of a SCHEDULED task: when it was scheduled
	Finished   loose.Optional `json:"finishTime"`
	Progress   loose.Optional `json:"progress"`
	Successful loose.Label    `json:"successfulAttempt"`
}

type appAttemptsBody struct {
	Attempts rest.Box[struct {
		Attempt rest.List[struct {
			ID      loose.Optional `json:"id"`
			Avoided loose.Label    `json:"blacklistedNodes"`
		}] `json:"appAttempt"`
	}] `json:"appAttempts"`
}

// newest returns the highest attempt number; 0 if there is none.
func (b *appAttemptsBody) newest() int {
	n := 0
	for _, a := range b.Attempts.V.Attempt {
		n = max(n, a.ID.Count(1<<20))
	}
	return n
}

type attemptsBody struct {
	Attempts rest.Box[struct {
		Attempt rest.List[wireAttempt] `json:"taskAttempt"`
	}] `json:"taskAttempts"`
}

// mostAttempts bounds the attempts of one task that are kept from a response. By default a task fails with its
// fourth failed attempt.
const mostAttempts = 1000

// newest keeps only the last mostAttempts attempts, which are the newest, and returns how many there were.
func (b *attemptsBody) newest() int {
	all := b.Attempts.V.Attempt
	if len(all) > mostAttempts {
		b.Attempts.V.Attempt = slices.Clone(all[len(all)-mostAttempts:])
	}
	return len(all)
}

type wireAttempt struct {
	ID          loose.Label     `json:"id"`
	State       loose.Label     `json:"state"`
	Started     loose.Optional  `json:"startTime"`
	Finished    loose.Optional  `json:"finishTime"`
	Progress    loose.Optional  `json:"progress"`
	Node        loose.Label     `json:"nodeHttpAddress"`
	Diagnostics loose.Diagnosis `json:"diagnostics"`
	CopyEnd     loose.Optional  `json:"shuffleFinishTime"`
	SortEnd     loose.Optional  `json:"mergeFinishTime"`
}

type confBody struct {
	Conf rest.Box[struct {
		Properties rest.List[wireProperty] `json:"property"`
	}] `json:"conf"`
}

type wireProperty struct {
	Name  loose.Raw `json:"name"`
	Value loose.Raw `json:"value"`
}

// taskID parses the kind and index of task_TS_JOB_m_000003; ok is false for anything else.
func taskID(id string) (kind dag.StageIndex, index int32, ok bool) {
	part := strings.Split(id, "_")
	if len(part) != 5 || part[0] != "task" {
		return 0, 0, false
	}
	return kindIndex(part[3], part[4])
}

// attemptID parses the task and the number of attempt_TS_JOB_r_000003_1; ok is false for anything else.
func attemptID(id string) (kind dag.StageIndex, index, number int32, ok bool) {
	part := strings.Split(id, "_")
	if len(part) != 6 || part[0] != "attempt" {
		return 0, 0, 0, false
	}
	n, err := strconv.ParseInt(part[5], 10, 31)
	if err != nil || n < 0 {
		return 0, 0, 0, false
	}
	kind, index, ok = kindIndex(part[3], part[4])
	return kind, index, int32(n), ok
}

func kindIndex(k, i string) (dag.StageIndex, int32, bool) {
	n, err := strconv.ParseInt(i, 10, 31)
	if err != nil || n < 0 || n >= maxTasks {
		return 0, 0, false
	}
	switch k {
	case "m":
		return dag.Map, int32(n), true
	case "r":
		return dag.Reduce, int32(n), true
	}
	return 0, 0, false
}

// maxTasks bounds the tasks of a phase, whatever a response claims.
const maxTasks = 4 << 20
