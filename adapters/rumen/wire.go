package rumen

import (
	"bytes"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/paratimer/paratimer/adapters/mrjob"
	"github.com/paratimer/paratimer/adapters/past"
	"github.com/paratimer/paratimer/dag"
)

// A wireJob is Rumen's LoggedJob. -1 and null mean unknown.
type wireJob struct {
	ID         text                  `json:"jobID"`
	Name       text                  `json:"jobName"`
	User       text                  `json:"user"`
	Queue      text                  `json:"queue"`
	Submitted  num                   `json:"submitTime"`
	Launched   num                   `json:"launchTime"`
	Finished   num                   `json:"finishTime"`
	Outcome    text                  `json:"outcome"`
	Maps       num                   `json:"totalMaps"`
	Reduces    num                   `json:"totalReduces"`
	Properties map[string]stringOnly `json:"jobProperties"`
	Next       list[text]            `json:"directDependantJobs"` // the jobs that depend on this one
	MapTasks   list[wireTask]        `json:"mapTasks"`
	Reduced    list[wireTask]        `json:"reduceTasks"`
}

type wireTask struct {
	Attempts list[wireAttempt] `json:"attempts"`
}

type wireAttempt struct {
	ID       text  `json:"attemptID"`
	Result   text  `json:"result"`
	Host     text  `json:"hostName"`
	Started  num   `json:"startTime"`
	Finished num   `json:"finishTime"`
	CopyEnd  num   `json:"shuffleFinished"`
	SortEnd  num   `json:"sortFinished"`
	HDFSRead num   `json:"hdfsBytesRead"`
	FileRead num   `json:"fileBytesRead"`
	HDFSPut  num   `json:"hdfsBytesWritten"`
	FilePut  num   `json:"fileBytesWritten"`
	Used     used  `json:"resourceUsageMetrics"`
	MapIn    num   `json:"mapInputRecords"`
	MapOut   num   `json:"mapOutputRecords"`
	RedIn    num   `json:"reduceInputRecords"`
	RedOut   num   `json:"reduceOutputRecords"`
	Shuffled num   `json:"reduceShuffleBytes"`
	Splits   []num `json:"clockSplits"`
}

var (
	outcomes = map[text]dag.State{"SUCCESS": dag.Succeeded, "FAILED": dag.Failed, "KILLED": dag.Killed}
	results  = map[text]dag.AttemptState{
		"SUCCESS": dag.AttemptSucceeded, "FAILED": dag.AttemptFailed,
		"KILLED": dag.AttemptKilled,
	}
)

// job converts the job of the trace.
func (w *wireJob) job() *past.Job {
	j := past.NewJob(string(w.ID))
	j.Name, j.User, j.Queue = string(w.Name), string(w.User), string(w.Queue)
	j.Submitted, j.Launched, j.Finished = w.Submitted.instant(), w.Launched.instant(), w.Finished.instant()
	if s, ok := outcomes[w.Outcome]; ok && j.Finished.Known() {
		j.State = s
	}
	j.Slots = beforeYARN(j.ID)
	if len(w.Properties) > 0 {
		var list []mrjob.Property
		for _, name := range slices.Sorted(maps.Keys(w.Properties)) {
			list = append(list, mrjob.Property{Name: name, Value: string(w.Properties[name])})
		}
		j.Settings, j.Configured = mrjob.ReadSettings(list), true
	}
	j.Sized, j.Maps, j.Reduces = w.Maps.ok && w.Reduces.ok, w.Maps.count(), w.Reduces.count()
	for k, tasks := range [...][]wireTask{w.MapTasks, w.Reduced} {
		for i := range tasks {
			for a := range tasks[i].Attempts {
				tasks[i].Attempts[a].into(j, dag.StageIndex(k))
			}
		}
	}
	for _, t := range []dag.Instant{j.Submitted, j.Launched, j.Finished} {
		j.Saw(t)
	}
	return j
}

// into adds the attempt to the job.
func (w *wireAttempt) into(j *past.Job, kind dag.StageIndex) {
	k, task, number, ok := mrjob.AttemptOf(string(w.ID))
	if !ok || k != kind {
		j.Bad++
		return
	}
	a := past.NewAttempt(task, number)
	a.Start, a.End, a.CopyEnd, a.SortEnd = w.Started.instant(), w.Finished.instant(), w.CopyEnd.instant(),
		w.SortEnd.instant()
	if s, ok := results[w.Result]; ok && a.End.Known() {
		a.State = s
	}
	a.Node = host(string(w.Host))
	for _, s := range w.Splits {
		a.Splits = append(a.Splits, int32(min(max(s.v, -1), math.MaxInt32)))
	}
	a.Counts = mrjob.Counts{
		MapIn: w.MapIn.float(), MapOut: w.MapOut.float(), ReduceIn: w.RedIn.float(), ReduceOut: w.RedOut.float(),
		Shuffled: w.Shuffled.float(), Read: w.read(), Copied: math.NaN(),
	}
	a.Usage = mrjob.Usage{
		CPU: w.Used.seconds(), Read: w.HDFSRead.float(), Written: w.HDFSPut.float(), FileRead: w.FileRead.float(),
		FileWritten: w.FilePut.float(), Remote: math.NaN(), Shuffled: w.Shuffled.float(),
	}
	if a.State == dag.AttemptSucceeded && kind == dag.Reduce {
		a.Counts.Copied = float64(j.Maps)
	}
	j.Saw(a.Start)
	j.Saw(a.End)
	j.Attempts[kind] = append(j.Attempts[kind], a)
}

// used is an attempt's CPU time in milliseconds. Rumen writes 0 for unmeasured times, so 0 is unknown.
type used struct{ ms num }

func (u *used) UnmarshalJSON(b []byte) error {
	var w struct {
		CPU num `json:"cumulativeCpuUsage"`
	}
	if *u = (used{}); json.Unmarshal(b, &w) == nil { // other values are unknown, as in other fields
		u.ms = w.CPU
	}
	return nil
}

func (u used) seconds() float64 {
	if !u.ms.ok || u.ms.v == 0 {
		return math.NaN()
	}
	return u.ms.float() / 1000
}

// read returns the bytes that the attempt read, from the file system with the higher number.
func (w *wireAttempt) read() float64 {
	h, f := w.HDFSRead.float(), w.FileRead.float()
	if h >= f || math.IsNaN(f) {
		return h
	}
	return f
}

// beforeYARN reports whether a job id is from before YARN. A JobTracker's start in it is a date, a ResourceManager's
// is in milliseconds since the epoch.
func beforeYARN(id string) bool {
	part := strings.Split(id, "_")
	return len(part) == 3 && len(part[1]) == len("200904211745")
}

// host returns the last part of /rack/host. Dots in it may be escaped.
func host(name string) string {
	name = name[strings.LastIndexByte(name, '/')+1:]
	return strings.ReplaceAll(name, `\.`, ".")
}

// text is a cleaned string; other values are "".
type text string

func (t *text) UnmarshalJSON(b []byte) error {
	var r stringOnly
	err := r.UnmarshalJSON(b)
	*t = text(dag.Clean(string(r)))
	return err
}

// stringOnly is a JSON string, uncleaned; other values are "".
type stringOnly string

func (r *stringOnly) UnmarshalJSON(b []byte) error {
	var s string
	if *r = ""; json.Unmarshal(b, &s) == nil {
		*r = stringOnly(s)
	}
	return nil
}

// num is a number that is not negative; other values are unknown.
type num struct {
	v  int64
	ok bool
}

func (n *num) UnmarshalJSON(b []byte) error {
	v, err := strconv.ParseInt(string(bytes.TrimSpace(b)), 10, 64)
	*n = num{max(v, -1), err == nil && v >= 0}
	return nil
}

func (n num) instant() dag.Instant { return past.InstantOf(n.v) }

func (n num) count() int { return int(min(max(n.v, 0), dag.MaxTasks)) }

func (n num) float() float64 {
	if !n.ok {
		return math.NaN()
	}
	return float64(n.v)
}

// list is an array. Other values are an empty list.
type list[T any] []T

func (l *list[T]) UnmarshalJSON(b []byte) error {
	*l = nil
	var one []T
	if json.Unmarshal(b, &one) == nil {
		*l = one
	}
	return nil
}
