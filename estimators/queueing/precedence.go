package queueing

import (
	"math"

	"github.com/paratimer/paratimer/units"
)

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
	Op Operator `json:"operator"`
	// Kind and Tasks describe a leaf: Tasks equal tasks, one after the other.
	Kind  *Kind `json:"class,omitempty"`
	Tasks int   `json:"tasks,omitempty"`
	// Count is the number of equal trees that this one represents: parallel in a ParallelAnd,
	// consecutive in a Serial.
	Count int `json:"count"`
	// Mean and Variance of its duration, in seconds and seconds². Parts are assumed independent. NaN if unknown.
	Mean      units.Float `json:"mean_seconds"`
	Variance  float64     `json:"-"`
	Deviation units.Float `json:"standard_deviation_seconds"` // the root of the variance
	Parts     []*Tree     `json:"parts,omitempty"`            // of an operator, at least one
}

// leaf returns tasks of a kind that follow each other.
func leaf(k Kind, tasks int, m moments) *Tree {
	t := &Tree{Kind: &k, Tasks: tasks, Count: 1}
	t.set(m)
	return t
}

// set sets the moments of a tree's duration.
func (t *Tree) set(m moments) {
	t.Mean, t.Variance, t.Deviation = units.Float(m.mean), m.variance, units.Float(math.Sqrt(m.variance))
}

// tree returns the precedence tree of a timeline (§4.2). Without pipelining, phases follow each other, and in each
// phase all threads are parallel. A map that spans phases has a part of its exponential time in each.
func (d *detail) tree(j *detailJob, t *timeline) *Tree {
	if d.reading.pipelined {
		return d.joinedTree(j, t)
	}
	var phases []*Tree
	next, from := 0, 0.0
	for p := 0; p <= len(t.wakes); p++ {
		to := t.end
		if p < len(t.wakes) {
			to = t.wakes[p]
		}
		parts := d.mapParts(j, t, from, to)
		reduce := moments{}
		shuffles := 0
		before := math.Inf(-1)
		for ; next < len(t.copies) && t.copies[next].start < to-merged; next++ {
			shuffles++
			if c := t.copies[next]; c.start > before {
				reduce = reduce.plus(exponential(c.end - c.start))
				before = c.start
			}
		}
		if j.Reduces > 0 {
			var merge *Tree
			if p == len(t.wakes) {
				merge = leaf(Merge, 1, exponential(j.stay[Merge]))
			}
			if chain := serial(leaf(Shuffle, shuffles, reduce), merge); chain != nil {
				chain.Count = d.reducesAbreast(j)
				parts = append(parts, chain)
			}
		}
		if whole := and(parts...); whole != nil {
			phases = append(phases, whole)
		}
		from = to
	}
	return serial(phases...)
}

// mapParts returns the work of the map threads from one instant to another. Equal threads are merged.
func (d *detail) mapParts(j *detailJob, t *timeline, from, to float64) []*Tree {
	var all []*Tree
	for _, thread := range t.kinds(j) {
		m, tasks := moments{}, 0
		for w := range thread.maps {
			start := math.Max(from, thread.start+float64(w)*t.mapTime-thread.ahead)
			if w == 0 {
				start = math.Max(from, 0)
			}
			end := math.Min(to, thread.start+float64(w+1)*t.mapTime-thread.ahead)
			if end > start+merged {
				m = m.plus(exponential(end - start))
				tasks++
			}
		}
		if tasks > 0 {
			one := leaf(Map, tasks, m)
			one.Count = thread.count
			all = append(all, one)
		}
	}
	return all
}

// joinedTree has an operator P_A at the two places where threads wait for each other: the end of the last map, and
// the end of the last merge. The second covers the work that each reduce has left after the last map.
func (d *detail) joinedTree(j *detailJob, t *timeline) *Tree {
	row := func(k Kind, tasks int, turns float64) *Tree {
		return leaf(k, tasks, exponential(j.stay[k]).times(turns))
	}
	waves := (len(t.maps) + j.slots - 1) / j.slots
	last := len(t.maps) - (waves-1)*j.slots
	long, short := row(Map, waves, float64(waves)), row(Map, waves-1, float64(waves-1))
	long.Count, short.Count = last, j.slots-last
	maps := and(long, short)
	if j.Reduces == 0 {
		return maps
	}
	left, turns, before := 0, 0.0, math.Inf(-1)
	for _, c := range t.copies {
		if c.start < t.mapsEnd-merged {
			continue
		}
		left++
		if c.start > before {
			turns++
			before = c.start
		}
	}
	later := serial(row(Shuffle, j.Maps, d.rounds(j)), row(Merge, 1, 1))
	later.Count = d.laterWaves(j)
	reduce := serial(row(Shuffle, left, turns), row(Merge, 1, 1), later)
	reduce.Count = d.reducesAbreast(j)
	return serial(maps, and(reduce))
}

// A threadKind is a group of map threads with the same timeline.
type threadKind struct {
	count, maps  int
	start, ahead float64
}

// kinds returns the thread that is ahead of all others, those with a map in the last wave, and those without one.
func (t *timeline) kinds(j *detailJob) []threadKind {
	waves := (len(t.maps) + j.slots - 1) / j.slots
	last := len(t.maps) - (waves-1)*j.slots
	ahead := 0.0
	if len(t.maps) > 0 {
		ahead = t.mapTime - t.maps[0].end
	}
	all := []threadKind{{count: 1, maps: waves, ahead: ahead}}
	if last > 1 {
		all = append(all, threadKind{count: last - 1, maps: waves})
	}
	if last < j.slots && waves > 1 {
		all = append(all, threadKind{count: j.slots - last, maps: waves - 1})
	}
	return all
}

func (d *detail) reducesAbreast(j *detailJob) int {
	n := 0
	for i, g := range d.nodes {
		n += g.nodes * j.abreast[i]
	}
	return n
}

func exponential(mean float64) moments { return moments{mean, mean * mean} }

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
