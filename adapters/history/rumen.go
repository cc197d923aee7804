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

// tracedCounters are the counters of attempts by their names in a trace.
var tracedCounters = []struct{ traced, group, name string }{
	{"hdfsbytesread", "FileSystemCounter", "HDFS_BYTES_READ"},
	{"hdfsbyteswritten", "FileSystemCounter", "HDFS_BYTES_WRITTEN"},
	{"filebytesread", "FileSystemCounter", "FILE_BYTES_READ"},
	{"filebyteswritten", "FileSystemCounter", "FILE_BYTES_WRITTEN"},
	{"mapinputrecords", "TaskCounter", "MAP_INPUT_RECORDS"},
	{"mapoutputrecords", "TaskCounter", "MAP_OUTPUT_RECORDS"},
	{"reduceinputrecords", "TaskCounter", "REDUCE_INPUT_RECORDS"},
	{"reduceoutputrecords", "TaskCounter", "REDUCE_OUTPUT_RECORDS"},
	{"reduceshufflebytes", "TaskCounter", "REDUCE_SHUFFLE_BYTES"},
	{"cumulativecpuusage", "TaskCounter", "CPU_MILLISECONDS"},
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
		var v any
		err := d.Decode(&v)
		job := eventOf(v)
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
		case err == nil && job.label("jobid") != "" && job.instant("submittime").Known():
			run.Good()
			jobs = append(jobs, tracedJob(job))
		case err == nil:
			bad++
			err = run.Bad()
		}
		if err != nil {
			return nil, fmt.Errorf("rumen: job %d of the trace: %w", n, err)
		}
	}
}

// tracedJob converts a job of a trace, by the events of its history. It is Rumen's LoggedJob, a summary of the history:
// of Hadoop 0.20 (no times within attempts), of 0.21 and later (with clockSplits), or of YARN. Most of its fields have
// the names of events. -1 and null mean unknown.
func tracedJob(t event) *Job {
	b := builder{job: newJob(t.label("jobid")), attempts: map[string]*Attempt{}}
	b.job.Slots = beforeYARN(b.job.ID)
	t["username"], t["jobqueuename"] = t["user"], t["queue"]
	b.take("JOB_SUBMITTED", t)
	b.take("JOB_INITED", t)
	for _, kind := range []string{"map", "reduce"} {
		for _, task := range eventsOf(t[kind+"tasks"]) {
			for _, a := range eventsOf(task["attempts"]) {
				complete(a)
				kind := strings.ToUpper(kind) + "_ATTEMPT_"
				b.take(kind+"STARTED", a)
				b.take(kind+tracedEnds[a.text("result")], a)
			}
		}
	}
	b.take("JOB_"+tracedEnds[t.text("outcome")], t)
	properties, _ := t["jobproperties"].(map[string]any)
	var list []mrjob.Property
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		value, _ := properties[name].(string)
		list = append(list, mrjob.Property{Name: name, Value: value})
	}
	if list != nil {
		b.job.Configure(list)
	}
	b.job.Bad = b.bad
	return b.job
}

// complete gives an attempt of a trace the fields of events.
func complete(a event) {
	host := a.label("hostname")
	host = host[strings.LastIndexByte(host, '/')+1:] // of /rack/host
	a["trackername"] = strings.ReplaceAll(host, `\.`, ".")
	a["shufflefinishtime"], a["sortfinishtime"] = a["shufflefinished"], a["sortfinished"]
	if cpu := eventOf(a["resourceusagemetrics"]).number("cumulativecpuusage"); cpu.V > 0 { // 0 is not measured
		a["cumulativecpuusage"] = cpu.V
	}
	var groups []any
	for _, c := range tracedCounters {
		if n := a.number(c.traced); n.Known && n.V >= 0 {
			counts := []any{map[string]any{"name": c.name, "value": n.V}}
			groups = append(groups, map[string]any{"name": c.group, "counts": counts})
		}
	}
	a["counters"] = map[string]any{"groups": groups}
}

// beforeYARN reports whether a job id is from before YARN. A JobTracker's start in it is a date, a ResourceManager's
// is in milliseconds since the epoch.
func beforeYARN(id string) bool {
	part := strings.Split(id, "_")
	return len(part) == 3 && len(part[1]) == len("200904211745")
}
