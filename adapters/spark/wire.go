package spark

import (
	"encoding/json"
	"time"

	"github.com/paratimer/paratimer/adapters/internal/loose"
	"github.com/paratimer/paratimer/dag"
)

// A value of the wrong type is unknown, never an error.

type (
	number = loose.Number
	text   = loose.Text
)

// A moment is an instant as Spark's REST service writes it: 2026-11-22T15:30:42.878GMT.
type moment dag.Instant

const momentForm = "2006-01-02T15:04:05.000MST"

func (m *moment) UnmarshalJSON(b []byte) error {
	*m = moment(dag.NoInstant)
	var s string
	if len(b) > 0 && b[0] == '"' && json.Unmarshal(b, &s) == nil {
		t, err := time.Parse(momentForm, s)
		if ms := t.UnixMilli(); err == nil && ms > 0 && ms < 1<<43 {
			*m = moment(ms)
		}
	}
	return nil
}

// at returns the instant, or NoInstant if the field is missing.
func (m *moment) at() dag.Instant {
	if m == nil {
		return dag.NoInstant
	}
	return dag.Instant(*m)
}

type wireApp struct {
	ID       text
	Name     text
	Attempts []struct {
		AttemptID text
		StartTime *moment
		EndTime   *moment
		SparkUser text
		Completed bool
		Duration  number
		Version   text `json:"appSparkVersion"`
	}
}

type wireJob struct {
	JobID          number
	Name           text
	Description    text
	SubmissionTime *moment
	CompletionTime *moment
	StageIDs       []number
	JobGroup       text
	Status         text
}

type wireStage struct {
	Status        text
	StageID       number
	AttemptID     number
	NumTasks      number
	NumComplete   number  `json:"numCompleteTasks"`
	NumIndices    number  `json:"numCompletedIndices"`
	Submission    *moment `json:"submissionTime"`
	Completion    *moment `json:"completionTime"`
	FailureReason text
	RunTime       number `json:"executorRunTime"`
	Written       number `json:"shuffleWriteRecords"`
	Name          text
	Description   text
	Pool          text `json:"schedulingPool"`
	RDDIDs        []number
	PushEnabled   bool `json:"isShufflePushEnabled"`
}

type wireTask struct {
	TaskID      number
	Index       number
	Attempt     number
	PartitionID *number
	LaunchTime  *moment
	Duration    *number
	ExecutorID  text
	Host        text
	Status      text
	Speculative bool
	Error       text         `json:"errorMessage"`
	Metrics     *wireMetrics `json:"taskMetrics"`
}

type wireMetrics struct {
	Input struct {
		Records number `json:"recordsRead"`
		Bytes   number `json:"bytesRead"`
	} `json:"inputMetrics"`
	Output struct {
		Records number `json:"recordsWritten"`
	} `json:"outputMetrics"`
	Read struct {
		Records number `json:"recordsRead"`
		Push    struct {
			Requests number `json:"remoteMergedReqsDuration"`
			Blocks   number `json:"remoteMergedBlocksFetched"`
		} `json:"shufflePushReadMetrics"`
	} `json:"shuffleReadMetrics"`
	Write struct {
		Records number `json:"recordsWritten"`
	} `json:"shuffleWriteMetrics"`
}

type wireExecutor struct {
	ID           text
	HostPort     text
	IsActive     bool
	TotalCores   number
	MaxTasks     number
	AddTime      *moment
	RemoveTime   *moment
	RemoveReason text
	IsExcluded   bool
}

type wireEnvironment struct {
	Properties [][]text `json:"sparkProperties"`
}
