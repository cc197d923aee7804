package hadoop

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/paratimer/paratimer/dag"
)

// Answers about a job: ApplicationMaster and JobHistoryServer use the same names (docs/facts/hadoop.md A4, A5).

type jobBody struct {
	Job box[wireJob] `json:"job"`
}

type wireJob struct {
	ID          text      `json:"id"`
	Name        text      `json:"name"`
	State       text      `json:"state"`
	Diagnostics diagnosis `json:"diagnostics"`
	Submitted   num       `json:"submitTime"` // history server only
	Started     num       `json:"startTime"`
	Finished    num       `json:"finishTime"`
	Maps        num       `json:"mapsTotal"`
	Reduces     num       `json:"reducesTotal"`
	MapsDone    num       `json:"mapsCompleted"`
	ReducesDone num       `json:"reducesCompleted"`
	// Tasks in state SCHEDULED, in the master's answer only.
	MapsPending    num `json:"mapsPending"`
	ReducesPending num `json:"reducesPending"`
	MapsRunning    num `json:"mapsRunning"`
	ReducesRunning num `json:"reducesRunning"`
	MapProgress    num `json:"mapProgress"`
	ReduceProgress num `json:"reduceProgress"`
}

type tasksBody struct {
	Tasks box[struct {
		Task list[wireTask] `json:"task"`
	}] `json:"tasks"`
}

type wireTask struct {
	ID         text `json:"id"`
	State      text `json:"state"`
	Started    num  `json:"startTime"` // of a SCHEDULED task: when it was scheduled
	Finished   num  `json:"finishTime"`
	Progress   num  `json:"progress"`
	Successful text `json:"successfulAttempt"`
}

type attemptsBody struct {
	Attempts box[struct {
		Attempt list[wireAttempt] `json:"taskAttempt"`
	}] `json:"taskAttempts"`
}

// mostAttempts are how many attempts of one task are taken from an answer. A task has four that fail at most, by default.
const mostAttempts = 1000

// newest drops all attempts but the last ones, which are the newest, and returns how many there were.
func (b *attemptsBody) newest() int {
	all := b.Attempts.v.Attempt
	if len(all) > mostAttempts {
		b.Attempts.v.Attempt = slices.Clone(all[len(all)-mostAttempts:])
	}
	return len(all)
}

type wireAttempt struct {
	ID          text      `json:"id"`
	State       text      `json:"state"`
	Started     num       `json:"startTime"`
	Finished    num       `json:"finishTime"`
	Progress    num       `json:"progress"`
	Node        text      `json:"nodeHttpAddress"`
	Diagnostics diagnosis `json:"diagnostics"`
	CopyEnd     num       `json:"shuffleFinishTime"`
	SortEnd     num       `json:"mergeFinishTime"`
}

type countersBody struct {
	Counters box[struct {
		Groups list[wireGroup] `json:"taskCounterGroup"`
	}] `json:"jobTaskCounters"`
}

type wireGroup struct {
	Name     text              `json:"counterGroupName"`
	Counters list[wireCounter] `json:"counter"`
}

type wireCounter struct {
	Name  text `json:"name"`
	Value num  `json:"value"`
}

// counters are those of a task that an estimate reads; NaN where the task has not reported them.
type counters struct {
	any                     bool // something was reported
	mapIn, mapOut           float64
	redIn, redOut           float64
	shuffledMaps, shuffledB float64
	read                    float64 // bytes read
	redGroups               float64
	mapOutBytes             float64 // as they are shuffled
	combineIn, combineOut   float64 // records that a combiner read and wrote, if there is one
	sum                     float64 // of all counters: it changes with every report of a task that does anything
}

func (b *countersBody) counters() counters {
	nan := math.NaN()
	c := counters{mapIn: nan, mapOut: nan, redIn: nan, redOut: nan, shuffledMaps: nan, shuffledB: nan, read: nan, redGroups: nan, mapOutBytes: nan, combineIn: nan, combineOut: nan}
	files, input := nan, nan
	for _, g := range b.Counters.v.Groups {
		group := string(g.Name[strings.LastIndexByte(string(g.Name), '.')+1:])
		for _, k := range g.Counters {
			v := k.Value.float()
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
	// Pig leaves the input format's own counter at 0: the file systems know better (docs/facts/hadoop.md A4).
	c.read = files
	if input > 0 {
		c.read = input
	}
	return c
}

type confBody struct {
	Conf box[struct {
		Properties list[wireProperty] `json:"property"`
	}] `json:"conf"`
}

type wireProperty struct {
	Name  anyText `json:"name"`
	Value anyText `json:"value"`
}

// taskID takes the kind and index out of task_TS_JOB_m_000003; ok is false for anything else.
func taskID(id string) (kind dag.Kind, index int32, ok bool) {
	part := strings.Split(id, "_")
	if len(part) != 5 || part[0] != "task" {
		return 0, 0, false
	}
	return kindIndex(part[3], part[4])
}

// attemptID takes the task and the number out of attempt_TS_JOB_r_000003_1.
func attemptID(id string) (kind dag.Kind, index, number int32, ok bool) {
	part := strings.Split(id, "_")
	if len(part) != 6 || part[0] != "attempt" {
		return 0, 0, 0, false
	}
	n, err := strconv.ParseInt(part[5], 10, 31)
	if err != nil || n < 0 {
		return 0, 0, 0, false
	}
	kind, index, ok = kindIndex(part[3], part[4])
	return kind, index, int32(n), ok
}

func kindIndex(k, i string) (dag.Kind, int32, bool) {
	n, err := strconv.ParseInt(i, 10, 31)
	if err != nil || n < 0 || n >= maxTasks {
		return 0, 0, false
	}
	switch k {
	case "m":
		return dag.Map, int32(n), true
	case "r":
		return dag.Reduce, int32(n), true
	}
	return 0, 0, false
}

// maxTasks bounds the tasks of a phase: no answer makes us believe in more.
const maxTasks = 4 << 20

// byID orders application and job ids as the ResourceManager does: cluster start, then number.
func byID(a, b string) int {
	pa, pb := strings.Split(a, "_"), strings.Split(b, "_")
	for i := 1; i < min(len(pa), len(pb)); i++ {
		if c := cmp.Or(cmp.Compare(len(pa[i]), len(pb[i])), cmp.Compare(pa[i], pb[i])); c != 0 {
			return c
		}
	}
	return cmp.Compare(a, b)
}
