package mapreduce

import (
	"strings"

	"github.com/paratimer/paratimer/adapters/internal/loose"
	"github.com/paratimer/paratimer/adapters/mrjob"
	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/dag"
)

// Responses about a job. ApplicationMaster and JobHistoryServer use the same names (docs/facts/hadoop.md A4, A5).

type jobBody struct {
	Job rest.Box[wireJob] `json:"job"`
}

type wireJob struct {
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

// newest returns the highest attempt number, 0 if there is none, and the hosts that this master avoids.
func (b *appAttemptsBody) newest() (number int, avoided []string) {
	for _, a := range b.Attempts.V.Attempt {
		if n := a.ID.Count(1 << 20); n >= number {
			number, avoided = n, strings.Fields(strings.ReplaceAll(string(a.Avoided), ",", " "))
		}
	}
	return number, avoided
}

type attemptsBody struct {
	Attempts rest.Box[struct {
		Attempt rest.List[wireAttempt] `json:"taskAttempt"`
	}] `json:"taskAttempts"`
}

// mostAttempts bounds the attempts of one task that are kept from a response. By default a task fails with its
// fourth failed attempt.
const mostAttempts = 1000

// of returns copies of the attempts of a task, of very many the newest, which come last.
func (b *attemptsBody) of(kind dag.StageIndex, index int32) []wireAttempt {
	all := b.Attempts.V.Attempt
	var out []wireAttempt
	for _, w := range all[max(0, len(all)-mostAttempts):] {
		k, task, n, ok := mrjob.AttemptOf(string(w.ID))
		if w.number = n; ok && k == kind && task == index {
			out = append(out, w)
		}
	}
	return out
}

type wireAttempt struct {
	number int32

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

// tasksOf returns a number of tasks, within bounds whatever a response claims.
func tasksOf(n loose.Optional) int { return n.Count(mrjob.MaxTasks) }
