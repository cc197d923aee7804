package tez

import (
	"cmp"
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/paratimer/paratimer/adapters/internal/input"
	"github.com/paratimer/paratimer/dag"
)

// A value of the wrong type in what Tez writes is unknown, never an error.
type (
	number = input.Number
	text   = input.Raw
)

// An event is a fact about a DAG that Tez has written into the master's log or a history file. Its fields have the
// names of both history services, in their JSON. Unknown ones are zero.
type event struct {
	Kind     string `json:"eventtype"` // as Tez names it, or appConfigured
	Entity   string // id of the application, DAG, vertex, attempt or container
	At       number `json:"ts"` // when it happened
	User     text   // of a DAG
	Config   *settings
	DAGPlan  *planBody
	Status   text // how the entity ended
	NumTasks *number
	Counters counters

	QueueName, VertexName, ContainerID, NodeID, Diagnostics text
	StartTime, EndTime, AllocationTime                      number
}

// appConfigured is the kind of the event with the application's configuration.
const appConfigured = "APP_LAUNCHED"

// at returns when the event happened.
func (e *event) at() dag.Instant { return e.At.Instant() }

// end returns when the entity ended.
func (e *event) end() dag.Instant { return dag.FirstKnown(e.EndTime.Instant(), e.at()) }

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
	DAGName    text
	DAGContext struct{ Context, Description, CallerID text }
	Vertices   []struct {
		VertexName, ProcessorClass text
		AdditionalInputs           []struct{ Name text }
	}
	Edges []struct{ InputVertexName, OutputVertexName, DataMovementType text }
}

// A record is the parsed part of a record of SimpleHistoryLoggingService.
type record struct {
	Entity          text
	RelatedEntities []struct{ Entity, EntityType text }
	PrimaryFilters  struct{ QueueName text }
	Events          []struct {
		TS        number
		EventType text
		EventInfo struct{ NumTasks *number }
	}
	OtherInfo event
}

// recordEvents decodes a record of SimpleHistoryLoggingService. ok is false if it is not one.
func recordEvents(b []byte) (out []event, ok bool) {
	var r record
	if json.Unmarshal(b, &r) != nil || r.Entity == "" {
		return nil, false
	}
	e := r.OtherInfo
	e.Kind, e.Entity = appConfigured, strings.TrimPrefix(string(r.Entity), "tez_")
	e.QueueName = cmp.Or(e.QueueName, r.PrimaryFilters.QueueName)
	to := map[text]*text{"containerId": &e.ContainerID, "nodeId": &e.NodeID, "user": &e.User}
	for _, x := range r.RelatedEntities {
		if id := to[x.EntityType]; id != nil {
			*id = x.Entity
		}
	}
	if len(r.Events) == 0 { // such a record only has the application's configuration
		return []event{e}, true
	}
	for _, w := range r.Events {
		e.Kind, e.At, e.NumTasks = string(w.EventType), w.TS, cmp.Or(w.EventInfo.NumTasks, e.NumTasks)
		out = append(out, e)
	}
	return out, true
}

// A master also writes the events of its history into its log, one per line and without delay. Only the log has the
// settings of its vertices.

// A lineReader applies the lines of a master's log that concern a DAG to its state.
type lineReader struct {
	st     *state
	vertex *vertex // that the next settings belong to; nil if none
	last   *event  // of the history, which the next lines may explain; nil if none
}

const vertexID = `(vertex_\d+_\d+_\d+_\d+)`

var (
	namePattern      = regexp.MustCompile(`\|app\.DAGAppMaster\|: Running DAG: (.*?)(?:, callerContext=|$)`)
	managerPattern   = regexp.MustCompile(`Setting (?:vertexManager to|user vertex manager plugin:) .*?` + vertexID)
	memoryPattern    = regexp.MustCompile(`vertex: ` + vertexID + ` \[(.*)\], Default Resources=<memory:(\d{1,9}),`)
	slowStartPattern = regexp.MustCompile(`Settings minFrac: ([0-9.Ee-]+) maxFrac: ([0-9.Ee-]+) auto: `)
	sourcePattern    = regexp.MustCompile(`Source vertex started: ` + vertexID + ` for vertex: ` + vertexID + ` \[`)
	// entryPattern matches the beginning of a log entry. Other lines continue the entry before them.
	entryPattern = regexp.MustCompile(`^\d{4}-\d\d-\d\d `)
)

// read applies a line that was read at an instant.
func (r *lineReader) read(line string, now dag.Instant) {
	if entryPattern.MatchString(line) {
		r.last = nil
	}
	_, history, isHistory := strings.Cut(line, "[HISTORY][DAG:")
	hasFailed := r.last != nil && r.last.Kind == "TASK_ATTEMPT_FINISHED" && r.last.Status == "FAILED"
	switch {
	case isHistory:
		r.last = r.history(history)
	case hasFailed && strings.HasPrefix(line, causedBy):
		r.last.Diagnostics = text(beforeCounters(line))
	default:
		r.setting(line)
		return
	}
	if r.last != nil {
		r.st.apply(r.last, now)
	}
}

// setting applies a line about the plan or a setting of a vertex.
func (r *lineReader) setting(line string) {
	var m []string
	is := func(pattern *regexp.Regexp) bool {
		m = pattern.FindStringSubmatch(line)
		return m != nil
	}
	switch {
	case is(namePattern): // the history has the name too, but writes it through a buffer
		if r.st.title.name == "" && !IsQuery(m[1]) {
			r.st.title = titleOf(r.st.id, &planBody{DAGName: text(m[1])})
		}
	case is(memoryPattern):
		if v := r.st.vertexOf(m[1]); v != nil {
			v.memoryMB, _ = strconv.Atoi(m[3])
			v.rename(text(m[2]))
		}
	case is(managerPattern):
		if r.vertex = r.st.vertexOf(m[1]); r.vertex != nil {
			r.vertex.movement = movementTo(line)
		}
	case is(slowStartPattern):
		if r.vertex != nil {
			r.vertex.slowStart = slowStart{share(toNumber(m[1]), math.NaN()), share(toNumber(m[2]), math.NaN())}
		}
	case is(sourcePattern): // the line does not contain the kind of edge
		from, to := r.st.vertexOf(m[1]), r.st.vertexOf(m[2])
		if r.st.hasPlan || from == nil || to == nil || from == to ||
			slices.ContainsFunc(to.sources, func(s source) bool { return s.vertex == from }) {
			return
		}
		to.sources = append(to.sources, source{vertex: from, movement: cmp.Or(to.movement, scatterGather)})
	}
}

// movementTo returns the likely data movement to a vertex, by the vertex manager that the line names.
func movementTo(line string) string {
	switch {
	case strings.Contains(line, "RootInputVertexManager"), strings.Contains(line, "ImmediateStartVertexManager"):
		return broadcast
	case strings.Contains(line, "InputReadyVertexManager"):
		return oneToOne
	}
	return scatterGather
}

// history decodes an event of the history from its line after the beginning of the DAG's id; nil if it is another
// DAG's. Its fields have the names of the history services, but for its entity and its time: each event has one of
// several fields with these.
func (r *lineReader) history(line string) *event {
	of, line, _ := strings.Cut(line, "][Event:")
	kind, line, _ := strings.Cut(line, "]: ")
	if of != r.st.id && of != "N/A" {
		return nil
	}
	line, diagnosis, _ := strings.Cut(line, ", diagnostics=")
	fields := map[string]string{}
	for part := range strings.SplitSeq(line, ", ") {
		if key, value, is := strings.Cut(part, "="); is {
			fields[key] = strings.TrimSpace(value)
		}
	}
	if rest, hasName := strings.CutPrefix(line, "vertexName="); hasName { // a name may contain any characters
		fields["vertexName"], _, _ = strings.Cut(rest, ", vertexId=")
	}
	fields["entity"] = cmp.Or(fields["successfulAttemptID"], fields["taskAttemptId"], fields["vertexId"],
		fields["appAttemptId"], fields["containerId"], of)
	fields["ts"] = cmp.Or(fields["finishTime"], fields["launchTime"], fields["submitTime"], fields["initedTime"],
		fields["startTime"])
	fields["eventtype"], fields["diagnostics"] = kind, beforeCounters(diagnosis)
	e := &event{}
	if text, err := json.Marshal(fields); err == nil {
		_ = json.Unmarshal(text, e) // values of the wrong type are unknown
	}
	if kind == "TASK_FINISHED" {
		e.Counters = countersIn(diagnosis)
	}
	return e
}

func beforeCounters(diagnosis string) string {
	diagnosis, _, _ = strings.Cut(diagnosis, ", counters=")
	return diagnosis
}

// toNumber returns the number in a text, NaN if there is none.
func toNumber(s string) *number {
	var n number
	_ = n.UnmarshalJSON([]byte(s)) // it accepts any value
	return &n
}

// countersIn returns the counters in the line of a task's end.
func countersIn(line string) (c counters) {
	_, list, _ := strings.Cut(line, ", counters=Counters: ")
	_, list, _ = strings.Cut(list, ", "+taskCounters+", ")
	for part := range strings.SplitSeq(list, ", ") {
		name, value, is := strings.Cut(part, "=")
		if !is {
			break // the next group
		}
		c.set(name, *toNumber(value))
	}
	return c
}
