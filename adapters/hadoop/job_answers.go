package hadoop

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/dag"
)

// Responses about a job. ApplicationMaster and JobHistoryServer use the same names (docs/facts/hadoop.md A4, A5).

type jobBody struct {
	Job rest.Box[wireJob] `json:"job"`
}

type wireJob struct {
	ID          text      `json:"id"`
	Name        text      `json:"name"`
	State       text      `json:"state"`
	Diagnostics diagnosis `json:"diagnostics"`
	Submitted   num       `json:"submitTime"` // history server only
	Started     num       `json:"startTime"`
	Finished    num       `json:"finishTime"`
	Maps        num       `json:"mapsTotal"`
	Reduces     num       `json:"reducesTotal"`
	MapsDone    num       `json:"mapsCompleted"`
	ReducesDone num       `json:"reducesCompleted"`
	// Tasks in state SCHEDULED, in the master's response only.
	MapsPending    num `json:"mapsPending"`
	ReducesPending num `json:"reducesPending"`
	MapsRunning    num `json:"mapsRunning"`
	ReducesRunning num `json:"reducesRunning"`
	MapProgress    num `json:"mapProgress"`
	ReduceProgress num `json:"reduceProgress"`
}

type tasksBody struct {
	Tasks rest.Box[struct {
		Task rest.List[wireTask] `json:"task"`
	}] `json:"tasks"`
}

type wireTask struct {
	ID         text `json:"id"`
	State      text `json:"state"`
	Started    num  `json:"startTime"` // of a SCHEDULED task: when it was scheduled
	Finished   num  `json:"finishTime"`
	Progress   num  `json:"progress"`
	Successful text `json:"successfulAttempt"`
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
	ID          text      `json:"id"`
	State       text      `json:"state"`
	Started     num       `json:"startTime"`
	Finished    num       `json:"finishTime"`
	Progress    num       `json:"progress"`
	Node        text      `json:"nodeHttpAddress"`
	Diagnostics diagnosis `json:"diagnostics"`
	CopyEnd     num       `json:"shuffleFinishTime"`
	SortEnd     num       `json:"mergeFinishTime"`
}

type confBody struct {
	Conf rest.Box[struct {
		Properties rest.List[wireProperty] `json:"property"`
	}] `json:"conf"`
}

type wireProperty struct {
	Name  anyText `json:"name"`
	Value anyText `json:"value"`
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

// byID orders application and job ids as the ResourceManager does: cluster start, then number.
func byID(a, b string) int {
	pa, pb := strings.Split(a, "_"), strings.Split(b, "_")
	for i := 1; i < min(len(pa), len(pb)); i++ {
		if c := cmp.Or(cmp.Compare(len(pa[i]), len(pb[i])), cmp.Compare(pa[i], pb[i])); c != 0 {
			return c
		}
	}
	return cmp.Compare(a, b)
}
