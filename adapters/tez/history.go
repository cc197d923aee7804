package tez

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"regexp"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/adapters/hive"
	"github.com/paratimer/paratimer/adapters/pig"
	"github.com/paratimer/paratimer/dag"
)

// historyEnd ends a record of a history file.
const historyEnd = "\x01"

// Data movements of edges, as plans name them.
const (
	scatterGather = "SCATTER_GATHER"
	broadcast     = "BROADCAST"
	oneToOne      = "ONE_TO_ONE"
	custom        = "CUSTOM"
)

// A record is the parsed part of a record of a history file (SimpleHistoryLoggingService).
type record struct {
	Entity text
	Type   text `json:"entitytype"`
	Events []struct {
		At   number `json:"ts"`
		Type text   `json:"eventtype"`
	}
	Related []struct {
		Entity text
		Type   text `json:"entitytype"`
	} `json:"relatedEntities"`
	Other struct {
		Config struct {
			TaskMB number `json:"tez.task.resource.memory.mb"`
			HiveMB number `json:"hive.tez.container.size"`
		}
		Plan        *planBody `json:"dagPlan"`
		Status      text
		Diagnostics text
		End         number `json:"endTime"`
		Start       number `json:"startTime"`
		Allocated   number `json:"allocationTime"`
	} `json:"otherinfo"`
}

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

// record applies a record of the history. Invalid records, for example after lost bytes, are ignored.
func (r *logReader) record(s string) {
	s = strings.TrimSpace(s)
	// Skip records about other things before the JSON is parsed: most are long.
	head, ours := s[:min(len(s), 200)], strings.TrimPrefix(r.g.id, "dag_")
	if !strings.Contains(head, r.g.id) && !strings.Contains(head, `"TEZ_APPLICATION"`) &&
		!strings.Contains(head, `"TEZ_APPLICATION_ATTEMPT"`) && !strings.Contains(head, ours+"_") {
		return
	}
	var rec record
	if json.Unmarshal([]byte(s), &rec) != nil {
		return
	}
	g := r.g
	if rec.Type == "TEZ_APPLICATION" {
		g.taskMB = rec.Other.Config.HiveMB.Count(dag.MaxMemory)
		if g.taskMB == 0 {
			g.taskMB = rec.Other.Config.TaskMB.Count(dag.MaxMemory)
		}
		return
	}
	for _, e := range rec.Events {
		switch e.Type {
		case "AM_LAUNCHED", "AM_STARTED":
			g.master.event(string(e.Type), e.At.Instant())
		case "DAG_SUBMITTED":
			if string(rec.Entity) == g.id {
				g.submitted = earliest(g.submitted, e.At.Instant())
				if rec.Other.Plan != nil {
					g.plan(rec.Other.Plan)
				}
			}
		case "DAG_FINISHED":
			if string(rec.Entity) == g.id {
				g.over(string(rec.Other.Status), rec.Other.End.Instant(), string(rec.Other.Diagnostics))
			}
		case "TASK_ATTEMPT_STARTED":
			if k, ok := parseID(string(rec.Entity), "attempt", g.id, 3); ok {
				in, node := "", ""
				for _, x := range rec.Related {
					switch x.Type {
					case "containerId":
						in = string(x.Entity)
					case "nodeId":
						node = string(x.Entity)
					}
				}
				r.begin(k, e.At.Instant(), in, node)
			}
		case "TASK_ATTEMPT_FINISHED":
			k, ok := parseID(string(rec.Entity), "attempt", g.id, 3)
			if state, ended := attemptStates[string(rec.Other.Status)]; ok && ended {
				o := &rec.Other
				why := reason(string(o.Diagnostics))
				r.finish(k, state, o.Allocated.Instant(), o.Start.Instant(), o.End.Instant(), why)
			}
		}
	}
}

// mostEdges bounds the edges of a plan.
const mostEdges = 100_000

// plan applies the DAG's plan.
func (g *graph) plan(b *planBody) {
	if g.planned || len(b.Vertices) == 0 {
		return
	}
	g.planned, g.edged = true, true
	for i := range b.Vertices[:min(len(b.Vertices), mostVertices)] {
		w := &b.Vertices[i]
		v := g.at(int32(i)) //nolint:gosec // G115: bounded above
		g.call(v, dag.Clean(string(w.Name)))
		v.sources = nil
		g.pig = g.pig || strings.HasSuffix(string(w.Processor), ".PigProcessor")
		for _, in := range w.Inputs {
			if name := dag.Clean(string(in.Name)); name != "" && !slices.Contains(g.inputs, name) &&
				len(g.inputs) < 100 {
				g.inputs = append(g.inputs, name)
			}
		}
	}
	slices.Sort(g.inputs)
	for i := range b.Edges[:min(len(b.Edges), mostEdges)] {
		e := &b.Edges[i]
		from, to := g.byName[dag.Clean(string(e.From))], g.byName[dag.Clean(string(e.To))]
		if from != nil && to != nil && from != to {
			to.sources = append(to.sources, source{vertex: from.index, movement: string(e.Movement)})
		}
	}
	g.entitle(b)
}

// hiveQuery matches a query id, which is the DAG's name for a Hive query without a name:
// root_20261122164915_b16fc803-fc1b-4a54-afc5-a2a7709a6272.
var hiveQuery = regexp.MustCompile(`^.*_\d{14}_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

var digits = regexp.MustCompile(`[0-9]+`)

// textKey returns the same key for queries that differ only in spaces, quoted texts and numbers. The query of the
// next day, for example, reads a table or a partition of another date.
func textKey(query string) string {
	text := digits.ReplaceAllString(strings.Join(strings.Fields(hive.Unquoted(query)), " "), "0")
	h := fnv.New32a()
	_, _ = h.Write([]byte(strings.ToLower(text))) // a hash accepts all input
	return fmt.Sprintf("%08x", h.Sum32())
}

// entitle names the DAG. A DAG of a script gets the script's name and, from the second one on, its number in the
// session, which is the same in each run. A query gets its name or else its text without quoted parts.
func (g *graph) entitle(b *planBody) {
	name := string(b.Name)
	query := ""
	if strings.EqualFold(string(b.Context.Context), "HIVE") {
		query = hive.QueryTitle(string(b.Context.Description))
		g.key = textKey(string(b.Context.Description))
	}
	switch script, is := pig.ScriptOfDAG(name); {
	case is:
		g.pig = true
		g.name = dag.Clean(script)
		if k := g.id[strings.LastIndexByte(g.id, '_')+1:]; k != "1" {
			g.name += " #" + k
		}
	case query != "" && (hiveQuery.MatchString(name) || hive.IsStage(name)):
		g.name = query
	case hive.IsStage(name):
		g.name = hive.JobTitle(name)
	default:
		g.name, g.title = hive.QueryTitle(name), query
	}
}
