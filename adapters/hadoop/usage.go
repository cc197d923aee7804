package hadoop

import (
	"math"
	"strings"

	"github.com/paratimer/paratimer/dag"
)

// Usage is what a task took of its node's resources, by its counters; NaN where it did not report them.
type Usage struct {
	CPU                   float64 // seconds
	Read, Written         float64 // bytes of HDFS
	FileRead, FileWritten float64 // bytes of the node's own file system: input kept there, spills, merges
	Remote                float64 // bytes from and to any other file system, such as an object store
	Shuffled              float64 // bytes that a reduce fetched
}

// Used tells what a task used, by its job's id; ok is false where its counters are not known.
type Used func(job string, k dag.Kind, task int32) (u Usage, ok bool)

// UsageOf picks them out of a task's counters.
func UsageOf(counters []Counter) Usage {
	nan := math.NaN()
	u := Usage{CPU: nan, Read: nan, Written: nan, FileRead: nan, FileWritten: nan, Remote: nan, Shuffled: nan}
	for _, c := range counters {
		if !(c.Value >= 0) {
			continue
		}
		files := strings.HasSuffix(c.Group, "FileSystemCounter") || strings.HasSuffix(c.Group, "FileSystemCounters")
		switch {
		case c.Name == "CPU_MILLISECONDS":
			u.CPU = c.Value / 1000
		case c.Name == "REDUCE_SHUFFLE_BYTES":
			u.Shuffled = c.Value
		case files && c.Name == "HDFS_BYTES_READ":
			u.Read = c.Value
		case files && c.Name == "HDFS_BYTES_WRITTEN":
			u.Written = c.Value
		case files && c.Name == "FILE_BYTES_READ":
			u.FileRead = c.Value
		case files && c.Name == "FILE_BYTES_WRITTEN":
			u.FileWritten = c.Value
		case files && (strings.HasSuffix(c.Name, "_BYTES_READ") || strings.HasSuffix(c.Name, "_BYTES_WRITTEN")):
			if math.IsNaN(u.Remote) {
				u.Remote = 0
			}
			u.Remote += c.Value
		}
	}
	return u
}

// UsageIn is UsageOf of an answer of a task's counters, live or of the history server; ok is false for anything else.
func UsageIn(body []byte) (u Usage, ok bool) {
	var b countersBody
	if decode("a task's counters", body, &b) != nil {
		return UsageOf(nil), false
	}
	var all []Counter
	for _, g := range b.Counters.v.Groups {
		for _, k := range g.Counters {
			all = append(all, Counter{Group: string(g.Name), Name: string(k.Name), Value: k.Value.float()})
		}
	}
	return UsageOf(all), len(all) > 0
}

// TaskOf takes apart the id of a task; ok is false for anything else.
func TaskOf(id string) (job string, kind dag.Kind, task int32, ok bool) {
	if kind, task, ok = taskID(id); !ok {
		return "", 0, 0, false
	}
	part := strings.Split(id, "_")
	return "job_" + part[1] + "_" + part[2], kind, task, true
}
