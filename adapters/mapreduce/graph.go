package mapreduce

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/paratimer/paratimer/adapters/internal/input"
	"github.com/paratimer/paratimer/adapters/naming"
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
// after the other (facts/hadoop.md C1).
type Graph struct {
	Vertices []Vertex
	Launches int  // number of batches
	Parallel bool // Hive submits stages at once that do not wait for each other
	Cyclic   bool // the settings describe a cycle, which was cut

	members []Member
	used    map[string]bool // nodes
	last    map[int]bool    // vertices without successors
}

// Bounds of the graph, whatever settings claim.
const (
	maxNodes = dag.MaxJobs
	maxEdges = dag.MaxDependencies / 2
)

// GraphOf places members in the graph that their settings describe. A member without settings gets a place of its
// own, or the first that is free and ready for it.
func GraphOf(members []Member) *Graph {
	g := &Graph{members: members, used: map[string]bool{}, last: map[int]bool{}}
	order := make([]int, len(members))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return yarn.ByID(members[a].Job, members[b].Job) })
	isUnknown := func(i int) bool { return members[i].Settings == nil }
	for left := slices.DeleteFunc(slices.Clone(order), isUnknown); len(left) > 0; g.Launches++ {
		launch := members[left[0]].Settings.Launch
		isOfBatch := func(i int) bool { return members[i].Settings.Launch == launch }
		g.addBatch(input.Only(left, isOfBatch))
		left = slices.DeleteFunc(left, isOfBatch)
	}
	for _, i := range order {
		if isUnknown(i) {
			g.presume(i)
		}
	}
	return g
}

// Warnings returns what is uncertain about the graph.
func (g *Graph) Warnings() (out []dag.Warning) {
	if g.Launches > 1 {
		out = append(out, dag.Warningf(dag.WarnSecondLaunch,
			"the script has launched %d batches of jobs; a later one is unknown until it comes", g.Launches))
	}
	if g.Cyclic {
		out = append(out, dag.Warningf(dag.WarnObservation,
			"the jobs' configurations describe a graph with a cycle; it was cut"))
	}
	return out
}

// Plan returns the plan of the graph, without its cluster, the names of jobs, and the numbers of their tasks. While its
// own settings are unknown, a job gets those of another one.
func (g *Graph) Plan(other *Settings) *dag.Plan {
	p := &dag.Plan{
		Name: other.WorkflowName, Overheads: other.Overheads, Jobs: make([]dag.Job, 0, len(g.Vertices)),
	}
	if g.Parallel {
		p.Driver = dag.Eager
	}
	for _, v := range g.Vertices {
		var own *Settings
		if v.Member >= 0 {
			own = g.members[v.Member].Settings
		}
		// Only its own settings describe what a job does.
		s, named := cmp.Or(own, other), cmp.Or(own, &Settings{})
		p.Jobs = append(p.Jobs, dag.Job{
			Node: v.Node, After: v.After, MasterMB: s.MasterMB, MapReduce: s.Limits,
			Feature: named.Feature, Alias: named.Alias, Input: named.Input,
			Stages: dag.MapReduce(dag.Stage{Pipelines: make([]dag.Pipeline, 1)},
				dag.Stage{Pipelines: make([]dag.Pipeline, dag.Pipelines)}),
		})
	}
	return p
}

// add appends a vertex. If its name is taken, it gets another.
func (g *Graph) add(node string, member int, after []int) {
	name := node
	for n := 2; g.used[name]; n++ {
		name = fmt.Sprintf("%s#%d", node, n)
	}
	g.used[name], g.last[len(g.Vertices)] = true, true
	for _, p := range after {
		delete(g.last, p)
	}
	g.Vertices = append(g.Vertices, Vertex{name, member, after})
}

// addBatch appends the jobs of one launch. They depend on everything launched before: a script's batches run one
// after the other.
//
// Hive writes the same workflow properties as Pig, with other contents (facts/hadoop.md C4). Nodes are the plan's
// stages, also those without a MapReduce job. Unless hive.exec.parallel is set, stages run one after the other, those
// that are not submitted in graph order. A failed stage ends the query, so it is right that all later stages depend on
// it.
func (g *Graph) addBatch(jobs []int) {
	before := slices.Sorted(maps.Keys(g.last))
	succ, submitted := map[string][]string{}, map[string]bool{}
	parallel := false
	for _, i := range jobs {
		c := g.members[i].Settings
		parallel = parallel || c.Parallel
		submitted[c.Node] = true
		for from, to := range c.After {
			succ[from] = input.Unique(slices.Concat(succ[from], to))
		}
		if c.Node != "" && succ[c.Node] == nil {
			succ[c.Node] = nil
		}
	}
	ofHive := naming.IsHive(g.members[jobs[0]].Settings.Workflow)
	g.Parallel = g.Parallel || ofHive && parallel
	if ofHive {
		succ = withoutOwn(succ, submitted)
	}
	pred := invert(succ)
	order, cyclic := topological(pred)
	g.Cyclic = g.Cyclic || cyclic
	vertices, at := make([]Vertex, 0, len(order)), map[string]int{}
	for k, name := range order {
		vertices, at[name] = append(vertices, Vertex{Node: name, Member: -1}), k
	}
	for _, i := range jobs {
		node := g.members[i].Settings.Node
		if k, ok := at[node]; ok && node != "" && vertices[k].Member < 0 {
			vertices[k].Member = i
		} else {
			vertices = append(vertices, Vertex{Node: cmp.Or(node, g.members[i].Job), Member: i})
		}
	}
	if ofHive && !parallel {
		slices.SortStableFunc(vertices, g.compareSubmitted)
	}
	place := map[string]int{}
	for k, v := range vertices {
		var after []int
		if _, isSecond := place[v.Node]; !isSecond {
			place[v.Node] = len(g.Vertices)
			for _, p := range pred[v.Node] {
				if i, isPlaced := place[p]; isPlaced { // else the edge closes a cycle, or Hive runs p later
					after = append(after, i)
				}
			}
			if len(after) == 0 {
				after = slices.Clone(before)
			}
		}
		if ofHive && !parallel && k > 0 {
			after = append(after, len(g.Vertices)-1)
		}
		g.add(v.Node, v.Member, input.Unique(after))
	}
}

// compareSubmitted orders the submitted vertices of a batch by their jobs, and before the others.
func (g *Graph) compareSubmitted(a, b Vertex) int {
	if a.Member < 0 || b.Member < 0 {
		return cmp.Compare(min(b.Member, 0), min(a.Member, 0))
	}
	return yarn.ByID(g.members[a.Member].Job, g.members[b.Member].Job)
}

// presume assigns a member without settings to the first free vertex whose predecessors have succeeded. While no
// settings are known, the member gets a vertex of its own.
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

// invert returns the predecessors of all names. A name does not precede itself. A graph beyond the bounds has no
// names.
func invert(succ map[string][]string) map[string][]string {
	pred := map[string][]string{}
	edges := 0
	for from, to := range succ {
		pred[from] = slices.Clip(pred[from])
		edges += len(to)
		for _, name := range to {
			if name != from {
				pred[name] = append(pred[name], from)
			}
		}
	}
	if len(pred) > maxNodes || edges > maxEdges {
		return nil
	}
	return pred
}

// topological orders the names so that all predecessors of a name come before it: wave by wave, and in a wave
// shorter names first, so that scope-9 comes before scope-35. In a cycle one name comes too early.
func topological(pred map[string][]string) (order []string, cyclic bool) {
	left := slices.SortedFunc(maps.Keys(pred), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	})
	done := map[string]bool{}
	waits := func(n string) bool { return slices.ContainsFunc(pred[n], func(p string) bool { return !done[p] }) }
	for len(left) > 0 {
		wave := slices.DeleteFunc(slices.Clone(left), waits)
		if len(wave) == 0 {
			cyclic, wave = true, left[:1]
		}
		order = append(order, wave...)
		for _, n := range wave {
			done[n] = true
		}
		left = slices.DeleteFunc(left, func(n string) bool { return done[n] })
	}
	return order, cyclic
}

// withoutOwn removes stages that Hive runs without a job from a query's graph. Their successors then follow their
// predecessors. A stage is known to have no job once a later stage has one. Stage-0 and all stages after it have
// none if other stages come first: that is Hive's number for the stage that moves or fetches the result.
func withoutOwn(succ map[string][]string, submitted map[string]bool) map[string][]string {
	pred := invert(succ)
	all := func(string) bool { return true }
	own := map[string]bool{}
	if len(pred["Stage-0"]) > 0 {
		own = reach(succ, "Stage-0", all)
		own["Stage-0"] = true
	}
	for n := range submitted {
		maps.Copy(own, reach(pred, n, all))
	}
	isOwn := func(n string) bool { return own[n] && !submitted[n] }
	out := map[string][]string{}
	edges := 0
	for from := range pred {
		if !isOwn(from) {
			next := reach(succ, from, isOwn)
			maps.DeleteFunc(next, func(n string, _ bool) bool { return isOwn(n) })
			out[from] = slices.Sorted(maps.Keys(next))
			if edges += len(next); edges > maxEdges {
				return nil
			}
		}
	}
	return out
}

// reach returns the names that next leads to from a name, directly and through others.
func reach(next map[string][]string, from string, through func(string) bool) map[string]bool {
	found := map[string]bool{}
	for left := slices.Clone(next[from]); len(left) > 0; {
		n := left[0]
		if left = left[1:]; !found[n] {
			if found[n] = true; through(n) {
				left = append(left, next[n]...)
			}
		}
	}
	return found
}
