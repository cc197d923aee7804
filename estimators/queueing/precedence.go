package queueing

import (
	"math"
	"slices"
)

// tree returns a job's precedence tree, cut into phases (§4.2): phases follow each other, and in each all threads are
// parallel.
func (p *product) tree(j *productJob) *Tree {
	f := j.flow
	if j.Reduces == 0 {
		return serial(p.mapWaves(j, f.waves-1, f.slots), p.mapWaves(j, 1, f.last))
	}
	parts := []*Tree{p.mapWaves(j, 1, min(f.slots, j.Maps))}
	if f.waves == 1 {
		return serial(parts[0], and(p.reduces(j, false)...))
	}
	blocked := false
	for g := range p.groups {
		blocked = blocked || j.abreast[g] > 0 && j.copies[g].blocked
	}
	if !blocked {
		rest := p.maps(j, f.waves-1)
		rest.Count = f.slots
		return serial(parts[0], and(append([]*Tree{rest}, p.reduces(j, true)...)...))
	}
	wave := and(append([]*Tree{p.slotMaps(j, f.slots)}, p.shuffles(j)...)...)
	wave.Count = f.waves - 2
	last := and(append([]*Tree{p.slotMaps(j, f.last)}, p.shuffles(j)...)...)
	return serial(append(parts, wave, last, and(p.reduces(j, false)...))...)
}

// mapWaves returns waves of maps, with no other tasks beside them.
func (p *product) mapWaves(j *productJob, waves, maps int) *Tree {
	t := and(p.slotMaps(j, maps))
	t.Count = waves
	return t
}

func (p *product) slotMaps(j *productJob, maps int) *Tree {
	t := p.maps(j, 1)
	t.Count = maps
	return t
}

// shuffles returns each reduce's shuffles of the outputs of one wave.
func (p *product) shuffles(j *productJob) []*Tree {
	var all []*Tree
	for g, gr := range p.groups {
		if j.abreast[g] > 0 {
			t := p.groupLeaf(j, g, copyingBeside, j.flow.slots)
			t.Count = gr.nodes * j.abreast[g]
			all = append(all, t)
		}
	}
	return all
}

// reduces returns the remaining work of each reduce at the end: outputs not yet copied, its merge, and the later
// reduces of its slot. With whole, the work includes the shuffles beside maps, for reduces that are never blocked.
func (p *product) reduces(j *productJob, whole bool) []*Tree {
	var all []*Tree
	for g, gr := range p.groups {
		if j.abreast[g] == 0 {
			continue
		}
		var before *Tree
		left := j.flow.last
		if whole {
			left = int(math.Round(j.copies[g].after))
			before = p.groupLeaf(j, g, copyingBeside, j.Maps-left)
		}
		merge := p.groupLeaf(j, g, merging, 1)
		next := serial(p.groupLeaf(j, g, copyingAlone, j.Maps), merge)
		next.Count = p.laterWaves(j, g)
		t := serial(before, p.groupLeaf(j, g, copyingAlone, left), merge, next)
		t.Count = gr.nodes * j.abreast[g]
		all = append(all, t)
	}
	return all
}

// maps returns a leaf of consecutive maps.
func (p *product) maps(j *productJob, tasks int) *Tree {
	m := p.meanStay(j)[mapping].moments().times(float64(tasks))
	return &Tree{Kind: Map, Tasks: tasks, Count: 1, Mean: m.mean, Variance: m.variance}
}

// groupLeaf returns a leaf of tasks on a group's nodes. Shuffles run in parallel on all shuffle threads of a reduce.
func (p *product) groupLeaf(j *productJob, g int, a stage, tasks int) *Tree {
	turns := tasks
	if a.kind() == Shuffle {
		turns = (tasks + p.spec.ShuffleThreads - 1) / p.spec.ShuffleThreads
	}
	m := j.stay[g][a].moments().times(float64(turns))
	return &Tree{Kind: a.kind(), Tasks: tasks, Count: 1, Mean: m.mean, Variance: m.variance}
}

// serial joins parts that follow each other. It skips empty parts and returns a single part as it is.
func serial(parts ...*Tree) *Tree { return operator(Serial, parts) }

func and(parts ...*Tree) *Tree { return operator(ParallelAnd, parts) }

func operator(op Operator, parts []*Tree) *Tree {
	var some []*Tree
	for _, t := range parts {
		if t != nil && t.Count > 0 && (t.Op != Leaf || t.Tasks > 0) {
			some = append(some, t)
		}
	}
	if len(some) == 0 {
		return nil
	}
	if len(some) == 1 && some[0].Count == 1 {
		return some[0]
	}
	return &Tree{Op: op, Parts: some, Count: 1}
}

// A group is a range of neighbouring nodes with the same number of used map slots and reduces of each job.
type group struct {
	first, nodes int
}

// groups cuts the nodes where their share of a job changes. Tasks are assigned to the nodes in turn, so nodes with
// more tasks of a job come first.
func groups(s *Spec) []group {
	cuts := []int{0, s.Nodes}
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if j.Maps < s.Nodes*s.MapSlots {
			cuts = append(cuts, j.Maps%s.Nodes)
		}
		cuts = append(cuts, j.Reduces%s.Nodes)
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	all := make([]group, 0, len(cuts)-1)
	for i, c := range cuts[1:] {
		all = append(all, group{cuts[i], c - cuts[i]})
	}
	return all
}

// dealt returns the number of tasks of each node of the group, if tasks are assigned to the nodes in turn.
func (g group) dealt(tasks, nodes int) int {
	n := tasks / nodes
	if g.first < tasks%nodes {
		n++
	}
	return n
}

// An Operator joins the parts of a precedence tree (§2.3, after D.-R. Liang and S. K. Tripathi, "On Performance
// Prediction of Parallel Computations with Precedent Constraints", IEEE TPDS 11, 2000).
type Operator int

// The operators. A leaf has no operator: it is tasks of one class.
const (
	Leaf        Operator = iota
	Serial               // S: one part after the other
	ParallelAnd          // P_A: all at once, done with the last
)

// String returns the operator's symbol.
func (o Operator) String() string { return [...]string{"task", "S", "P_A"}[o] }

// MarshalText returns the symbol.
func (o Operator) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// A Tree is a job's precedence tree: which tasks follow each other and which are parallel.
type Tree struct {
	Op    Operator
	Parts []*Tree // parts of an operator, at least one
	// Kind and Tasks describe a leaf: Tasks equal tasks, one after the other.
	Kind  Kind
	Tasks int
	// Count is the number of equal trees that this one represents: parallel in a ParallelAnd,
	// consecutive in a Serial.
	Count int
	// Mean and Variance of its duration, in seconds and seconds². Parts are assumed independent.
	Mean, Variance float64
}
