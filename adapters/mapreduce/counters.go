package mapreduce

import (
	"math"
	"strings"

	"github.com/paratimer/paratimer/adapters/internal/loose"
	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

type countersBody struct {
	Counters rest.Box[struct {
		Groups rest.List[wireGroup] `json:"taskCounterGroup"`
	}] `json:"jobTaskCounters"`
}

type wireGroup struct {
	Name     loose.Label            `json:"counterGroupName"`
	Counters rest.List[wireCounter] `json:"counter"`
}

type wireCounter struct {
	Name  loose.Label    `json:"name"`
	Value loose.Optional `json:"value"`
}

// counters are the counters of a task that an estimate uses; NaN if the task has not reported them.
type counters struct {
	any                     bool // something was reported
	mapIn, mapOut           float64
	redIn, redOut           float64
	shuffledMaps, shuffledB float64
	read                    float64 // bytes read
	redGroups               float64
	mapOutBytes             float64 // as they are shuffled
	combineIn, combineOut   float64 // records that a combiner read and wrote, if there is one
	sum                     float64 // of all counters: it changes with every report of an active task
}

func (b *countersBody) counters() counters {
	nan := math.NaN()
	c := counters{
		mapIn: nan, mapOut: nan, redIn: nan, redOut: nan, shuffledMaps: nan, shuffledB: nan, read: nan,
		redGroups: nan, mapOutBytes: nan, combineIn: nan, combineOut: nan,
	}
	files, input := nan, nan
	for _, g := range b.Counters.V.Groups {
		group := string(g.Name[strings.LastIndexByte(string(g.Name), '.')+1:])
		for _, k := range g.Counters {
			v := k.Value.Float()
			if !(v >= 0) {
				continue
			}
			c.any = true
			c.sum += v
			name := string(k.Name)
			switch {
			case group == "FileSystemCounter" && strings.HasSuffix(name, "_BYTES_READ"):
				if !(files >= v) {
					files = v
				}
			case group == "FileInputFormatCounter" && name == "BYTES_READ":
				input = v
			case group == "TaskCounter":
				switch name {
				case "MAP_INPUT_RECORDS":
					c.mapIn = v
				case "MAP_OUTPUT_RECORDS":
					c.mapOut = v
				case "MAP_OUTPUT_MATERIALIZED_BYTES":
					c.mapOutBytes = v
				case "COMBINE_INPUT_RECORDS":
					c.combineIn = v
				case "COMBINE_OUTPUT_RECORDS":
					c.combineOut = v
				case "REDUCE_INPUT_GROUPS":
					c.redGroups = v
				case "REDUCE_INPUT_RECORDS":
					c.redIn = v
				case "REDUCE_OUTPUT_RECORDS":
					c.redOut = v
				case "SHUFFLED_MAPS":
					c.shuffledMaps = v
				case "REDUCE_SHUFFLE_BYTES":
					c.shuffledB = v
				}
			}
		}
	}
	// Pig leaves the input format's own counter at 0, so the file systems' counter is used
	// (docs/facts/hadoop.md A4).
	c.read = files
	if input > 0 {
		c.read = input
	}
	return c
}

// mapShare is the part of a map's progress in which it reads its input, if reduces follow (docs/facts/hadoop.md B).
const mapShare = 0.667

// count copies a task's counters to the attempt that they belong to. maps is the number of the job's maps, NaN if
// unknown; at is when the response was made. Counters that went back are copied as they are: the marks only move
// with a change. final means that they are the attempt's last ones.
func (c *counters) count(kind dag.StageIndex, a *dag.Attempt, maps float64, mapOnly, final bool, at dag.Instant) {
	if !c.any {
		return
	}
	if !a.FirstReport.Known() {
		a.FirstReport = at
	}
	work := 0
	if kind == dag.Map {
		a.Done[0], a.Out, a.Bytes = c.mapIn, c.mapOut, c.read
		a.Total[0] = mapTotal(a, mapOnly, final)
	} else {
		work = dag.Work
		a.Done[dag.Copy], a.Total[dag.Copy] = c.shuffledMaps, maps
		a.Done[dag.Work], a.Out, a.Bytes = c.redIn, c.redOut, c.shuffledB
		if final {
			a.Total[dag.Work] = c.redIn
		}
	}
	if !(a.Done[work] > 0 || a.Out > 0) {
		return
	}
	mark := dag.Mark{At: at, Done: a.Done[work], Out: a.Out}
	if !a.First.At.Known() {
		a.First, a.Last = mark, mark
		return
	}
	if !same(mark.Done, a.Last.Done) || !same(mark.Out, a.Last.Out) {
		a.Last = mark
	}
}

// leastRead is the share of its input that a map must have read before its size is estimated. The progress is a
// moment older than the counter, so for a map that has just begun the quotient may be any number (recording etl-1:
// 106,494 records of 400).
const leastRead = 0.02

// mapTotal returns the tuples that a map reads in all: N = K / (progress / 66.7 %) while it reads
// (docs/facts/measured.md 4).
func mapTotal(a *dag.Attempt, mapOnly, final bool) float64 {
	k, share := a.Done[0], mapShare
	if mapOnly {
		share = 1
	}
	switch {
	case final:
		return k
	case k > 0 && a.Ratio >= leastRead*share && a.Ratio < share:
		return k / (a.Ratio / share)
	case a.Total[0] < k:
		return k
	}
	return a.Total[0]
}

func same(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }

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

// UsageIn computes the usage from a response with a task's counters, live or of the history server; ok is false for
// anything else.
func UsageIn(body []byte) (u Usage, ok bool) {
	var b countersBody
	if yarn.Decode("a task's counters", body, &b) != nil {
		return UsageOf(nil), false
	}
	var all []Counter
	for _, g := range b.Counters.V.Groups {
		for _, k := range g.Counters {
			all = append(all, Counter{Group: string(g.Name), Name: string(k.Name), Value: k.Value.Float()})
		}
	}
	return UsageOf(all), len(all) > 0
}

// TaskOf parses the id of a task; ok is false for anything else.
func TaskOf(id string) (job string, kind dag.StageIndex, task int32, ok bool) {
	if kind, task, ok = taskID(id); !ok {
		return "", 0, 0, false
	}
	part := strings.Split(id, "_")
	return "job_" + part[1] + "_" + part[2], kind, task, true
}
