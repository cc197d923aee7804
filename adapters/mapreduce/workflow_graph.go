package mapreduce

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/adapters/hive"
	"github.com/paratimer/paratimer/dag"
)

// A node is a vertex of the workflow's graph: a job, submitted or not.
type node struct {
	label string // unique
	job   *job   // nil before submission
	after []int
}

// A graph is the workflow as far as confs describe it: a script may launch several batches, one after the other
// (docs/facts/hadoop.md C1).
type graph struct {
	nodes    []node
	launches int
	known    bool // some conf described it
	parallel bool // Hive submits stages at once that do not wait for each other
	cyclic   bool // the confs' graph had a cycle, which was cut
}

// Bounds of the graph, whatever confs claim.
const (
	maxNodes = dag.MaxJobs
	maxEdges = dag.MaxDependencies / 2
)

// graphOf places the members, sorted by application id, in the graph that their confs describe.
func graphOf(members []*job) *graph {
	g := &graph{}
	var batches []string
	byBatch := map[string][]*job{}
	var presumed []*job
	for _, j := range members {
		if j.conf == nil {
			presumed = append(presumed, j)
			continue
		}
		if byBatch[j.conf.Launch] == nil {
			batches = append(batches, j.conf.Launch)
		}
		byBatch[j.conf.Launch] = append(byBatch[j.conf.Launch], j)
	}
	g.launches, g.known = len(batches), len(batches) > 0
	used := map[string]bool{}
	for _, b := range batches {
		g.batch(byBatch[b], used)
	}
	for _, j := range presumed {
		g.presume(j, used)
	}
	return g
}

// batch appends the jobs of one launch. They depend on everything launched before: a script's batches run one after
// the other.
func (g *graph) batch(jobs []*job, used map[string]bool) {
	before := g.leaves()
	succ := map[string][]string{}
	for _, j := range jobs {
		for from, to := range j.conf.After {
			all := slices.Concat(succ[from], to)
			slices.Sort(all)
			succ[from] = slices.Compact(all)
		}
		if n := j.conf.Node; n != "" && succ[n] == nil {
			succ[n] = nil
		}
	}
	hive := hive.Is(jobs[0].conf.Workflow)
	if hive {
		submitted := map[string]bool{}
		for _, j := range jobs {
			submitted[j.conf.Node] = true
		}
		succ = withoutOwn(succ, submitted)
	}
	first, at := len(g.nodes), map[string]int{}
	order, pred, cyclic := topological(succ)
	g.cyclic = g.cyclic || cyclic
	for _, name := range order {
		at[name] = len(g.nodes)
		n := node{label: unique(name, used)}
		for _, p := range pred[name] {
			n.after = append(n.after, at[p])
		}
		if len(n.after) == 0 {
			n.after = before
		}
		slices.Sort(n.after)
		g.nodes = append(g.nodes, n)
	}
	for _, j := range jobs {
		i, ok := at[j.conf.Node]
		if j.conf.Node == "" || !ok || g.nodes[i].job != nil {
			label := cmp.Or(j.conf.Node, j.id)
			i = len(g.nodes)
			g.nodes = append(g.nodes, node{label: unique(label, used)})
		}
		g.nodes[i].job = j
	}
	switch parallel := slices.ContainsFunc(jobs, func(j *job) bool { return j.conf.Parallel }); {
	case hive && parallel:
		g.parallel = true
	case hive:
		g.serial(first)
	}
}

// presume gives a job without a conf the first node that is ready for it; before any conf is known, a node of its
// own.
func (g *graph) presume(j *job, used map[string]bool) {
	if !g.known {
		g.nodes = append(g.nodes, node{label: unique(j.id, used), job: j})
		return
	}
	for i := range g.nodes {
		n := &g.nodes[i]
		ready := n.job == nil
		for _, p := range n.after {
			b := g.nodes[p].job
			ready = ready && b != nil && b.state == dag.Succeeded
		}
		if ready {
			n.job = j
			return
		}
	}
}

// leaves returns the nodes without successors.
func (g *graph) leaves() []int {
	inner := make([]bool, len(g.nodes))
	for i := range g.nodes {
		for _, p := range g.nodes[i].after {
			inner[p] = true
		}
	}
	var out []int
	for i := range g.nodes {
		if !inner[i] {
			out = append(out, i)
		}
	}
	return out
}

func unique(label string, used map[string]bool) string {
	name := label
	for n := 2; used[name]; n++ {
		name = label + "#" + itoa(n)
	}
	used[name] = true
	return name
}

// topological orders the names so that all predecessors of a name come before it: wave by wave, and by name in a
// wave. It cuts edges that close a cycle.
func topological(succ map[string][]string) (order []string, pred map[string][]string, cyclic bool) {
	pred = map[string][]string{}
	names := map[string]bool{}
	edges := 0
	for _, from := range slices.SortedFunc(maps.Keys(succ), natural) {
		names[from] = true
		for _, to := range succ[from] {
			names[to] = true
			if edges++; to != from && edges <= maxEdges {
				pred[to] = append(pred[to], from)
			}
		}
	}
	left := slices.SortedFunc(maps.Keys(names), natural)
	if len(left) > maxNodes {
		left = left[:maxNodes]
		kept := map[string]bool{}
		for _, n := range left {
			kept[n] = true
		}
		for _, n := range left {
			pred[n] = slices.DeleteFunc(pred[n], func(p string) bool { return !kept[p] })
		}
	}
	done := map[string]bool{}
	for len(left) > 0 {
		var wave, rest []string
		for _, n := range left {
			if slices.ContainsFunc(pred[n], func(p string) bool { return !done[p] }) {
				rest = append(rest, n)
			} else {
				wave = append(wave, n)
			}
		}
		if len(wave) == 0 {
			cyclic = true
			n := rest[0]
			pred[n] = slices.DeleteFunc(pred[n], func(p string) bool { return !done[p] })
			continue
		}
		for _, n := range wave {
			done[n] = true
		}
		order = append(order, wave...)
		left = rest
	}
	return order, pred, cyclic
}

// natural orders names that end in numbers by these numbers: scope-9 before scope-35.
func natural(a, b string) int {
	pa, na := numbered(a)
	pb, nb := numbered(b)
	if pa == pb {
		return cmp.Or(cmp.Compare(len(na), len(nb)), cmp.Compare(na, nb), cmp.Compare(a, b))
	}
	return cmp.Compare(a, b)
}

// numbered splits digits without leading zeros off the end of s.
func numbered(s string) (prefix, digits string) {
	p := strings.TrimRight(s, "0123456789")
	return p, strings.TrimLeft(s[len(p):], "0")
}
