package tez

import (
	"cmp"
	"encoding/json"
	"math"
	"strings"

	"github.com/paratimer/paratimer/dag"
)

// An event is a fact about a DAG. The master's log, its history files and its web service all yield events, and
// state.apply is the only reader of them. A source leaves the fields that it does not know as newEvent sets them.
type event struct {
	kind   string      // as Tez names it, or one of the kinds below
	entity string      // id of the application, DAG, vertex, attempt or container
	at     dag.Instant // when it happened

	name              string // of a vertex or DAG
	status, diagnosis string // how the entity ended
	user, queue       string // of a DAG

	container, node       string      // of an attempt
	allocated, start, end dag.Instant // of an attempt; end also of a DAG
	progress              float64     // of an attempt, 0 to 1
	counters              counters

	tasks     int       // of a vertex; -1 unknown
	memoryMB  int       // of a vertex' containers
	slowStart slowStart // of a vertex
	source    string    // id of a vertex that the vertex reads
	movement  string    // of a vertex' input

	running, succeeded, ended int // a vertex' tasks and its ended attempts, as the web service counts them

	plan     *planBody
	settings *settings
}

func newEvent(kind, entity string) event {
	none := dag.NoInstant
	return event{
		kind: kind, entity: entity, at: none, allocated: none, start: none, end: none, tasks: -1,
		slowStart: unknownSlowStart,
	}
}

// A slowStart has the fractions of finished source tasks between which a vertex starts its tasks; NaN unknown.
type slowStart struct{ min, max float64 }

var unknownSlowStart = slowStart{math.NaN(), math.NaN()}

// Kinds of events that Tez does not name. The first ones are log lines, the last ones entries of the web service.
const (
	appConfigured    = "APP_LAUNCHED"
	dagNamed         = "dag named"
	vertexSized      = "vertex sized"
	vertexManaged    = "vertex managed"
	vertexSlowStart  = "vertex slow start"
	vertexReads      = "vertex reads"
	attemptExplained = "attempt explained"
	dagReported      = "dag reported"
	vertexReported   = "vertex reported"
	attemptReported  = "attempt reported"
)

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

// slowStart returns the fractions for a vertex. Pig passes MapReduce's setting on to its vertices.
func (s *settings) slowStart(pig bool) slowStart {
	share := func(v *number, otherwise float64) float64 {
		if v != nil && *v >= 0 && *v <= 1 {
			return float64(*v)
		}
		return otherwise
	}
	if r := share(s.Reduces, -1); pig && r >= 0 {
		return slowStart{r, r}
	}
	least := share(s.Min, defaultMin)
	return slowStart{least, max(least, share(s.Max, defaultMax))}
}

// The defaults of tez.shuffle-vertex-manager.min-src-fraction and max-src-fraction.
const defaultMin, defaultMax = 0.25, 0.75

// historyEnd ends a record of a history file.
const historyEnd = "\x01"

// A record is the parsed part of a record of a history file (SimpleHistoryLoggingService).
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
	Other otherInfo `json:"otherinfo"`
}

// otherInfo has the parsed fields of a history's event except its time. Both history services write them.
type otherInfo struct {
	Config      *settings
	Plan        *planBody `json:"dagPlan"`
	Queue       text      `json:"queueName"`
	Status      text
	Diagnostics text
	Name        text    `json:"vertexName"`
	Tasks       *number `json:"numTasks"`
	End         number  `json:"endTime"`
	Start       number  `json:"startTime"`
	Allocated   number  `json:"allocationTime"`
	Counters    struct {
		Groups []struct {
			Name     text `json:"counterGroupName"`
			Counters []struct {
				Name  text   `json:"counterName"`
				Value number `json:"counterValue"`
			}
		} `json:"counterGroups"`
	}
	Container text `json:"containerId"`
	Node      text `json:"nodeId"`
}

// A planBody is a DAG's plan, as a history contains it.
type planBody struct {
	Name    text `json:"dagName"`
	Context struct {
		Context     text
		CallerID    text `json:"callerId"`
		Description text
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

// recordEvents decodes a record of SimpleHistoryLoggingService. ok is false if it is not one.
func recordEvents(b []byte) (out []event, ok bool) {
	var r record
	if json.Unmarshal(b, &r) != nil || r.Entity == "" {
		return nil, false
	}
	e := newEvent(appConfigured, strings.TrimPrefix(string(r.Entity), "tez_"))
	for _, x := range r.Related {
		switch x.Type {
		case "containerId":
			r.Other.Container = x.Entity
		case "nodeId":
			r.Other.Node = x.Entity
		case "user":
			e.user = string(x.Entity)
		}
	}
	r.Other.Queue = cmp.Or(r.Other.Queue, r.Filters.Queue)
	if len(r.Events) == 0 { // such a record only has the application's configuration
		e.fill(&r.Other)
		return []event{e}, true
	}
	for _, w := range r.Events {
		each := e
		each.kind, each.at = string(w.Type), w.At.Instant()
		if w.Info.Tasks != nil {
			r.Other.Tasks = w.Info.Tasks
		}
		each.fill(&r.Other)
		out = append(out, each)
	}
	return out, true
}

// fill takes the fields of a history's event.
func (e *event) fill(o *otherInfo) {
	e.plan, e.settings = o.Plan, o.Config
	e.queue, e.status, e.diagnosis, e.name = string(o.Queue), string(o.Status), string(o.Diagnostics), string(o.Name)
	e.container, e.node = string(o.Container), string(o.Node)
	e.allocated, e.start = o.Allocated.Instant(), o.Start.Instant()
	if e.end = o.End.Instant(); !e.end.Known() {
		e.end = e.at
	}
	if o.Tasks != nil && *o.Tasks >= 0 {
		e.tasks = o.Tasks.Count(dag.MaxTasks)
	}
	m := map[string]number{}
	for _, g := range o.Counters.Groups {
		if g.Name != taskCounters {
			continue
		}
		for _, c := range g.Counters {
			m[string(c.Name)] = c.Value
		}
	}
	e.counters = finalCounters(m)
}
