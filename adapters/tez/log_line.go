package tez

import (
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/paratimer/paratimer/dag"
)

// A master also writes the events of its history into its log, one per line and without delay. Only the log has the
// settings of its vertices.

// A lineReader turns the lines of a master's log that concern one DAG into events.
type lineReader struct {
	dag     string // id
	vertex  string // id of the vertex that the next settings belong to
	attempt string // id of the ended attempt that the next lines explain; "" if none
}

var (
	namePattern    = regexp.MustCompile(`: Running DAG: (.*?)(?:, callerContext=|$)`)
	managerPattern = regexp.MustCompile(
		`Setting (?:vertexManager to|user vertex manager plugin:) .*?(vertex_\d+_\d+_\d+_\d+)`)
	memoryPattern    = regexp.MustCompile(`vertex: (vertex_\d+_\d+_\d+_\d+) \[(.*)\], Default Resources=<memory:(\d{1,9}),`)
	slowStartPattern = regexp.MustCompile(`Settings minFrac: ([0-9.Ee-]+) maxFrac: ([0-9.Ee-]+) auto: `)
	sourcePattern    = regexp.MustCompile(
		`Source vertex started: (vertex_\d+_\d+_\d+_\d+) for vertex: (vertex_\d+_\d+_\d+_\d+) \[`)
	eventPattern = regexp.MustCompile(`\[HISTORY\]\[DAG:([A-Za-z0-9_/]+)\]\[Event:([A-Z_]+)\]: `)
	// entryPattern matches the beginning of a log entry. Other lines continue the entry before them.
	entryPattern = regexp.MustCompile(`^\d{4}-\d\d-\d\d `)
)

// read decodes a line. ok is false if it is not an event of the DAG.
func (r *lineReader) read(line string) (e event, ok bool) {
	if cause, is := strings.CutPrefix(line, causedBy); is {
		e = newEvent(attemptExplained, r.attempt)
		e.diagnosis, _, _ = strings.Cut(cause, ", counters=")
		return e, r.attempt != ""
	}
	if entryPattern.MatchString(line) {
		r.attempt = ""
	}
	if at := strings.Index(line, "[HISTORY][DAG:"); at >= 0 {
		m := eventPattern.FindStringSubmatchIndex(line[at:])
		if m == nil {
			return e, false
		}
		of := line[at+m[2] : at+m[3]]
		if of != r.dag && of != "N/A" {
			return e, false
		}
		return r.history(line[at+m[4]:at+m[5]], of, line[at+m[1]:])
	}
	return r.setting(line)
}

// setting decodes a line about the plan or a setting of a vertex.
func (r *lineReader) setting(line string) (e event, ok bool) {
	match := func(part string, pattern *regexp.Regexp) (m []string) {
		if strings.Contains(line, part) { // quicker than the pattern
			m = pattern.FindStringSubmatch(line)
		}
		return m
	}
	if m := match("|app.DAGAppMaster|: Running DAG: ", namePattern); m != nil {
		e = newEvent(dagNamed, r.dag)
		e.name = m[1]
	} else if m := match(", Default Resources=<", memoryPattern); m != nil {
		e = newEvent(vertexSized, m[1])
		e.name = m[2]
		e.memoryMB, _ = strconv.Atoi(m[3])
	} else if m := match("Setting ", managerPattern); m != nil {
		r.vertex = m[1]
		e = newEvent(vertexManaged, m[1])
		e.movement = movementTo(line)
	} else if m := match("Settings minFrac: ", slowStartPattern); m != nil {
		e = newEvent(vertexSlowStart, r.vertex)
		e.slowStart = slowStart{fraction(m[1]), fraction(m[2])}
	} else if m := match("Source vertex started: ", sourcePattern); m != nil {
		e = newEvent(vertexReads, m[2])
		e.source = m[1]
	}
	return e, e.kind != ""
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

func fraction(s string) float64 {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || !(v >= 0 && v <= 1) {
		return math.NaN()
	}
	return v
}

// loggedFields has the fields with the entity and the time of each event of the history that is read from a log. If
// there is no field with the entity, it is the DAG.
var loggedFields = map[string]struct{ entity, at string }{
	"AM_LAUNCHED":           {"appAttemptId", "launchTime"},
	"AM_STARTED":            {"appAttemptId", "startTime"},
	"DAG_SUBMITTED":         {"dagID", "submitTime"},
	"DAG_STARTED":           {"", "startTime"},
	"DAG_FINISHED":          {"", "finishTime"},
	"VERTEX_INITIALIZED":    {"vertexId", "initedTime"},
	"VERTEX_CONFIGURE_DONE": {"vertexId", ""},
	"VERTEX_STARTED":        {"vertexId", "startTime"},
	"CONTAINER_LAUNCHED":    {"containerId", "launchTime"},
	"TASK_ATTEMPT_STARTED":  {"taskAttemptId", "startTime"},
	"TASK_ATTEMPT_FINISHED": {"taskAttemptId", "finishTime"},
	"TASK_FINISHED":         {"successfulAttemptID", "finishTime"},
}

// history decodes an event of the history from its fields in a line.
func (r *lineReader) history(kind, dagID, line string) (e event, ok bool) {
	in, ok := loggedFields[kind]
	if !ok {
		return e, false
	}
	e = newEvent(kind, dagID)
	if in.entity != "" {
		e.entity = field(line, in.entity)
	}
	e.at = instant(line, in.at)
	e.end, e.start, e.allocated = e.at, instant(line, "startTime"), instant(line, "allocationTime")
	e.container, e.node, e.status = field(line, "containerId"), field(line, "nodeId"), field(line, "status")
	if rest, hasName := strings.CutPrefix(line, "vertexName="); hasName {
		e.name, _, _ = strings.Cut(rest, ", vertexId=") // a name may contain any characters
	}
	if n, err := strconv.Atoi(field(line, "numTasks")); err == nil && n >= 0 {
		e.tasks = min(n, dag.MaxTasks)
	}
	_, e.diagnosis, _ = strings.Cut(line, ", diagnostics=")
	e.diagnosis, _, _ = strings.Cut(e.diagnosis, ", counters=")
	switch kind {
	case "TASK_ATTEMPT_FINISHED":
		r.attempt = e.entity
	case "TASK_FINISHED":
		e.counters = countersIn(line)
	}
	return e, true
}

// field returns the value of a key in an event's line, or "".
func field(line, key string) string {
	at := 0
	for {
		i := strings.Index(line[at:], key+"=")
		if i < 0 {
			return ""
		}
		i += at
		if i == 0 || strings.HasSuffix(line[:i], ", ") {
			v, _, _ := strings.Cut(line[i+len(key)+1:], ",")
			return strings.TrimSpace(v)
		}
		at = i + 1
	}
}

func instant(line, key string) dag.Instant {
	v, err := strconv.ParseFloat(field(line, key), 64)
	if err != nil {
		return dag.NoInstant
	}
	return number(v).Instant()
}

// countersIn returns the counters in the line of a task's end.
func countersIn(line string) counters {
	m := map[string]number{}
	_, list, _ := strings.Cut(line, ", counters=Counters: ")
	_, list, _ = strings.Cut(list, ", "+taskCounters+", ")
	for part := range strings.SplitSeq(list, ", ") {
		name, value, is := strings.Cut(part, "=")
		if !is || len(m) > 200 {
			break // the next group
		}
		if v, err := strconv.ParseFloat(value, 64); err == nil {
			m[name] = number(v)
		}
	}
	return finalCounters(m)
}
