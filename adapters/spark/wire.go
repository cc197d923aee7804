package spark

import (
	"bytes"
	"time"

	"github.com/paratimer/paratimer/adapters/internal/input"
	"github.com/paratimer/paratimer/dag"
)

// A value of the wrong type is unknown, never an error.

type (
	number = input.Number
	text   = input.Text
)

// A moment is an instant as Spark's REST service writes it, 2026-11-22T15:30:42.878GMT, or as an event log does, in
// milliseconds since the epoch. 0 is unknown.
type moment dag.Instant

const momentForm = "2006-01-02T15:04:05.000MST"

// UnmarshalJSON reads any value.
func (m *moment) UnmarshalJSON(b []byte) error {
	s := string(bytes.Trim(b, `"`))
	n := number(input.ParseOptional(s).V)
	if t, err := time.Parse(momentForm, s); err == nil {
		n = number(t.UnixMilli())
	}
	*m = moment(max(0, n.Instant()))
	return nil
}

// at returns the instant, or NoInstant if it is unknown.
func (m moment) at() dag.Instant {
	if m <= 0 {
		return dag.NoInstant
	}
	return dag.Instant(m)
}

type wireApp struct {
	ID       text
	Name     text
	Attempts []struct {
		AttemptID text
		StartTime moment
		EndTime   moment
		SparkUser text
		Completed bool
		Duration  number
		Version   text `json:"appSparkVersion"`
	}
}

type wireJob struct {
	JobID          *number
	Name           text
	Description    text
	SubmissionTime moment
	CompletionTime moment
	StageIDs       []number
	JobGroup       text
	Status         text
}

// A stageRow is what is reported about an attempt of a stage.
type stageRow struct {
	ID        *number `json:"stageId"`
	Try       number  `json:"attemptId"`
	Name      text
	Tasks     *number  `json:"numTasks"`
	RDDs      []number `json:"rddIds"`
	Submitted moment   `json:"submissionTime"`
	Completed moment   `json:"completionTime"`
	Failure   text     `json:"failureReason"`
	Status    text
	Complete  number `json:"numCompleteTasks"`
	RunTime   number `json:"executorRunTime"`
	Written   number `json:"shuffleWriteRecords"`
	Pool      text   `json:"schedulingPool"`
	Push      bool   `json:"isShufflePushEnabled"`
}

// A loggedStage is the same in an event log, without the progress.
type loggedStage struct {
	ID    *number `json:"Stage ID"`
	Try   number  `json:"Stage Attempt ID"`
	Name  text    `json:"Stage Name"`
	Tasks *number `json:"Number of Tasks"`
	RDDs  []struct {
		ID number `json:"RDD ID"`
	} `json:"RDD Info"`
	Parents   []number `json:"Parent IDs"`
	Submitted moment   `json:"Submission Time"`
	Completed moment   `json:"Completion Time"`
	Failure   text     `json:"Failure Reason"`
}

type wireTask struct {
	TaskID      number
	Index       number
	PartitionID *number
	LaunchTime  moment
	Duration    *number
	ExecutorID  text
	Status      text
	Error       text `json:"errorMessage"`
	Metrics     *struct {
		Input  records `json:"inputMetrics"`
		Output records `json:"outputMetrics"`
		Read   records `json:"shuffleReadMetrics"`
		Write  records `json:"shuffleWriteMetrics"`
	} `json:"taskMetrics"`
}

// records are what a task has read or written.
type records struct {
	Read    number `json:"recordsRead"`
	Written number `json:"recordsWritten"`
	Push    struct {
		Requests number `json:"remoteMergedReqsDuration"`
		Blocks   number `json:"remoteMergedBlocksFetched"`
	} `json:"shufflePushReadMetrics"`
}

// loggedRecords are the same in an event log.
type loggedRecords struct {
	Read            number `json:"Records Read"`
	Written         number `json:"Records Written"`
	ShuffledRead    number `json:"Total Records Read"`
	ShuffledWritten number `json:"Shuffle Records Written"`
}

type wireExecutor struct {
	ID           text
	HostPort     text
	IsActive     bool
	MaxTasks     number
	AddTime      moment
	RemoveTime   moment
	RemoveReason text
	IsExcluded   bool
}

type wireSQL struct {
	ID             *number
	Status         text
	Description    text
	SubmissionTime moment
	Duration       number
	RunningJobIDs  []number
	SuccessJobIDs  []number
	FailedJobIDs   []number
}

// millis returns a time in milliseconds as a difference of instants.
func millis(ms number) dag.Instant { return dag.Instant(min(float64(ms), 1<<43)) }

func positive[T ~float64](n T) float64 {
	if n > 0 {
		return float64(n)
	}
	return 0
}
