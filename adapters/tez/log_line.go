package tez

import (
	"cmp"
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/paratimer/paratimer/dag"
)

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
		r.last.Diagnosis = text(beforeCounters(line))
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
			r.st.title = titleOf(r.st.id, &planBody{Name: text(m[1])})
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
