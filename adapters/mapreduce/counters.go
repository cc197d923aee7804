package mapreduce

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/paratimer/paratimer/adapters/internal/input"
	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// A Counter is one of a task's counters.
type Counter struct {
	Group, Name string
	Value       float64
}

// MapShare is the part of a map's progress in which it reads its input, if reduces follow (facts/hadoop.md B).
const MapShare = 0.667

type countersBody struct {
	JobTaskCounters rest.Box[struct {
		TaskCounterGroup rest.List[struct {
			CounterGroupName input.Label
			Counter          rest.List[struct {
				Name  input.Label
				Value input.Optional
			}]
		}]
	}]
}

// Counters reads a task's counters from a response of its job's master or of the history server. The request may have
// failed with err. what names it in errors.
func Counters(what string, body []byte, err error) ([]Counter, error) {
	b, err := yarn.Read[countersBody](what, body, err)
	var out []Counter
	for _, g := range b.JobTaskCounters.V.TaskCounterGroup {
		for _, c := range g.Counter {
			out = append(out, Counter{string(g.CounterGroupName), string(c.Name), c.Value.Float()})
		}
	}
	return out, err //nolint:wrapcheck // it names the request
}

// Counts are the counters that estimates use; NaN if the task did not report them.
type Counts struct {
	MapIn, MapOut, ReduceIn, ReduceOut float64 // records
	Copied                             float64 // map outputs
	Shuffled, Read                     float64 // bytes

	Reported bool // there are counters
}

// byName returns a function that returns a counter by the end of its group and its name, NaN if it was not reported.
func byName(counters []Counter) func(group, name string) float64 {
	return func(group, name string) float64 {
		for _, c := range slices.Backward(counters) {
			if c.Name == name && c.Value >= 0 && strings.HasSuffix(c.Group, group) {
				return c.Value
			}
		}
		return math.NaN()
	}
}

// CountsOf returns those of a task's counters that estimates use.
func CountsOf(counters []Counter) Counts {
	const group = "TaskCounter"
	get := byName(counters)
	c := Counts{
		MapIn: get(group, "MAP_INPUT_RECORDS"), MapOut: get(group, "MAP_OUTPUT_RECORDS"),
		ReduceIn: get(group, "REDUCE_INPUT_RECORDS"), ReduceOut: get(group, "REDUCE_OUTPUT_RECORDS"),
		Copied: get(group, "SHUFFLED_MAPS"), Shuffled: get(group, "REDUCE_SHUFFLE_BYTES"),
		Read: get("FileInputFormatCounter", "BYTES_READ"),
	}
	files := math.NaN() // bytes of the file system that read most
	for _, k := range counters {
		if !(k.Value >= 0) {
			continue
		}
		c.Reported = true
		isRead := strings.HasSuffix(k.Group, "FileSystemCounter") && strings.HasSuffix(k.Name, "_BYTES_READ")
		if isRead && !(files >= k.Value) {
			files = k.Value
		}
	}
	// Pig leaves the input format's own counter at 0, so the file systems' counter is used
	// (facts/hadoop.md A4).
	if !(c.Read > 0) {
		c.Read = files
	}
	return c
}

// Usage is a task's use of its node's resources, by its counters; NaN if it did not report them.
type Usage struct {
	CPU                   float64 // seconds
	Read, Written         float64 // bytes of HDFS
	FileRead, FileWritten float64 // bytes of the node's own file system: input kept there, spills, merges
	Remote                float64 // bytes from and to any other file system, such as an object store
	Shuffled              float64 // bytes that a reduce fetched
}

// A TaskID identifies a task.
type TaskID struct {
	Job   string // its id
	Kind  dag.StageIndex
	Index int32
}

// Used is the usage of the tasks with known counters.
type Used map[TaskID]Usage

// UsageOf computes the usage from a task's counters.
func UsageOf(counters []Counter) Usage {
	get := byName(counters)
	u := Usage{
		CPU: get("", "CPU_MILLISECONDS") / 1000, Shuffled: get("", "REDUCE_SHUFFLE_BYTES"),
		Read: get("", "HDFS_BYTES_READ"), Written: get("", "HDFS_BYTES_WRITTEN"),
		FileRead: get("", "FILE_BYTES_READ"), FileWritten: get("", "FILE_BYTES_WRITTEN"), Remote: math.NaN(),
	}
	for _, c := range counters {
		isFiles := strings.HasSuffix(strings.TrimSuffix(c.Group, "s"), "FileSystemCounter")
		isNear := strings.HasPrefix(c.Name, "HDFS_") || strings.HasPrefix(c.Name, "FILE_")
		isBytes := strings.HasSuffix(c.Name, "_BYTES_READ") || strings.HasSuffix(c.Name, "_BYTES_WRITTEN")
		if isFiles && isBytes && !isNear && c.Value >= 0 {
			if math.IsNaN(u.Remote) {
				u.Remote = 0
			}
			u.Remote += c.Value
		}
	}
	return u
}

// MaxTasks bounds the tasks of a phase, whatever a response claims.
const MaxTasks = 4 << 20

// TaskOf parses task_TS_JOB_m_000003, the id of a task; ok is false for anything else.
func TaskOf(id string) (job string, kind dag.StageIndex, task int32, ok bool) {
	p := strings.Split(id, "_")
	if len(p) != 5 || p[0] != "task" || p[3] != "m" && p[3] != "r" {
		return "", 0, 0, false
	}
	if p[3] == "r" {
		kind = dag.Reduce
	}
	n, err := strconv.ParseInt(p[4], 10, 31)
	return "job_" + p[1] + "_" + p[2], kind, int32(n), err == nil && n >= 0 && n < MaxTasks
}

// AttemptOf parses attempt_TS_JOB_r_000003_1, the id of an attempt; ok is false for anything else.
func AttemptOf(id string) (kind dag.StageIndex, task, number int32, ok bool) {
	rest, isAttempt := strings.CutPrefix(id, "attempt")
	end := max(0, strings.LastIndexByte(rest, '_'))
	_, kind, task, ok = TaskOf("task" + rest[:end])
	n, err := strconv.ParseInt(strings.TrimPrefix(rest[end:], "_"), 10, 31)
	return kind, task, int32(n), ok && isAttempt && err == nil && n >= 0
}
