package observed

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// A pace is what an attempt shows of its node's speed: milliseconds for so many units.
type pace struct {
	node      int32
	ms, units float64
}

// A node counts as slow, or fast, where attempts with three seconds of work show it, by a fifth at least and by more
// than the attempts of one node differ among themselves. Less is noise, and a factor of noise would be carried to every
// task to come. A lone attempt may be an odd task: it is said of no node that it is slow before two of its attempts
// were.
const (
	nodeWorkMS       = 3000
	nodeLeast        = 1.2
	nodeSigmas       = 3
	sigmaLeast       = 0.08
	reportedAttempts = 2
	paceMS           = 1000 // an attempt's pace counts from so much work on
	mostPaces        = 64   // of a phase and node
)

// nodePaces are the nodes that are slower or faster than the others; nil where none is.
type nodePaces struct {
	of   map[int32]nodePace
	mean float64 // of the nodes that take containers, by their memory
}

// A nodePace is how a node has shown itself in this run.
type nodePace struct {
	// how many times as long its tasks take for a unit as those of the others; 1 where no difference is shown
	Factor   float64
	Attempts int     // on which that rests
	WorkMS   float64 // their work, in milliseconds
}

// learnNodes finds the nodes that are slower or faster than the others, over all phases: each attempt's milliseconds a
// unit against those of its phase on the middle node (the lower middle, of two nodes the faster one). So a node with
// large tasks is not slow, and one odd task makes no node slow: the median of its attempts counts.
func (m *Model) learnNodes() {
	ratios := map[int32][]weighted{}
	for j := range m.phases {
		for k := range m.phases[j] {
			addRatios(ratios, m.phases[j][k].seen.paces)
		}
	}
	if len(ratios) < 2 {
		return
	}
	order := slices.Sorted(maps.Keys(ratios))
	middles := make(map[int32]float64, len(order))
	apart, weight := 0.0, 0.0 // how far attempts are from the middle of their node
	for _, n := range order {
		middles[n] = median(ratios[n])
		for _, r := range ratios[n] {
			apart += r.weight * math.Abs(r.v-middles[n])
			weight += r.weight
		}
	}
	sigma := math.Sqrt(math.Pi/2) * apart / weight // of a normal distribution with that mean absolute deviation
	for _, n := range order {
		work := 0.0
		for _, r := range ratios[n] {
			work += r.weight
		}
		count := len(ratios[n])
		if work < nodeWorkMS || math.Abs(middles[n]) < max(math.Log(nodeLeast),
			nodeSigmas*max(sigma, sigmaLeast)/math.Sqrt(float64(count))) {
			continue
		}
		if m.nodes == nil {
			m.nodes = &nodePaces{of: map[int32]nodePace{}}
		}
		m.nodes.of[n] = nodePace{clip(math.Exp(middles[n])), count, work}
	}
	if m.nodes == nil {
		return
	}
	m.nodes.mean = m.nodes.meanOf(m.Snapshot.Nodes)
	for j := range m.phases {
		for k := range m.phases[j] {
			m.phases[j][k].seen.level(m.nodes)
		}
	}
}

// addRatios adds the logarithms of attempts' paces over their phase's on the middle node.
func addRatios(to map[int32][]weighted, paces []pace) {
	byNode := map[int32][]weighted{}
	for _, p := range paces {
		byNode[p.node] = append(byNode[p.node], weighted{math.Log(p.ms / p.units), p.ms})
	}
	if len(byNode) < 2 {
		return
	}
	middles := make([]float64, 0, len(byNode))
	for _, list := range byNode {
		middles = append(middles, median(list))
	}
	slices.Sort(middles)
	middle := middles[(len(middles)-1)/2]
	for _, p := range paces {
		to[p.node] = append(to[p.node], weighted{math.Log(p.ms/p.units) - middle, p.ms})
	}
}

type weighted struct{ v, weight float64 }

// median is the weighted median: at least half of the weight lies at or below it.
func median(list []weighted) float64 {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b weighted) int { return cmp.Compare(a.v, b.v) })
	total, sum := 0.0, 0.0
	for _, w := range list {
		total += w.weight
	}
	for _, w := range list {
		if sum += w.weight; sum >= total/2 {
			return w.v
		}
	}
	return 0
}

// factor is how much longer a unit takes on a node than its phase's rate says; where the node is not known, on the mean
// node.
func (p *nodePaces) factor(node int32) float64 {
	if p == nil {
		return 1
	}
	if n, ok := p.of[node]; ok {
		return n.Factor
	}
	if node >= 0 {
		return 1
	}
	return p.mean
}

func (p *nodePaces) meanOf(nodes []dag.NodeState) float64 {
	sum, mb := 0.0, 0.0
	for i := range nodes {
		if n := &nodes[i]; !n.Lost && !n.Draining && n.MemoryMB > 0 {
			sum += float64(n.MemoryMB) * p.factor(int32(i))
			mb += float64(n.MemoryMB)
		}
	}
	if mb == 0 {
		return 1
	}
	return sum / mb
}

// level makes the samples those of a node that is neither slow nor fast: what took a slow node its time would have been
// more units.
func (st *stat) level(nodes *nodePaces) {
	for _, n := range slices.Sorted(maps.Keys(nodes.of)) {
		st.sampleUnits += st.nodeUnits[n] * (nodes.of[n].Factor - 1)
	}
}

// warnNodes says which nodes are slow.
func (m *Model) warnNodes() {
	if m.nodes == nil {
		return
	}
	for _, n := range slices.Sorted(maps.Keys(m.nodes.of)) {
		if p := m.nodes.of[n]; p.Factor > 1 && p.Attempts >= reportedAttempts && int(n) < len(m.Snapshot.Nodes) &&
			!m.Snapshot.Nodes[n].Lost {
			m.Warnings = append(m.Warnings, dag.Warning{
				Code: dag.WarnNodeSlow,
				Text: fmt.Sprintf("node %s is slow: its tasks take about %g times as long as those of the others",
					m.Snapshot.Nodes[n].Name, coarse(p.Factor)),
			})
		}
	}
}

// coarse rounds a factor to a fourth, from two on to a half: what is said of a node does not change with each of its
// tasks.
func coarse(factor float64) float64 {
	if factor < 2 {
		return max(math.Round(factor*4)/4, 1.25)
	}
	return math.Round(factor*2) / 2
}

// NodeFactors tells of the nodes that at least two attempts have shown to be slower or faster than the others: how many
// times as long their tasks take, by the nodes' indices in Snapshot.Nodes; nil where there are none.
func (m *Model) NodeFactors() map[int32]float64 {
	if m.nodes == nil {
		return nil
	}
	out := map[int32]float64{}
	for n, p := range m.nodes.of {
		if p.Attempts >= reportedAttempts {
			out[n] = p.Factor
		}
	}
	return out
}
