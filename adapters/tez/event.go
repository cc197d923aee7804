package tez

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/paratimer/paratimer/adapters/internal/loose"
	"github.com/paratimer/paratimer/dag"
)

// A value of the wrong type in what Tez writes is unknown, never an error.
type (
	number = loose.Number
	text   = loose.Text
)

// An event is a fact about a DAG that Tez has written into the master's log or a history file. Its fields have the
// names of both history services. Unknown ones are zero.
type event struct {
	Kind      string `json:"eventtype"` // as Tez names it, or appConfigured
	Entity    string // id of the application, DAG, vertex, attempt or container
	At        number `json:"ts"` // when it happened
	User      text   // of a DAG
	Config    *settings
	Plan      *planBody `json:"dagPlan"`
	Queue     text      `json:"queueName"`
	Status    text      // how the entity ended
	Diagnosis text      `json:"diagnostics"`
	Name      text      `json:"vertexName"` // or the DAG's
	Tasks     *number   `json:"numTasks"`
	End       number    `json:"endTime"`
	Start     number    `json:"startTime"`
	Allocated number    `json:"allocationTime"`
	Counters  counters
	Container text `json:"containerId"`
	Node      text `json:"nodeId"`
}

// appConfigured is the kind of the event with the application's configuration.
const appConfigured = "APP_LAUNCHED"

// at returns when the event happened.
func (e *event) at() dag.Instant { return e.At.Instant() }

// end returns when the entity ended.
func (e *event) end() dag.Instant { return dag.FirstKnown(e.End.Instant(), e.at()) }

// A slowStart has the fractions of finished source tasks between which a vertex starts its tasks; NaN unknown.
type slowStart struct{ min, max float64 }

// settings are the parts of an application's configuration that estimates use.
type settings struct {
	TaskMB   number  `json:"tez.task.resource.memory.mb"`
	HiveMB   number  `json:"hive.tez.container.size"`
	MasterMB number  `json:"tez.am.resource.memory.mb"`
	Min      *number `json:"tez.shuffle-vertex-manager.min-src-fraction"`
	Max      *number `json:"tez.shuffle-vertex-manager.max-src-fraction"`
	Reduces  *number `json:"mapreduce.job.reduce.slowstart.completedmaps"`
}

// taskMB returns the memory of a container, 0 if unknown.
func (s *settings) taskMB() int {
	return cmp.Or(s.HiveMB.Count(dag.MaxMemory), s.TaskMB.Count(dag.MaxMemory))
}

// The defaults of tez.shuffle-vertex-manager.min-src-fraction and max-src-fraction.
const defaultMin, defaultMax = 0.25, 0.75

// share returns a number from 0 to 1, and another value if there is none.
func share(v *number, otherwise float64) float64 {
	if v != nil && *v >= 0 && *v <= 1 {
		return float64(*v)
	}
	return otherwise
}

// slowStart returns the fractions for a vertex. Pig passes MapReduce's setting on to its vertices.
func (s *settings) slowStart(pig bool) slowStart {
	if r := share(s.Reduces, -1); pig && r >= 0 {
		return slowStart{r, r}
	}
	least := share(s.Min, defaultMin)
	return slowStart{least, max(least, share(s.Max, defaultMax))}
}

// A planBody is a DAG's plan, as a history contains it.
type planBody struct {
	Name    text `json:"dagName"`
	Context struct {
		Context, Description text
		CallerID             text `json:"callerId"`
	} `json:"dagContext"`
	Vertices []struct {
		Name      text `json:"vertexName"`
		Processor text `json:"processorClass"`
		Inputs    []struct {
			Name text
		} `json:"additionalInputs"`
	}
	Edges []struct {
		From     text `json:"inputVertexName"`
		To       text `json:"outputVertexName"`
		Movement text `json:"dataMovementType"`
	}
}

// A record is the parsed part of a record of SimpleHistoryLoggingService.
type record struct {
	Entity  text
	Related []struct {
		Entity text
		Type   text `json:"entitytype"`
	} `json:"relatedEntities"`
	Filters struct {
		Queue text `json:"queueName"`
	} `json:"primaryfilters"`
	Events []struct {
		At   number `json:"ts"`
		Type text   `json:"eventtype"`
		Info struct {
			Tasks *number `json:"numTasks"`
		} `json:"eventinfo"`
	}
	Other event `json:"otherinfo"`
}

// recordEvents decodes a record of SimpleHistoryLoggingService. ok is false if it is not one.
func recordEvents(b []byte) (out []event, ok bool) {
	var r record
	if json.Unmarshal(b, &r) != nil || r.Entity == "" {
		return nil, false
	}
	e := r.Other
	e.Kind, e.Entity = appConfigured, strings.TrimPrefix(string(r.Entity), "tez_")
	e.Queue = cmp.Or(e.Queue, r.Filters.Queue)
	to := map[text]*text{"containerId": &e.Container, "nodeId": &e.Node, "user": &e.User}
	for _, x := range r.Related {
		if id := to[x.Type]; id != nil {
			*id = x.Entity
		}
	}
	if len(r.Events) == 0 { // such a record only has the application's configuration
		return []event{e}, true
	}
	for _, w := range r.Events {
		e.Kind, e.At, e.Tasks = string(w.Type), w.At, cmp.Or(w.Info.Tasks, e.Tasks)
		out = append(out, e)
	}
	return out, true
}
