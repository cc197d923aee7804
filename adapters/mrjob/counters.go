package mrjob

import (
	"math"
	"strconv"
	"strings"

	"github.com/paratimer/paratimer/adapters/internal/loose"
	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// A Counter is one of a task's counters.
type Counter struct {
	Group, Name string
	Value       float64
}

// MapShare is the part of a map's progress in which it reads its input, if reduces follow (docs/facts/hadoop.md B).
const MapShare = 0.667

type countersBody struct {
	Counters rest.Box[struct {
		Groups rest.List[struct {
			Name     loose.Label `json:"counterGroupName"`
			Counters rest.List[struct {
				Name  loose.Label    `json:"name"`
				Value loose.Optional `json:"value"`
			}] `json:"counter"`
		}] `json:"taskCounterGroup"`
	}] `json:"jobTaskCounters"`
}

// Counters reads a task's counters from a response of its job's master or of the history server. The request may have
// failed with err. what names it in errors.
func Counters(what string, body []byte, err error) ([]Counter, error) {
	b, err := yarn.Read[countersBody](what, body, err)
	var out []Counter
	for _, g := range b.Counters.V.Groups {
		for _, c := range g.Counters {
			out = append(out, Counter{string(g.Name), string(c.Name), c.Value.Float()})
		}
	}
	return out, err //nolint:wrapcheck // it names the request
}

// Counts are the counters that estimates use; NaN if the task did not report them.
type Counts struct {
	MapIn, MapOut, ReduceIn, ReduceOut float64 // records
	Copied                             float64 // map outputs
	Shuffled, Read                     float64 // bytes
	Groups                             float64 // of keys, that a reduce has begun
	MapOutBytes                        float64 // as they are shuffled
	CombineIn, CombineOut              float64 // records that a combiner read and wrote, if there is one

	Reported bool    // there are counters
	Sum      float64 // of all counters: it changes with every report of an active task
}

// CountsOf returns those of a task's counters that estimates use.
func CountsOf(counters []Counter) Counts {
	nan := math.NaN()
	c := Counts{
		MapIn: nan, MapOut: nan, ReduceIn: nan, ReduceOut: nan, Copied: nan, Shuffled: nan, Read: nan,
		Groups: nan, MapOutBytes: nan, CombineIn: nan, CombineOut: nan,
	}
	tasks := map[string]*float64{
		"MAP_INPUT_RECORDS": &c.MapIn, "MAP_OUTPUT_RECORDS": &c.MapOut, "MAP_OUTPUT_MATERIALIZED_BYTES": &c.MapOutBytes,
		"COMBINE_INPUT_RECORDS": &c.CombineIn, "COMBINE_OUTPUT_RECORDS": &c.CombineOut,
		"REDUCE_INPUT_GROUPS": &c.Groups, "REDUCE_INPUT_RECORDS": &c.ReduceIn, "REDUCE_OUTPUT_RECORDS": &c.ReduceOut,
		"SHUFFLED_MAPS": &c.Copied, "REDUCE_SHUFFLE_BYTES": &c.Shuffled,
	}
	files, input := nan, nan // bytes of the file system that read most, and of the input format
	for _, k := range counters {
		if !(k.Value >= 0) {
			continue
		}
		c.Reported, c.Sum = true, c.Sum+k.Value
		switch k.Group[strings.LastIndexByte(k.Group, '.')+1:] {
		case "TaskCounter":
			if to := tasks[k.Name]; to != nil {
				*to = k.Value
			}
		case "FileSystemCounter":
			if strings.HasSuffix(k.Name, "_BYTES_READ") && !(files >= k.Value) {
				files = k.Value
			}
		case "FileInputFormatCounter":
			if k.Name == "BYTES_READ" {
				input = k.Value
			}
		}
	}
	// Pig leaves the input format's own counter at 0, so the file systems' counter is used
	// (docs/facts/hadoop.md A4).
	if c.Read = files; input > 0 {
		c.Read = input
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

// Used returns a task's usage, by its job's id; ok is false if its counters are unknown.
type Used func(job string, k dag.StageIndex, task int32) (u Usage, ok bool)

// UsageOf computes the usage from a task's counters.
func UsageOf(counters []Counter) Usage {
	nan := math.NaN()
	u := Usage{CPU: nan, Read: nan, Written: nan, FileRead: nan, FileWritten: nan, Remote: nan, Shuffled: nan}
	files := map[string]*float64{
		"HDFS_BYTES_READ": &u.Read, "HDFS_BYTES_WRITTEN": &u.Written,
		"FILE_BYTES_READ": &u.FileRead, "FILE_BYTES_WRITTEN": &u.FileWritten,
	}
	for _, c := range counters {
		isFiles := strings.HasSuffix(c.Group, "FileSystemCounter") || strings.HasSuffix(c.Group, "FileSystemCounters")
		isBytes := strings.HasSuffix(c.Name, "_BYTES_READ") || strings.HasSuffix(c.Name, "_BYTES_WRITTEN")
		switch to := files[c.Name]; {
		case !(c.Value >= 0):
		case c.Name == "CPU_MILLISECONDS":
			u.CPU = c.Value / 1000
		case c.Name == "REDUCE_SHUFFLE_BYTES":
			u.Shuffled = c.Value
		case isFiles && to != nil:
			*to = c.Value
		case isFiles && isBytes && math.IsNaN(u.Remote):
			u.Remote = c.Value
		case isFiles && isBytes:
			u.Remote += c.Value
		}
	}
	return u
}

// MaxTasks bounds the tasks of a phase, whatever a response claims.
const MaxTasks = 4 << 20

// TaskOf parses task_TS_JOB_m_000003, the id of a task; ok is false for anything else.
func TaskOf(id string) (job string, kind dag.StageIndex, task int32, ok bool) {
	part := strings.Split(id, "_")
	if len(part) != 5 || part[0] != "task" {
		return "", 0, 0, false
	}
	kind, task, ok = kindIndex(part[3], part[4])
	return "job_" + part[1] + "_" + part[2], kind, task, ok
}

// AttemptOf parses attempt_TS_JOB_r_000003_1, the id of an attempt; ok is false for anything else.
func AttemptOf(id string) (kind dag.StageIndex, task, number int32, ok bool) {
	part := strings.Split(id, "_")
	if len(part) != 6 || part[0] != "attempt" {
		return 0, 0, 0, false
	}
	n, err := strconv.ParseInt(part[5], 10, 31)
	if err != nil || n < 0 {
		return 0, 0, 0, false
	}
	kind, task, ok = kindIndex(part[3], part[4])
	return kind, task, int32(n), ok
}

func kindIndex(letter, index string) (dag.StageIndex, int32, bool) {
	n, err := strconv.ParseInt(index, 10, 31)
	if err != nil || n < 0 || n >= MaxTasks {
		return 0, 0, false
	}
	switch letter {
	case "m":
		return dag.Map, int32(n), true
	case "r":
		return dag.Reduce, int32(n), true
	}
	return 0, 0, false
}
