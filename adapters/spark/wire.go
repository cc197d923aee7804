package spark

import (
	"bytes"
	"math"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/paratimer/paratimer/adapters/internal/input"
	"github.com/paratimer/paratimer/dag"
)

// A value of the wrong type is unknown, never an error. The types are those of REST responses. What only a log has is
// at the end of a type: its keys are as likeREST leaves them.

type (
	number = input.Number
	text   = input.Raw
	moment = input.Moment
)

type wireApp struct {
	ID, Name text
	Attempts []struct {
		AttemptID, SparkUser text
		StartTime, EndTime   moment
		Completed            bool
		Duration             number
		Version              text `json:"appSparkVersion"`
	}
}

type wireJob struct {
	JobID                          *number
	Description, JobGroup, Status  text
	JobTags                        []text
	SubmissionTime, CompletionTime moment
	StageIDs                       []number
}

// broadcastText is in the tags, and before Spark 3.5 in the description, of a job with an output that becomes a
// broadcast.
const broadcastText = "broadcast exchange (runId"

// broadcasts reports whether the driver builds a broadcast of the job's output.
func (w *wireJob) broadcasts() bool {
	is := func(t text) bool { return strings.Contains(string(t), broadcastText) }
	return is(w.Description) || slices.ContainsFunc(w.JobTags, is)
}

// A stageRow is a report about an attempt of a stage.
type stageRow struct {
	ID        *number  `json:"stageId"`
	Try       number   `json:"attemptId"`
	Tasks     *number  `json:"numTasks"`
	RDDs      []number `json:"rddIds"`
	Submitted moment   `json:"submissionTime"`
	Completed moment   `json:"completionTime"`
	Failure   text     `json:"failureReason"`
	Complete  number   `json:"numCompleteTasks"`
	RunTime   number   `json:"executorRunTime"`
	Written   number   `json:"shuffleWriteRecords"`
	Pool      text     `json:"schedulingPool"`
	Push      bool     `json:"isShufflePushEnabled"`
	Details   stack

	Name, Status text

	RDDInfo []struct {
		RDDID number
		Scope text // JSON
	}
	ParentIDs []number
}

// A stack reports whether a call stack is that of an execution of SQL.
type stack bool

// UnmarshalJSON reads any value.
func (s *stack) UnmarshalJSON(b []byte) error {
	*s = stack(bytes.Contains(b, []byte("org.apache.spark.sql.")))
	return nil
}

type wireTask struct {
	TaskID, PartitionID, Duration *number
	Index                         number
	LaunchTime                    moment
	GettingResult                 number `json:"gettingResultTime"` // how long; in a log since when
	ExecutorID, Status            text
	Error                         text         `json:"errorMessage"`
	Metrics                       *wireMetrics `json:"taskMetrics"`

	FinishTime     moment
	Failed, Killed bool
	Accumulables   jsontext.Value // with the counters of SQL: a log has many, and few are read
}

// part returns the partition of the task, which is its index unless a job computes only some.
func (w *wireTask) part() int {
	if id := idOf(w.PartitionID); id >= 0 {
		return id
	}
	return w.Index.ID()
}

// wireMetrics are the counters of a task: times are in milliseconds, except those that end in NS.
type wireMetrics struct {
	Deserialize number `json:"executorDeserializeTime"`
	Run         number `json:"executorRunTime"`
	CPUNS       number `json:"executorCpuTime"`
	GC          number `json:"jvmGcTime"`
	Serialize   number `json:"resultSerializationTime"`
	Spilled     number `json:"diskBytesSpilled"`
	Input       struct {
		Bytes   number `json:"bytesRead"`
		Records number `json:"recordsRead"`
	} `json:"inputMetrics"`
	Output struct {
		Records number `json:"recordsWritten"`
	} `json:"outputMetrics"`
	Read struct {
		Wait    number `json:"fetchWaitTime"`
		Remote  number `json:"remoteBytesRead"`
		Local   number `json:"localBytesRead"`
		Records number `json:"recordsRead"`
		Push    struct {
			Requests number `json:"remoteMergedReqsDuration"`
			Blocks   number `json:"remoteMergedBlocksFetched"`
		} `json:"shufflePushReadMetrics"`
	} `json:"shuffleReadMetrics"`
	Write struct {
		NS      number `json:"writeTime"`
		Bytes   number `json:"bytesWritten"`
		Records number `json:"recordsWritten"`
	} `json:"shuffleWriteMetrics"`
}

// of returns the metrics of an ended task. result is the time in which the driver fetched its result.
func (m *wireMetrics) of(result, python dag.Millis) *dag.TaskMetrics {
	return &dag.TaskMetrics{
		Run: lasted(m.Run), CPU: lasted(m.CPUNS / 1e6), GC: lasted(m.GC), Deserialize: lasted(m.Deserialize),
		Result: lasted(m.Serialize) + result, FetchWait: lasted(m.Read.Wait),
		ShuffleWriteTime: lasted(m.Write.NS / 1e6),
		Python:           python, InputBytes: size(m.Input.Bytes), InputRecords: size(m.Input.Records),
		ShuffleReadBytes: size(m.Read.Remote) + size(m.Read.Local), ShuffleReadRecords: size(m.Read.Records),
		ShuffleWriteBytes: size(m.Write.Bytes), ShuffleWriteRecords: size(m.Write.Records),
		SpilledBytes: size(m.Spilled),
	}
}

// written returns the records that a task has written.
func (m *wireMetrics) written() float64 {
	return max(positive(m.Write.Records), positive(m.Output.Records))
}

// lasted returns a time in milliseconds; 0 if it is unknown.
func lasted(ms number) dag.Millis { return dag.Millis(min(positive(ms), math.MaxInt32)) }

// size returns a number of bytes or records; 0 if it is unknown.
func size(n number) float32 { return float32(min(positive(n), 1e18)) }

type wireExecutor struct {
	ID, HostPort, RemoveReason text
	IsActive, IsExcluded       bool
	MaxTasks                   number
	AddTime, RemoveTime        moment
}

type wireSQL struct {
	ID                  *number
	Status, Description text
	Plan                text `json:"planDescription"`
	SubmissionTime      moment
	Duration            number

	RunningJobIDs, SuccessJobIDs, FailedJobIDs []number
}

// millis returns a time in milliseconds as a difference of instants.
func millis(ms number) dag.Instant { return dag.Instant(min(float64(ms), 1<<43)) }

func positive[T ~float64](n T) float64 {
	if n > 0 {
		return float64(n)
	}
	return 0
}
