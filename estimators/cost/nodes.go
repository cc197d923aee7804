package cost

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// nodes are the factors n_n of slow and fast nodes: how many times as long as on others tasks take there.
type nodes struct {
	of    map[int32]float64
	tasks map[int32]int // number of tasks that show the factor
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
	leastTask     = 0.2 // prior standard deviation of the logarithm of a task's work
)

// factor returns how many times as long work takes on a node; 1 if the node has no factor.
func (n *nodes) factor(node int32) float64 {
	if f, ok := n.of[node]; ok {
		return f
	}
	return 1
}

// A seenNode sums the residuals of the tasks on a node: logarithms of the time taken divided by the expected time.
type seenNode struct{ sum, squares, n float64 }

// learnNodes computes the posterior of each node from the residuals of its tasks against those of all nodes.
func (m *Model) learnNodes() {
	if !m.s.Plan.OnlyMapReduce() || m.given || m.numbers.Node == 0 {
		return
	}
	seen := map[int32]seenNode{}
	m.each(func(_ int, _ dag.StageIndex, st *stage) { m.addNodes(st, seen) })
	if len(seen) < 2 {
		return
	}
	var all seenNode
	within := 0.0 // sum of squared residuals around the means of the nodes
	for _, node := range slices.Sorted(maps.Keys(seen)) {
		s := seen[node]
		all = seenNode{all.sum + s.sum, 0, all.n + s.n}
		within += s.squares - s.sum*s.sum/s.n
	}
	// The variance of tasks on one node, drawn towards that of other runs.
	prior := m.numbers.Task*m.numbers.Task + leastTask*leastTask
	variance := (prior + within) / (1 + all.n - float64(len(seen)))
	for node, s := range seen {
		weight := 1/(m.numbers.Node*m.numbers.Node) + s.n/variance
		mean := (s.sum - all.sum/all.n*s.n) / variance / weight
		if math.Abs(mean) < max(math.Log(leastNode), nodeSigmas/math.Sqrt(weight)) {
			continue
		}
		if m.nodes.of == nil {
			m.nodes = nodes{map[int32]float64{}, map[int32]int{}}
		}
		m.nodes.of[node], m.nodes.tasks[node] = math.Exp(mean), int(s.n)
	}
}

// addNodes adds the residuals of the tasks of a stage to seen.
func (m *Model) addNodes(st *stage, seen map[int32]seenNode) {
	add := func(node int32, took, expected float64) {
		if node >= 0 && took >= leastShown && expected > 0 {
			s, r := seen[node], math.Log(took/expected)
			seen[node] = seenNode{s.sum + r, s.squares + r*r, s.n + 1}
		}
	}
	for i := range st.seen.ended {
		e := &st.seen.ended[i]
		add(e.attempt.Node, m.workOf(e), m.whole(st, e.task))
	}
	for i := range st.seen.running {
		r := &st.seen.running[i]
		add(r.node, r.took, m.whole(st, int(r.attempt.Task))*r.part)
	}
}

// nodeFactors returns the factors of the nodes that several tasks have shown; nil if there are none.
func (m *Model) nodeFactors() map[int32]float64 {
	var out map[int32]float64
	for node, f := range m.nodes.of {
		if m.nodes.tasks[node] >= reportedTasks {
			if out == nil {
				out = map[int32]float64{}
			}
			out[node] = f
		}
	}
	return out
}

// nodeWarnings returns a warning for each slow node.
func (m *Model) nodeWarnings() []dag.Warning {
	factors := m.nodeFactors()
	var out []dag.Warning
	for _, node := range slices.Sorted(maps.Keys(factors)) {
		if f := factors[node]; f > 1 && int(node) < len(m.s.Nodes) && !m.s.Nodes[node].Lost {
			out = append(out, dag.Warning{Code: dag.WarnNodeSlow, Text: fmt.Sprintf(
				"node %s is slow: its tasks take about %g times as long as those of the others", m.s.Nodes[node].Name, coarse(f))})
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
