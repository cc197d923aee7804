package tez

import (
	"cmp"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/paratimer/paratimer/dag"
)

// A master also writes the events of its history into its log, one per line and without delay. Only the log has the
// settings of its vertices.

// A logReader reads the lines of a master's log that concern one DAG.
type logReader struct {
	g     *graph
	node  func(id string) int32
	at    dag.Instant // of the observation
	about *vertex     // the vertex of the settings in the next line
	blame *attemptKey // the failed attempt that the next lines explain; nil if none
}

var (
	ofVertex  = regexp.MustCompile(`(vertex_\d+_\d+_\d+_\d+)`)
	resources = regexp.MustCompile(`vertex: (vertex_\d+_\d+_\d+_\d+) \[(.*)\], Default Resources=<memory:(\d{1,9}),`)
	settings  = regexp.MustCompile(`Settings minFrac: ([0-9.Ee-]+) maxFrac: ([0-9.Ee-]+) auto: (true|false)`)
	scheduled = regexp.MustCompile(
		`Scheduling \d+ tasks for vertex: (.*) with totalTasks: .* min: ([0-9.Ee-]+) max: ([0-9.Ee-]+)`)
	started = regexp.MustCompile(
		`Source vertex started: (vertex_\d+_\d+_\d+_\d+) for vertex: (vertex_\d+_\d+_\d+_\d+) \[`)
	event = regexp.MustCompile(`\[HISTORY\]\[DAG:([A-Za-z0-9_/]+)\]\[Event:([A-Z_]+)\]: `)
)

// line applies a line of the log.
func (r *logReader) line(line string) {
	if cause, is := strings.CutPrefix(line, causedBy); is {
		if k := r.blame; k != nil {
			r.explain(*k, cause)
		}
		return
	}
	if stamped.MatchString(line) {
		r.blame = nil
	}
	if at := strings.Index(line, "[HISTORY][DAG:"); at >= 0 {
		m := event.FindStringSubmatchIndex(line[at:])
		if m == nil {
			return
		}
		if of := line[at+m[2] : at+m[3]]; of == r.g.id || of == "N/A" {
			r.event(line[at+m[4]:at+m[5]], line[at+m[1]:])
		}
		return
	}
	switch {
	case strings.Contains(line, "|app.DAGAppMaster|: Running DAG: "):
		// The history has the name too, but writes it through a buffer.
		_, name, _ := strings.Cut(line, "|: Running DAG: ")
		name, _, _ = strings.Cut(name, ", callerContext=")
		if r.g.name == "" && !hiveQuery.MatchString(name) {
			r.g.entitle(&planBody{Name: text(name)})
		}
	case strings.Contains(line, ", Default Resources=<"):
		if m := resources.FindStringSubmatch(line); m != nil {
			if v := r.vertex(m[1]); v != nil {
				v.memoryMB, _ = strconv.Atoi(m[3])
				r.g.call(v, dag.Clean(m[2]))
			}
		}
	case strings.Contains(line, "Setting vertexManager to "), strings.Contains(line,
		"Setting user vertex manager plugin: "):
		if m := ofVertex.FindStringSubmatch(line); m != nil {
			if r.about = r.vertex(m[1]); r.about != nil {
				r.about.movement = movementTo(line)
			}
		}
	case strings.Contains(line, "Settings minFrac: "):
		if m := settings.FindStringSubmatch(line); m != nil && r.about != nil {
			r.about.min, r.about.max, r.about.auto = fraction(m[1]), fraction(m[2]), m[3] == "true"
		}
	case strings.Contains(line, "MinSourceTaskCompletedFraction: "):
		if m := scheduled.FindStringSubmatch(line); m != nil {
			if v := r.g.byName[dag.Clean(m[1])]; v != nil {
				v.min, v.max = fraction(m[2]), fraction(m[3])
			}
		}
	case strings.Contains(line, "Source vertex started: "):
		if m := started.FindStringSubmatch(line); m != nil && !r.g.planned {
			r.read(r.vertex(m[1]), r.vertex(m[2]))
		}
	}
}

// stamped matches the beginning of a log entry. Other lines continue the entry before them.
var stamped = regexp.MustCompile(`^\d{4}-\d\d-\d\d `)

// explain replaces the diagnosis of a failed attempt with a more specific cause.
func (r *logReader) explain(k attemptKey, cause string) {
	if a := r.g.find(k); a != nil && a.State == dag.AttemptFailed {
		cause, _, _ = strings.Cut(cause, ", counters=")
		a.Diagnosis = reason(cause)
		r.g.vertices[k.vertex].table.Change(k.task)
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

// read records that a vertex reads another one. The log does not contain the kind of edge.
func (r *logReader) read(from, to *vertex) {
	if from == nil || to == nil || from == to {
		return
	}
	for _, s := range to.sources {
		if s.vertex == from.index {
			return
		}
	}
	to.sources = append(to.sources, source{vertex: from.index, movement: cmp.Or(to.movement, scatterGather)})
	r.g.edged = true
}

func fraction(s string) float64 {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || !(v >= 0 && v <= 1) {
		return math.NaN()
	}
	return v
}

func (r *logReader) vertex(id string) *vertex {
	k, ok := parseID(id, "vertex", r.g.id, 1)
	if !ok {
		return nil
	}
	return r.g.at(k.vertex)
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

// event applies an event of the history.
func (r *logReader) event(kind, line string) {
	g := r.g
	switch kind {
	case "AM_LAUNCHED":
		g.master.event(kind, instant(line, "launchTime"))
	case "AM_STARTED":
		g.master.event(kind, instant(line, "startTime"))
	case "DAG_SUBMITTED":
		if field(line, "dagID") == g.id {
			g.submitted = earliest(g.submitted, instant(line, "submitTime"))
		}
	case "DAG_STARTED":
		g.started = instant(line, "startTime")
	case "DAG_FINISHED":
		g.over(field(line, "status"), instant(line, "finishTime"), diagnostics(line))
	case "VERTEX_INITIALIZED", "VERTEX_CONFIGURE_DONE":
		v := r.vertex(field(line, "vertexId"))
		if v == nil {
			return
		}
		if rest, named := strings.CutPrefix(line, "vertexName="); named {
			name, _, _ := strings.Cut(rest, ", vertexId=")
			g.call(v, dag.Clean(name))
		}
		if n, err := strconv.Atoi(field(line, "numTasks")); err == nil && n >= 0 {
			v.setTasks(min(n, dag.MaxTasks), true)
		}
	case "VERTEX_STARTED":
		if v := r.vertex(field(line, "vertexId")); v != nil {
			v.begun = true
		}
	case "CONTAINER_LAUNCHED":
		if c := g.container(field(line, "containerId")); c != nil {
			c.launched = instant(line, "launchTime")
		}
	case "TASK_ATTEMPT_STARTED":
		if k, ok := r.attempt(line); ok {
			r.begin(k, instant(line, "startTime"), field(line, "containerId"), field(line, "nodeId"))
		}
	case "TASK_ATTEMPT_FINISHED":
		k, ok := r.attempt(line)
		state, ended := attemptStates[field(line, "status")]
		if ok && ended {
			allocated, start := instant(line, "allocationTime"), instant(line, "startTime")
			r.finish(k, state, allocated, start, instant(line, "finishTime"), reason(diagnostics(line)))
			r.blame = &k
		}
	case "TASK_FINISHED":
		r.taskFinished(line)
	}
}

// attempt parses the attempt id of a line. The vertex name before it may contain any characters.
func (r *logReader) attempt(line string) (attemptKey, bool) {
	return parseID(field(line, "taskAttemptId"), "attempt", r.g.id, 3)
}

func (r *logReader) begin(k attemptKey, at dag.Instant, in, node string) {
	r.g.begin(k, at, in, r.node(node))
	if a := r.g.find(k); a != nil && a.State == dag.AttemptWaiting {
		a.State = dag.AttemptRunning // otherwise its end is already known
	}
}

func (r *logReader) finish(k attemptKey, state dag.AttemptState, allocated, start, end dag.Instant, why string) {
	r.g.end(k, state, start, end, why)
	if a := r.g.find(k); a != nil && a.fresh {
		r.g.setup(k, allocated, a.Start)
	}
}

// taskFinished applies the counters of a task's successful attempt.
func (r *logReader) taskFinished(line string) {
	k, ok := parseID(field(line, "successfulAttemptID"), "attempt", r.g.id, 3)
	_, list, found := strings.Cut(line, ", counters=Counters: ")
	if !ok || !found {
		return
	}
	_, list, found = strings.Cut(list, ", "+taskCounters+", ")
	a := r.g.find(k)
	if !found || a == nil {
		return
	}
	m := map[string]number{}
	for part := range strings.SplitSeq(list, ", ") {
		name, value, is := strings.Cut(part, "=")
		if !is || len(m) > 200 {
			break // the next group
		}
		if v, err := strconv.ParseFloat(value, 64); err == nil {
			m[name] = number(v)
		}
	}
	c := countersOf(m)
	v := r.g.vertices[k.vertex]
	v.table.Change(k.task)
	r.g.count(v, a, &c, r.at)
	a.settled = a.settled || c.any && a.State == dag.AttemptSucceeded
}

// diagnostics returns the failure message in an event's line.
func diagnostics(line string) string {
	_, why, _ := strings.Cut(line, ", diagnostics=")
	why, _, _ = strings.Cut(why, ", counters=")
	return why
}

func earliest(a, b dag.Instant) dag.Instant {
	if !a.Known() || b.Known() && b < a {
		return b
	}
	return a
}

// over records how the DAG ended by its master's log or history.
func (g *graph) over(status string, at dag.Instant, said string) {
	if _, ended := dagStates[status]; !ended {
		return
	}
	g.logged, g.finished, g.diagnosis = status, at, dagReason(said)
}

// dagStates are the final states.
var dagStates = map[string]dag.State{
	"SUCCEEDED": dag.Succeeded, "FAILED": dag.Failed, "KILLED": dag.Killed, "ERROR": dag.Failed,
}
