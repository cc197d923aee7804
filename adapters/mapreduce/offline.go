package mapreduce

import (
	"slices"

	"github.com/paratimer/paratimer/adapters/internal/loose"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// Functions that readers of history files share with the watcher of a live cluster: both must build the same
// workflow.

// A Property is one setting of a job's configuration.
type Property struct{ Name, Value string }

// ReadSettings reads the settings from a job's properties. Without properties they are Hadoop's defaults.
func ReadSettings(properties []Property) Settings {
	var b confBody
	for _, p := range properties {
		b.Conf.V.Properties = append(b.Conf.V.Properties, wireProperty{loose.Raw(p.Name), loose.Raw(p.Value)})
	}
	return b.conf().Settings
}

// A Member is a job that belongs to a workflow.
type Member struct {
	Job      string    // its id
	Settings *Settings // nil while unknown
	State    dag.State
}

// A Vertex is a job of the workflow's graph. Vertices come after the ones that they depend on.
type Vertex struct {
	Node   string // unique
	Member int    // index, -1 for a job that is not submitted
	After  []int
}

// GraphOf places members in the graph that their settings describe, as a Source does. launches is the number of
// batches; cyclic means that a cycle was cut.
func GraphOf(members []Member) (vertices []Vertex, launches int, cyclic bool) {
	jobs, index := make([]*job, len(members)), map[*job]int{}
	for i, m := range members {
		j := &job{app: m.Job, id: m.Job, lifecycle: lifecycle{state: m.State}}
		if m.Settings != nil {
			j.conf = &settings{Settings: *m.Settings}
		}
		jobs[i], index[j] = j, i
	}
	slices.SortStableFunc(jobs, func(a, b *job) int { return yarn.ByID(a.app, b.app) })
	g := graphOf(jobs)
	for _, n := range g.nodes {
		v := Vertex{Node: n.label, Member: -1, After: n.after}
		if n.job != nil {
			v.Member = index[n.job]
		}
		vertices = append(vertices, v)
	}
	return vertices, g.launches, g.cyclic
}

// A Counter is one of a task's counters.
type Counter struct {
	Group, Name string
	Value       float64
}

// Counts are the counters that estimates use; NaN if the task did not report them.
type Counts struct {
	MapIn, MapOut, ReduceIn, ReduceOut float64 // records
	Copied                             float64 // map outputs
	Shuffled, Read                     float64 // bytes
}

// CountsOf returns those of a task's counters that estimates use.
func CountsOf(counters []Counter) Counts {
	var b countersBody
	groups := map[string]int{}
	for _, c := range counters {
		list := &b.Counters.V.Groups
		i, known := groups[c.Group]
		if !known {
			i = len(*list)
			groups[c.Group] = i
			*list = append(*list, wireGroup{Name: loose.Label(c.Group)})
		}
		g := &(*list)[i]
		g.Counters = append(g.Counters, wireCounter{loose.Label(c.Name), loose.Some(c.Value)})
	}
	c := b.counters()
	return Counts{
		MapIn: c.mapIn, MapOut: c.mapOut, ReduceIn: c.redIn, ReduceOut: c.redOut, Copied: c.shuffledMaps,
		Shuffled: c.shuffledB, Read: c.read,
	}
}

// AttemptOf parses the id of an attempt; ok is false for anything else.
func AttemptOf(id string) (kind dag.StageIndex, task, number int32, ok bool) { return attemptID(id) }

// MapShare is the part of a map's progress in which it reads its input, if reduces follow.
const MapShare = mapShare
