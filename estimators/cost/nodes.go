package cost

import (
	"maps"
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/estimators/internal/taskcost"

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
		if node >= 0 && took >= taskcost.ShortMS && expected > 0 {
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
		if known.tasks > 1 { // a single task may be an outlier
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
			out = append(out, dag.Warningf(dag.WarnNodeSlow,
				"node %s is slow: its tasks take about %g times as long as those of the others", s.Nodes[i].Name, coarse(f)))
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

// cores describes what ran on each core of executors, and in each container that runs one task after another.
type cores struct {
	firsts map[int32]dag.Instant   // start of the first task; NoInstant: in a container that an earlier DAG has left
	ends   map[int32][]dag.Instant // ends of tasks, ascending
	quiet  dag.Instant             // since when no task runs; NoInstant while any does
}

// heldFor is the time after a DAG's submission in which no container can have been launched for it. Tasks that start
// by then run in containers that an earlier DAG has left.
const heldFor = time.Second

func coresOf(s *dag.Snapshot) cores {
	c := cores{firsts: map[int32]dag.Instant{}, ends: map[int32][]dag.Instant{}, quiet: dag.NoInstant}
	running := false
	for j := range s.Jobs {
		reused := s.Plan.Jobs[j].Rules == dag.AncestorsFirst
		if !reused && s.Plan.Cluster.Policy != dag.Executors {
			continue
		}
		for _, a := range s.Jobs[j].All() {
			running = running || a.State == dag.AttemptRunning
			if a.End.Known() {
				c.quiet = max(c.quiet, a.End)
			}
			if a.Slot < 0 || !a.Start.Known() {
				continue
			}
			if t, ok := c.firsts[a.Slot]; !ok || a.Start < t {
				c.firsts[a.Slot] = a.Start
			}
			if a.End.Known() {
				c.ends[a.Slot] = append(c.ends[a.Slot], a.End)
			}
		}
		for slot, t := range c.firsts {
			if at := s.Jobs[j].Submitted; reused && at.Known() && t < at.Add(heldFor) {
				c.firsts[slot] = dag.NoInstant
			}
		}
	}
	for _, ends := range c.ends {
		slices.Sort(ends)
	}
	if running {
		c.quiet = dag.NoInstant
	}
	return c
}

// freeBefore returns when a core became free before an instant; NoInstant if nothing ran on it.
func (c *cores) freeBefore(slot int32, at dag.Instant) dag.Instant {
	ends := c.ends[slot]
	n, found := slices.BinarySearch(ends, at)
	switch {
	case found:
		return at
	case n == 0:
		return dag.NoInstant
	}
	return ends[n-1]
}

// isFirst reports whether an attempt is the first one on its core or in its container, given when the first ones
// started.
func isFirst(firsts map[int32]dag.Instant, a *dag.Attempt) bool {
	t, ok := firsts[a.Slot]
	return ok && t == a.Start
}

// headsOf returns the index below which waiting tasks would be the first of a stage on a core. free is the number of
// cores that have run none of it.
func headsOf(attempts []dag.Attempt, n, free int) int {
	heads := 0
	for i, at := 0, 0; free > 0 && i < n; i++ {
		busy := false
		for ; at < len(attempts) && int(attempts[at].Task) == i; at++ {
			busy = busy || attempts[at].State == dag.AttemptRunning || attempts[at].State == dag.AttemptSucceeded
		}
		if heads = i + 1; !busy {
			free--
		}
	}
	return heads
}

// requestedSince returns from when on containers may have been launched for the waiting tasks of a stage: since its
// edges let it start, and since an attempt of the job was lost.
func (o *observations) requestedSince(st *stage) dag.Instant {
	js := &o.s.Jobs[st.j]
	since := js.Submitted
	if !since.Known() {
		return since
	}
	since = since.Add(o.s.Plan.Overheads.Launch)
	for _, e := range st.plan.After {
		if e.Kind == dag.SlowStart || e.Kind == dag.Barrier {
			since = max(since, succeededAt(&js.Stages[e.From], max(e.Ratio, e.Full), st.job.Stages[e.From].Count()))
		}
	}
	for k, a := range js.All() {
		ended := a.State == dag.AttemptFailed || a.State == dag.AttemptKilled
		if ended && a.End.Known() && !js.Stages[k].Overtaken(a) {
			since = max(since, a.End)
		}
	}
	return since
}

// succeededAt returns when the given ratio of a stage's n tasks had succeeded. If fewer have, it returns the last
// success; NoInstant if there is none.
func succeededAt(s *dag.StageState, ratio float64, n int) dag.Instant {
	var ends []dag.Instant
	for a := range s.All() {
		if a.State == dag.AttemptSucceeded && a.End.Known() {
			ends = append(ends, a.End)
		}
	}
	if len(ends) == 0 {
		return dag.NoInstant
	}
	slices.Sort(ends)
	need := n
	if ratio > 0 && ratio < 1 {
		need = int(math.Ceil(ratio * float64(n)))
	}
	return ends[min(max(need, 1), len(ends))-1]
}
