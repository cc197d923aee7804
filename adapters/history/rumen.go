package history

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/adapters/internal/input"
	"github.com/paratimer/paratimer/adapters/mrjob"
)

// maxTraced bounds the bytes of a job in a trace. An attempt takes 2 KB.
const maxTraced = 512 << 20

// A tracedJob is Rumen's LoggedJob, a summary of a job's history: of Hadoop 0.20 (no times within attempts), of 0.21
// and later (with clockSplits), or of YARN. Some of its fields have the names of an event's. -1 and null mean unknown.
type tracedJob struct {
	event
	UserName    label                                 `json:"user"`
	QueueName   label                                 `json:"queue"`
	Outcome     optional[string]                      `json:"outcome"`
	Properties  optional[map[string]optional[string]] `json:"jobProperties"`
	MapTasks    optional[[]tracedTask]                `json:"mapTasks"`
	ReduceTasks optional[[]tracedTask]                `json:"reduceTasks"`
}

type tracedTask struct {
	Attempts optional[[]tracedAttempt] `json:"attempts"`
}

// A tracedAttempt is an attempt's event, and all of its numbers by name. -1 means unknown.
type tracedAttempt struct {
	event
	Result  optional[string]            `json:"result"`
	Used    optional[map[string]number] `json:"resourceUsageMetrics"`
	numbers map[string]number
}

// tracedCounters are the counters of attempts by their names in a trace.
var tracedCounters = []struct{ traced, group, name string }{
	{"hdfsBytesRead", "FileSystemCounter", "HDFS_BYTES_READ"},
	{"hdfsBytesWritten", "FileSystemCounter", "HDFS_BYTES_WRITTEN"},
	{"fileBytesRead", "FileSystemCounter", "FILE_BYTES_READ"},
	{"fileBytesWritten", "FileSystemCounter", "FILE_BYTES_WRITTEN"},
	{"mapInputRecords", "TaskCounter", "MAP_INPUT_RECORDS"},
	{"mapOutputRecords", "TaskCounter", "MAP_OUTPUT_RECORDS"},
	{"reduceInputRecords", "TaskCounter", "REDUCE_INPUT_RECORDS"},
	{"reduceOutputRecords", "TaskCounter", "REDUCE_OUTPUT_RECORDS"},
	{"reduceShuffleBytes", "TaskCounter", "REDUCE_SHUFFLE_BYTES"},
}

// tracedEnds are the ends of events' kinds by the outcome of a job or an attempt.
var tracedEnds = map[string]string{"SUCCESS": "FINISHED", "FAILED": "FAILED", "KILLED": "KILLED"}

// readTrace reads the jobs of a Rumen trace: JSON objects of jobs, one after another. If the trace is cut off,
// readTrace returns its complete jobs. Unusable jobs and a cut-off one are left out, and counted in Bad of the last
// job.
func readTrace(r io.Reader) (jobs []*Job, err error) {
	limited := &io.LimitedReader{R: bufio.NewReaderSize(r, 1<<16)}
	d := json.NewDecoder(limited)
	var run input.Streak
	bad := 0
	for n := 1; ; n++ {
		limited.N = maxTraced
		var t tracedJob
		err := d.Decode(&t)
		torn := errors.Is(err, io.ErrUnexpectedEOF)
		switch {
		case limited.N <= 0:
			err = fmt.Errorf("it is longer than %d bytes", maxTraced)
		case n > maxJobs:
			err = fmt.Errorf("more than %d jobs: split the trace", maxJobs)
		case len(jobs) > 0 && (torn || errors.Is(err, io.EOF)):
			if torn {
				bad++ // the cut-off one
			}
			jobs[len(jobs)-1].Bad += bad
			return jobs, nil
		case errors.Is(err, io.EOF):
			return nil, errors.New("rumen: no job in the trace that can be used")
		case err == nil && t.Job != "" && t.Submitted.instant().Known():
			run.Good()
			jobs = append(jobs, t.job())
		case err == nil, errors.As(err, new(*json.UnmarshalTypeError)):
			bad++
			err = run.Bad()
		}
		if err != nil {
			return nil, fmt.Errorf("rumen: job %d of the trace: %w", n, err)
		}
	}
}

// job converts the job of the trace, by the events of its history.
func (t *tracedJob) job() *Job {
	b := builder{job: newJob(string(t.Job)), attempts: map[string]*Attempt{}}
	b.job.Slots = beforeYARN(b.job.ID)
	t.User, t.Queue = t.UserName, t.QueueName
	b.takeAs("JOB_SUBMITTED", &t.event)
	b.takeAs("JOB_INITED", &t.event)
	b.trace("MAP", t.MapTasks.v)
	b.trace("REDUCE", t.ReduceTasks.v)
	b.takeAs("JOB_"+tracedEnds[t.Outcome.v], &t.event)
	var list []mrjob.Property
	for _, name := range slices.Sorted(maps.Keys(t.Properties.v)) {
		list = append(list, mrjob.Property{Name: name, Value: t.Properties.v[name].v})
	}
	if list != nil {
		b.job.Configure(list)
	}
	b.job.Bad = b.bad
	return b.job
}

// trace takes the events of tasks.
func (b *builder) trace(kind string, tasks []tracedTask) {
	for i := range tasks {
		for k := range tasks[i].Attempts.v {
			a := &tasks[i].Attempts.v[k]
			a.complete()
			b.takeAs(kind+"_ATTEMPT_STARTED", &a.event)
			b.takeAs(kind+"_ATTEMPT_"+tracedEnds[a.Result.v], &a.event)
		}
	}
}

func (b *builder) takeAs(kind string, e *event) {
	e.kind = kind
	b.take(e)
}

// UnmarshalJSON reads an attempt.
func (a *tracedAttempt) UnmarshalJSON(b []byte) error {
	type plain tracedAttempt
	a.numbers = decoded[map[string]number](b)
	return json.Unmarshal(b, (*plain)(a))
}

// complete fills in the event's fields that have other names in a trace.
func (a *tracedAttempt) complete() {
	host := a.Host[strings.LastIndexByte(string(a.Host), '/')+1:] // of /rack/host
	a.Tracker = label(strings.ReplaceAll(string(host), `\.`, "."))
	a.CopyEnd, a.SortEnd = a.numbers["shuffleFinished"], a.numbers["sortFinished"]
	for _, c := range tracedCounters {
		if n := a.numbers[c.traced]; n.Known && n.V >= 0 {
			a.Counters = append(a.Counters, mrjob.Counter{Group: c.group, Name: c.name, Value: n.V})
		}
	}
	if cpu := a.Used.v["cumulativeCpuUsage"]; cpu.V > 0 { // Rumen writes 0 for unmeasured times
		a.Counters = append(a.Counters, mrjob.Counter{Group: "TaskCounter", Name: "CPU_MILLISECONDS", Value: cpu.V})
	}
}

// beforeYARN reports whether a job id is from before YARN. A JobTracker's start in it is a date, a ResourceManager's
// is in milliseconds since the epoch.
func beforeYARN(id string) bool {
	part := strings.Split(id, "_")
	return len(part) == 3 && len(part[1]) == len("200904211745")
}
