package cost

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// nodes are how many times as long tasks take on nodes that are slower or faster than the others: n_n, as factors.
type nodes struct {
	of    map[int32]float64
	tasks map[int32]int // that show it
}

// A node's difference counts if it is a fifth at least, and more than so many of its standard deviations. Less is
// noise, which would be carried to every task to come.
const (
	leastNode  = 1.2
	nodeSigmas = 3
	// leastShown is how much of a task must have been seen, in milliseconds, for it to show its node.
	leastShown = 1000
	// reportedTasks is how many tasks must show a node before a reader is told: one alone may be an odd one.
	reportedTasks = 2
	leastTask     = 0.2 // standard deviation of the logarithm of a task's work, before any was seen
)

// factor is how many times as long work takes on a node; on one that is not known as on others.
func (n *nodes) factor(node int32) float64 {
	if f, ok := n.of[node]; ok {
		return f
	}
	return 1
}

// A seenNode is what tasks show of their node: logarithms of what they took by what was expected.
type seenNode struct{ sum, squares, n float64 }

// learnNodes finds the posterior of each node from how far its tasks are from the others of their stages.
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
	within := 0.0 // squares around the means of the nodes
	for _, node := range slices.Sorted(maps.Keys(seen)) {
		s := seen[node]
		all = seenNode{all.sum + s.sum, 0, all.n + s.n}
		within += s.squares - s.sum*s.sum/s.n
	}
	// The spread of tasks on one node, drawn to that of tasks of other runs.
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

// addNodes adds what the tasks of a stage show.
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

// nodeFactors are the factors of the nodes that several tasks have shown; nil if there are none.
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

// nodeWarnings say which nodes are slow.
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

// coarse rounds a factor to a fourth, from two on to a half, so that the text does not change with each task.
func coarse(factor float64) float64 {
	if factor < 2 {
		return max(math.Round(factor*4)/4, 1.25)
	}
	return math.Round(factor*2) / 2
}
