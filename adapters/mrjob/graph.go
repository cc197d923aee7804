package mrjob

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/paratimer/paratimer/adapters/hive"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

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

// A Graph is a workflow as far as the settings of its jobs describe it: a script may launch several batches, one
// after the other (docs/facts/hadoop.md C1).
type Graph struct {
	Vertices []Vertex
	Launches int  // number of batches
	Parallel bool // Hive submits stages at once that do not wait for each other
	Cyclic   bool // the settings describe a cycle, which was cut

	members []Member
	used    map[string]bool // nodes
}

// Bounds of the graph, whatever settings claim.
const (
	maxNodes = dag.MaxJobs
	maxEdges = dag.MaxDependencies / 2
)

// GraphOf places members in the graph that their settings describe. A member without settings gets a place of its
// own, or the first that is free and ready for it.
func GraphOf(members []Member) *Graph {
	g := &Graph{members: members, used: map[string]bool{}}
	order := make([]int, len(members))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return yarn.ByID(members[a].Job, members[b].Job) })
	var launches []string
	batches := map[string][]int{}
	for _, i := range order {
		c := members[i].Settings
		if c == nil {
			continue
		}
		if batches[c.Launch] == nil {
			launches = append(launches, c.Launch)
		}
		batches[c.Launch] = append(batches[c.Launch], i)
	}
	g.Launches = len(launches)
	for _, launch := range launches {
		g.addBatch(batches[launch])
	}
	for _, i := range order {
		if members[i].Settings == nil {
			g.presume(i)
		}
	}
	return g
}

// add appends a vertex. If its name is taken, it gets another.
func (g *Graph) add(node string, member int, after []int) {
	name := node
	for n := 2; g.used[name]; n++ {
		name = fmt.Sprintf("%s#%d", node, n)
	}
	g.used[name] = true
	g.Vertices = append(g.Vertices, Vertex{name, member, after})
}

// addBatch appends the jobs of one launch. They depend on everything launched before: a script's batches run one
// after the other.
func (g *Graph) addBatch(jobs []int) {
	before, first := g.leaves(), len(g.Vertices)
	succ, submitted := map[string][]string{}, map[string]bool{}
	parallel := false
	for _, i := range jobs {
		c := g.members[i].Settings
		parallel = parallel || c.Parallel
		submitted[c.Node] = true
		for from, to := range c.After {
			all := slices.Concat(succ[from], to)
			slices.Sort(all)
			succ[from] = slices.Compact(all)
		}
		if c.Node != "" && succ[c.Node] == nil {
			succ[c.Node] = nil
		}
	}
	ofHive := hive.Is(g.members[jobs[0]].Settings.Workflow)
	if ofHive {
		succ = withoutOwn(succ, submitted)
	}
	place := map[string]int{}
	order, pred, cyclic := topological(succ)
	g.Cyclic = g.Cyclic || cyclic
	for _, name := range order {
		var after []int
		for _, p := range pred[name] {
			after = append(after, place[p])
		}
		if len(after) == 0 {
			after = before
		}
		slices.Sort(after)
		place[name] = len(g.Vertices)
		g.add(name, -1, after)
	}
	for _, i := range jobs {
		node := g.members[i].Settings.Node
		if at, ok := place[node]; ok && node != "" && g.Vertices[at].Member < 0 {
			g.Vertices[at].Member = i
		} else {
			g.add(cmp.Or(node, g.members[i].Job), i, nil)
		}
	}
	switch {
	case ofHive && parallel:
		g.Parallel = true
	case ofHive:
		g.serialize(first)
	}
}

// presume gives a member without settings the first vertex that is ready for it; before any settings are known, a
// vertex of its own.
func (g *Graph) presume(member int) {
	if g.Launches == 0 {
		g.add(g.members[member].Job, member, nil)
		return
	}
	waits := func(p int) bool {
		m := g.Vertices[p].Member
		return m < 0 || g.members[m].State != dag.Succeeded
	}
	for i := range g.Vertices {
		if v := &g.Vertices[i]; v.Member < 0 && !slices.ContainsFunc(v.After, waits) {
			v.Member = member
			return
		}
	}
}

// leaves returns the vertices without successors.
func (g *Graph) leaves() []int {
	inner := make([]bool, len(g.Vertices))
	for i := range g.Vertices {
		for _, p := range g.Vertices[i].After {
			inner[p] = true
		}
	}
	var out []int
	for i := range g.Vertices {
		if !inner[i] {
			out = append(out, i)
		}
	}
	return out
}

// topological orders the names so that all predecessors of a name come before it: wave by wave, and in a wave
// shorter names first, so that scope-9 comes before scope-35. It cuts edges that close a cycle. A graph beyond the
// bounds has no names.
func topological(succ map[string][]string) (order []string, pred map[string][]string, cyclic bool) {
	pred = map[string][]string{}
	edges := 0
	for from, to := range succ {
		pred[from] = slices.Clip(pred[from])
		for _, name := range to {
			if edges++; name != from {
				pred[name] = append(pred[name], from)
			}
		}
	}
	if len(pred) > maxNodes || edges > maxEdges {
		return nil, nil, false
	}
	left := slices.SortedFunc(maps.Keys(pred), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	})
	done := map[string]bool{}
	waits := func(p string) bool { return !done[p] }
	for len(left) > 0 {
		var wave, rest []string
		for _, n := range left {
			if slices.ContainsFunc(pred[n], waits) {
				rest = append(rest, n)
			} else {
				wave = append(wave, n)
			}
		}
		if len(wave) == 0 {
			cyclic = true
			pred[rest[0]] = slices.DeleteFunc(pred[rest[0]], waits)
		}
		for _, n := range wave {
			done[n] = true
		}
		order = append(order, wave...)
		left = rest
	}
	return order, pred, cyclic
}
