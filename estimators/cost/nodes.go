package cost

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// nodes are the slow and fast nodes, by their index in the snapshot.
type nodes map[int32]node

// A node is n_n, how many times as long tasks take there as on others, and the number of tasks that show it.
type node struct {
	factor float64
	tasks  int
}

// A node's factor counts if it is at least leastNode, or its inverse, and nodeSigmas standard deviations from 1. Less
// is noise, which would change the estimate of every remaining task.
const (
	leastNode  = 1.2
	nodeSigmas = 3
	// leastShown is the least observed time of a task, in milliseconds, for its rate to count.
	leastShown = 1000
	// reportedTasks is the least number of tasks for a node to be reported: a single task may be an outlier.
	reportedTasks = 2
)

// factor returns how many times as long work takes on a node; 1 if the node has no factor.
func (n nodes) factor(i int32) float64 {
	if known, ok := n[i]; ok {
		return known.factor
	}
	return 1
}

// A seenNode sums the residuals of the tasks on a node: logarithms of the time taken divided by the expected time.
type seenNode struct{ sum, squares, n float64 }

// nodesOf computes the posterior of each node from the residuals of its tasks against those of all nodes.
func nodesOf(o *overheads) nodes {
	num := o.numbers
	if !o.mapReduce || o.given || num.Node == 0 {
		return nil
	}
	seen := map[int32]seenNode{}
	add := func(node int32, took, expected float64) {
		if node >= 0 && took >= leastShown && expected > 0 {
			s, r := seen[node], math.Log(took/expected)
			seen[node] = seenNode{s.sum + r, s.squares + r*r, s.n + 1}
		}
	}
	for _, st := range o.ordered {
		for _, e := range st.ended {
			add(e.attempt.Node, o.pace.workOf(e), o.pace.whole(st, e.task))
		}
		for _, r := range st.running {
			add(r.attempt.Node, r.partMS, o.pace.whole(st, r.task)*r.part)
		}
	}
	if len(seen) < 2 {
		return nil
	}
	var all seenNode
	within := 0.0 // sum of squared residuals around the means of the nodes
	for _, i := range slices.Sorted(maps.Keys(seen)) {
		s := seen[i]
		all = seenNode{all.sum + s.sum, 0, all.n + s.n}
		within += s.squares - s.sum*s.sum/s.n
	}
	// The variance of tasks on one node, drawn towards that of other runs.
	prior := num.Task*num.Task + usualSpread*usualSpread
	variance := (prior + within) / (1 + all.n - float64(len(seen)))
	out := nodes{}
	for i, s := range seen {
		weight := 1/(num.Node*num.Node) + s.n/variance
		mean := (s.sum - all.sum/all.n*s.n) / variance / weight
		if math.Abs(mean) >= max(math.Log(leastNode), nodeSigmas/math.Sqrt(weight)) {
			out[i] = node{math.Exp(mean), int(s.n)}
		}
	}
	return out
}

// factors returns the factors of the nodes that several tasks have shown.
func (n nodes) factors() map[int32]float64 {
	out := map[int32]float64{}
	for i, known := range n {
		if known.tasks >= reportedTasks {
			out[i] = known.factor
		}
	}
	return out
}

// warnings returns a warning for each slow node of a snapshot.
func (n nodes) warnings(s *dag.Snapshot) []dag.Warning {
	factors := n.factors()
	var out []dag.Warning
	for _, i := range slices.Sorted(maps.Keys(factors)) {
		if f := factors[i]; f > 1 && int(i) < len(s.Nodes) && !s.Nodes[i].Lost {
			out = append(out, dag.Warning{Code: dag.WarnNodeSlow, Text: fmt.Sprintf(
				"node %s is slow: its tasks take about %g times as long as those of the others", s.Nodes[i].Name, coarse(f))})
		}
	}
	return out
}

// coarse rounds a factor to a quarter, from 2 on to a half, so that the text does not change with each task.
func coarse(factor float64) float64 {
	if factor < 2 {
		return max(math.Round(factor*4)/4, 1.25)
	}
	return math.Round(factor*2) / 2
}
