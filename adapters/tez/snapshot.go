package tez

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/paratimer/paratimer/adapters/internal/events"
	"github.com/paratimer/paratimer/adapters/internal/input"
	"github.com/paratimer/paratimer/adapters/naming"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// surroundings have the facts about the cluster in snapshots. A *yarn.Overview implements them.
type surroundings interface {
	Cluster(app string) dag.Cluster
	Fill(snap *dag.Snapshot, app string)
	NodeIndex(id string) int32
}

// snapshot returns the state of a DAG for one instant. Later changes do not affect the snapshot. Snapshots share the
// plan while it is the same, and the attempts of a vertex until one of them changes. Until the log
// has the vertices and edges (isShaped), one stage represents all vertices. From then on the order of stages is fixed.
func (st *state) snapshot(now dag.Instant, app *yarn.App, state dag.State, isShaped bool) *dag.Snapshot {
	if isShaped {
		if st.plan == nil {
			st.stageOrder = st.order()
		}
		st.stageOrder = append(st.stageOrder, st.vertices[len(st.stageOrder):]...) // later ones have higher indices
		st.submitted = dag.FirstKnown(st.submitted, st.started, now)
	}
	if state.Ended() {
		st.endWith(state, dag.FirstKnown(st.finished, now))
	}
	plan := st.planOf(now, app)
	snap := &dag.Snapshot{
		Plan: plan, At: now, ID: st.id, State: state, Stale: dag.NoInstant, Jobs: plan.BlockedJobs(),
	}
	j := &snap.Jobs[0]
	j.ID, j.State, j.HeldMB, j.Master = app.ID, state, app.HeldMB, app.Node
	if st.submitted.Known() {
		j.Submitted = min(st.submitted, now)
	}
	st.room.Fill(snap, app.ID)
	if !isShaped {
		return snap
	}
	st.plan, snap.Warnings = plan, st.warnTooLarge()
	j.Attempt, j.Started = max(1, st.masters), st.started
	if state.Ended() {
		j.Finished = min(dag.FirstKnown(st.finished, now), now)
		if state != dag.Succeeded {
			j.Diagnosis = st.diagnosis
		}
	}
	for i, v := range st.stageOrder {
		j.Stages[i].Attempts = v.snapshot(now)
	}
	return snap
}

// snapshot returns the attempts of a vertex, with times up to at. Snapshots share the slice until the vertex changes.
func (v *vertex) snapshot(at dag.Instant) []dag.Attempt {
	return v.table.Attempts(func(to []dag.Attempt, index int32, t *task) []dag.Attempt {
		if v.hasTasks && int(index) >= v.tasks {
			return to
		}
		for i := range t.attempts {
			a := t.attempts[i].Attempt
			if a.State == dag.AttemptWaiting {
				continue
			}
			if a.Start > at || a.End > at { // the log was read a moment after the observation
				a.Start, a.End = min(a.Start, at), min(a.End, at)
				v.table.Change(index)
			}
			to = append(to, a)
		}
		return to
	})
}

// counterInterval is how often a task sends its counters (tez.task.am.heartbeat.counter.interval-ms.max).
const counterInterval = 4 * time.Second

// unknownStages stands for the vertices of a DAG while they are unknown.
const unknownStages = "vertex"

// order returns the vertices in topological order, by index where several orders are possible. In a cycle, which no
// master accepts, the vertex with the lowest index comes first.
func (st *state) order() (out []*vertex) {
	placed := make([]bool, len(st.vertices))
	isWaiting := func(s source) bool { return !placed[s.vertex.index] }
	for range st.vertices {
		next := slices.IndexFunc(st.vertices, func(v *vertex) bool {
			return !placed[v.index] && !slices.ContainsFunc(v.sources, isWaiting)
		})
		if next < 0 {
			next = slices.Index(placed, false)
		}
		placed[next] = true
		out = append(out, st.vertices[next])
	}
	return out
}

// planOf makes the plan with the vertices in the order of the stages; without any, one stage with unknown tasks stands
// for all. It returns the previous plan if nothing has changed, so that readers can compare pointers.
func (st *state) planOf(now dag.Instant, app *yarn.App) *dag.Plan {
	p := &dag.Plan{
		Name: cmp.Or(st.title.name, st.id), Engine: naming.Tez, Whole: naming.Whole(naming.Tez),
		Cluster: st.room.Cluster(app.ID), Driver: dag.Eager,
		Jobs: []dag.Job{{
			Node: "dag", Name: st.title.job(st.id), Rules: dag.AncestorsFirst, Input: st.inputs,
			Alias: st.title.key, MasterMB: app.MasterMB,
			Stages: []dag.Stage{{Name: unknownStages}},
		}},
		Overheads: dag.Overheads{
			Report: counterInterval, Boot: st.boot.took(dag.FirstKnown(st.submitted, now)),
			SetupMin: time.Duration(st.setupMedian() * float64(time.Millisecond)),
		},
	}
	job := &p.Jobs[0]
	if st.title.key != "" {
		job.Feature = "HIVE_QUERY" // its alias is the query's text
	}
	if len(st.stageOrder) > 0 {
		job.Stages = st.stages()
	}
	if st.plan != nil && job.MasterMB == 0 {
		job.MasterMB = st.plan.Jobs[0].MasterMB
	}
	return events.Plan(st.plan, p)
}

// stages returns the stages of the vertices in their order.
func (st *state) stages() []dag.Stage {
	out := make([]dag.Stage, len(st.stageOrder))
	at := map[int32]dag.StageIndex{}
	left := dag.MaxTasks
	used := map[string]bool{}
	for i, v := range st.stageOrder {
		stage, number := &out[i], strconv.Itoa(int(v.index))
		stage.Name = cmp.Or(v.name, "vertex "+number)
		for used[stage.Name] {
			stage.Name += " #" + number
		}
		used[stage.Name] = true
		stage.MemoryMB = cmp.Or(v.memoryMB, st.settings.taskMB())
		stage.Tasks, stage.Known = min(v.tasks, left), v.hasTasks
		if v.hasTasks {
			left -= stage.Tasks
		}
		stage.After = st.edges(v, at)
		stage.Pipelines = make([]dag.Pipeline, 1)
		if stage.Copies() {
			stage.Pipelines = make([]dag.Pipeline, dag.Pipelines)
		}
		at[v.index] = dag.StageIndex(i) //nolint:gosec // G115: vertices are bounded
	}
	return out
}

// edges returns the plan's edges into a vertex. They do not model auto-parallelism: a vertex that may still reduce
// its number of tasks requests none before its sources have written enough or reached the upper fraction.
func (st *state) edges(v *vertex, at map[int32]dag.StageIndex) []dag.Edge {
	var out []dag.Edge
	for _, s := range v.sources {
		from, before := at[s.vertex.index]
		if !before || slices.ContainsFunc(out, func(e dag.Edge) bool { return e.From == from }) {
			continue
		}
		e := dag.Edge{From: from}
		switch s.movement {
		case scatterGather:
			start := v.slowStart
			if math.IsNaN(start.min) {
				start = st.settings.slowStart(st.title.pig)
			}
			e.Kind, e.Ratio, e.Full = dag.SlowStart, start.min, max(start.max, start.min)
		case broadcast:
			e.Kind = dag.Broadcast
		case oneToOne:
			if !s.vertex.hasTasks || !v.hasTasks || s.vertex.tasks == v.tasks {
				e.Kind = dag.OneToOne
			}
		}
		out = append(out, e)
	}
	slices.SortFunc(out, func(a, b dag.Edge) int { return cmp.Compare(a.From, b.From) })
	return out
}

// A title has the names of a DAG.
type title struct {
	name    string
	query   string // title of the query; "" if that is the name
	queryID string // as Hive gave it; "" if it is not a query
	key     string // identifies a query by its text, whatever its name; "" if it is not a query
	pig     bool   // Pig runs it
}

// hiveQuery matches a query id, which is the DAG's name for a Hive query without a name:
// root_20261122164915_b16fc803-fc1b-4a54-afc5-a2a7709a6272.
var hiveQuery = regexp.MustCompile(`^.*_\d{14}_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// IsQuery reports whether a text is the id of a Hive query.
func IsQuery(id string) bool { return hiveQuery.MatchString(id) }

// titleOf returns the title of a DAG. A DAG of a script gets the script's name and, from the second one on, its number
// in the session, which is the same in each run. A query gets its name or else its text without quoted parts.
func titleOf(id string, b *planBody) title {
	name, t := string(b.DAGName), title{}
	query := ""
	if strings.EqualFold(string(b.DAGContext.Context), "HIVE") {
		t.queryID, _, _ = strings.Cut(string(b.DAGContext.CallerID), "_User:")
		query = naming.QueryTitle(string(b.DAGContext.Description))
		t.key = textKey(string(b.DAGContext.Description))
	}
	switch script, isScript := naming.ScriptOfPigDAG(name); {
	case isScript:
		t.pig = true
		t.name = dag.Clean(script)
		if n := numberOf(id); n != 1 {
			t.name += fmt.Sprintf(" #%d", n)
		}
	case query != "" && (IsQuery(name) || naming.IsHiveStage(name)):
		t.name = query
	case naming.IsHiveStage(name):
		t.name = naming.JobTitle(name)
	default:
		t.name, t.query = naming.QueryTitle(name), query
	}
	return t
}

// job returns the name of the DAG's job.
func (t *title) job(id string) string { return cmp.Or(t.query, t.name, id) }

var digits = regexp.MustCompile(`[0-9]+`)

// textKey returns the same key for queries that differ only in spaces, quoted texts and numbers. The query of the
// next day, for example, reads a table or a partition of another date.
func textKey(query string) string {
	text := digits.ReplaceAllString(strings.Join(strings.Fields(naming.Unquoted(query)), " "), "0")
	h := fnv.New32a()
	_, _ = h.Write([]byte(strings.ToLower(text))) // a hash accepts all input
	return fmt.Sprintf("%08x", h.Sum32())
}

const causedBy = "Caused by: "

// preamble matches the text that Tez puts before a task's exception.
var preamble = regexp.MustCompile(`^Error: (Node: \S+ : )?Error while running task \( failure \) : (attempt_\w+:)?`)

// reason returns why an attempt failed, from Tez' diagnostics: the innermost cause of an exception. The outer
// exceptions are wrappers of the engine with names that fill a line.
func reason(said string) string {
	cause := preamble.ReplaceAllString(said, "")
	for line := range strings.Lines(said) {
		if inner, is := strings.CutPrefix(strings.TrimSpace(line), causedBy); is {
			cause = inner
		}
	}
	return input.FirstLine(cause)
}

// The text that Tez puts before the reason of the vertex that ended the DAG, and the ids in the reason.
var (
	vertexFailed = regexp.MustCompile(
		`^Vertex (failed|killed), vertexName=(.*?), vertexId=vertex_\w+, diagnostics=\[(Vertex vertex_\w+ \[.*?\] killed/failed due to:)?`)
	vertexInReason = regexp.MustCompile(`, vertex=vertex_\w+ \[[^]]*\]`)
)

// dagReason returns why a DAG failed, from Tez' diagnostics: the vertex and its message without a stack trace.
func dagReason(said string) string {
	said, _, _ = strings.Cut(said, "\n\tat ")
	said = vertexInReason.ReplaceAllString(vertexFailed.ReplaceAllString(said, "$2: "), "")
	return input.FirstLine(strings.ReplaceAll(strings.TrimSpace(said), "\n", ", "))
}
