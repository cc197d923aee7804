package history

import (
	"bytes"
	"encoding/json"

	"github.com/paratimer/paratimer/adapters/internal/loose"
	"github.com/paratimer/paratimer/adapters/mrjob"
	"github.com/paratimer/paratimer/dag"
)

// An event is one fact about a job: a line of a .jhist file, or a part of a Rumen trace. The tags are the names in
// .jhist files (Events.avpr). encoding/json ignores their case, so that many names of traces match too. Which fields an
// event has depends on its kind.
type event struct {
	kind string // of Hadoop's EventType

	Job         label            `json:"jobid"`
	JobName     optional[string] `json:"jobName"`
	User        label            `json:"userName"`
	Queue       label            `json:"jobQueueName"`
	Submitted   number           `json:"submitTime"`
	Workflow    label            `json:"workflowId"`
	Script      optional[string] `json:"workflowName"`
	Node        label            `json:"workflowNodeName"`
	Adjacencies optional[string] `json:"workflowAdjacencies"`
	Launched    number           `json:"launchTime"`
	Maps        number           `json:"totalMaps"`
	Reduces     number           `json:"totalReduces"`
	Uber        optional[bool]   `json:"uberized"`
	Master      label            `json:"applicationAttemptId"`
	MasterHost  label            `json:"nodeManagerHost"`
	MasterPort  number           `json:"nodeManagerHttpPort"`
	Diagnostics optional[string] `json:"diagnostics"`
	Totals      counters         `json:"totalCounters"`

	Started  number             `json:"startTime"`
	Finished number             `json:"finishTime"` // of the job, a task or an attempt
	Task     label              `json:"taskid"`
	Attempt  label              `json:"attemptId"`
	Tracker  label              `json:"trackerName"`
	HTTPPort number             `json:"httpPort"`
	Host     label              `json:"hostname"`
	CopyEnd  number             `json:"shuffleFinishTime"`
	SortEnd  number             `json:"sortFinishTime"`
	Error    optional[string]   `json:"error"`
	Counters counters           `json:"counters"`
	Splits   optional[[]number] `json:"clockSplits"` // milliseconds in each part of an attempt's progress
}

// The wire types accept a value or a nullable one of Avro ({"string": "x"} or null). Any other value is unknown.

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

// decoded decodes a value. A value of another type is the zero value.
func decoded[T any](b []byte) T {
	var v, nullable, none T
	switch {
	case json.Unmarshal(b, &v) == nil:
		return v
	case json.Unmarshal(unwrapped(b), &nullable) == nil:
		return nullable
	}
	return none
}

// label is a cleaned text.
type label string

func (l *label) UnmarshalJSON(b []byte) error {
	*l = label(dag.Clean(decoded[string](b)))
	return nil
}

// An optional is a value of a type, or the zero value. Texts in it are not cleaned: they may be lists or have several
// lines, and callers clean each part.
type optional[T any] struct{ v T }

func (o *optional[T]) UnmarshalJSON(b []byte) error {
	o.v = decoded[T](b)
	return nil
}

type number struct{ loose.Optional }

func (n *number) UnmarshalJSON(b []byte) error { return n.Optional.UnmarshalJSON(unwrapped(b)) }

// instant converts milliseconds since the epoch. Times from the year 2248 on are implausible, thus unknown.
func (n number) instant() dag.Instant {
	if n.V >= 1<<43 {
		return dag.NoInstant
	}
	return n.Instant()
}

// counters is a flat list. A task has about fifty.
type counters []mrjob.Counter

func (c *counters) UnmarshalJSON(b []byte) error {
	*c = nil
	var set struct {
		Groups []struct {
			Name   label `json:"name"`
			Counts []struct {
				Name  label  `json:"name"`
				Value number `json:"value"`
			} `json:"counts"`
		} `json:"groups"`
	}
	_ = json.Unmarshal(b, &set) // an invalid value has no counters
	if set.Groups == nil {      // in attempts without success they are nullable
		_ = json.Unmarshal(unwrapped(b), &set)
	}
	for _, g := range set.Groups {
		for _, k := range g.Counts {
			if k.Value.Known {
				*c = append(*c, mrjob.Counter{Group: string(g.Name), Name: string(k.Name), Value: k.Value.V})
			}
		}
	}
	return nil
}
