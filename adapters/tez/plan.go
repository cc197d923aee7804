package tez

import (
	"cmp"
	"math"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/paratimer/paratimer/adapters/internal/engine"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

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
		Name: cmp.Or(st.title.name, st.id), Engine: engine.Tez, Whole: engine.Whole(engine.Tez),
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
	if st.plan != nil && reflect.DeepEqual(st.plan, p) {
		return st.plan
	}
	return p
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
