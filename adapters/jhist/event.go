package jhist

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/paratimer/paratimer/adapters/mrjob"
	"github.com/paratimer/paratimer/adapters/past"
	"github.com/paratimer/paratimer/dag"
)

// wanted lists the events that are parsed. TASK events repeat those of attempts.
var wanted = map[string]bool{
	"JOB_SUBMITTED": true, "JOB_INITED": true, "JOB_INFO_CHANGED": true, "JOB_QUEUE_CHANGED": true, "AM_STARTED": true,
	"JOB_FINISHED": true, "JOB_FAILED": true, "JOB_KILLED": true, "JOB_ERROR": true,
	"MAP_ATTEMPT_STARTED": true, "MAP_ATTEMPT_FINISHED": true, "MAP_ATTEMPT_FAILED": true, "MAP_ATTEMPT_KILLED": true,
	"REDUCE_ATTEMPT_STARTED": true, "REDUCE_ATTEMPT_FINISHED": true, "REDUCE_ATTEMPT_FAILED": true,
	"REDUCE_ATTEMPT_KILLED": true,
	taskCounted:             true, taskTimed: true,
}

// taskCounted stands for a JobTracker's record with the counters of a succeeded task. Hadoop has no such event.
const taskCounted = "TASK_COUNTED"

// taskTimed stands for a JobTracker's record of a task's start or unsuccessful end.
const taskTimed = "TASK_TIMED"

// An event is one line of a history. Its fields depend on its kind (Events.avpr).
type event struct {
	kind string
	body body
}

type body struct {
	Job         str       `json:"jobid"`
	JobName     unionText `json:"jobName"`
	User        str       `json:"userName"`
	Queue       str       `json:"jobQueueName"`
	Submitted   long      `json:"submitTime"`
	Workflow    str       `json:"workflowId"`
	Script      unionText `json:"workflowName"`
	Node        str       `json:"workflowNodeName"`
	Adjacencies unionText `json:"workflowAdjacencies"`
	Launched    long      `json:"launchTime"`
	Maps        long      `json:"totalMaps"`
	Reduces     long      `json:"totalReduces"`
	Uber        flag      `json:"uberized"`
	AppAttempt  str       `json:"applicationAttemptId"`
	MasterHost  str       `json:"nodeManagerHost"`
	MasterPort  long      `json:"nodeManagerHttpPort"`
	Started     long      `json:"startTime"`
	Finished    long      `json:"finishTime"`
	Diagnostics unionText `json:"diagnostics"`
	Totals      counters  `json:"totalCounters"`

	Task     str       `json:"-"`
	Attempt  str       `json:"attemptId"`
	Tracker  str       `json:"trackerName"`
	HTTPPort long      `json:"httpPort"`
	Host     str       `json:"hostname"`
	CopyEnd  long      `json:"shuffleFinishTime"`
	SortEnd  long      `json:"sortFinishTime"`
	Error    unionText `json:"error"`
	Counters counters  `json:"counters"`
	Splits   ints      `json:"clockSplits"`
}

// The wire types accept a value or a nullable one ({"string": "x"} or null). Any other value is unknown.

// unwrapped returns the value of a union's object.
func unwrapped(b []byte) []byte {
	if len(b) == 0 || b[0] != '{' {
		return b
	}
	var union map[string]json.RawMessage
	if json.Unmarshal(b, &union) == nil && len(union) == 1 {
		for _, v := range union {
			return bytes.TrimSpace(v)
		}
	}
	return b
}

// str is a cleaned text.
type str string

func (s *str) UnmarshalJSON(b []byte) error {
	var r unionText
	err := r.UnmarshalJSON(b)
	*s = str(dag.Clean(string(r)))
	return err
}

// unionText is an uncleaned text that may be a list or have several lines, plain or as a nullable value of Avro. Any
// other value is "". Callers clean each part of it.
type unionText string

func (r *unionText) UnmarshalJSON(b []byte) error {
	var v string
	if *r = ""; json.Unmarshal(unwrapped(b), &v) == nil {
		*r = unionText(v)
	}
	return nil
}

type long struct {
	v  int64
	ok bool
}

func (l *long) UnmarshalJSON(b []byte) error {
	v, err := strconv.ParseInt(string(unwrapped(b)), 10, 64)
	*l = long{v, err == nil}
	return nil
}

func (l long) instant() dag.Instant { return past.InstantOf(l.v) }

// count returns the value as a count, or 0 if there is none.
func (l long) count() int { return int(min(max(l.v, 0), dag.MaxTasks)) }

type flag bool

func (f *flag) UnmarshalJSON(b []byte) error {
	*f = string(unwrapped(b)) == "true"
	return nil
}

type ints []int32

func (l *ints) UnmarshalJSON(b []byte) error {
	var v []int32
	if *l = nil; json.Unmarshal(b, &v) == nil && len(v) <= 100 {
		*l = v
	}
	return nil
}

// counters is a flat list. A task has about fifty.
type counters []mrjob.Counter

func (c *counters) UnmarshalJSON(b []byte) error {
	*c = nil
	type set struct {
		Groups []struct {
			Name   str `json:"name"`
			Counts []struct {
				Name  str  `json:"name"`
				Value long `json:"value"`
			} `json:"counts"`
		} `json:"groups"`
	}
	var v set
	_ = json.Unmarshal(b, &v) // an invalid value has no counters
	if v.Groups == nil {      // in attempts without success they are nullable
		_ = json.Unmarshal(unwrapped(b), &v)
	}
	for _, g := range v.Groups {
		for _, k := range g.Counts {
			if k.Value.ok {
				one := mrjob.Counter{Group: string(g.Name), Name: string(k.Name), Value: float64(k.Value.v)}
				*c = append(*c, one)
			}
		}
	}
	return nil
}
